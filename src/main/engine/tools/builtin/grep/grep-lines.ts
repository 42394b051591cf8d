/** One line of ripgrep's output. `file` is null for what stands between groups of lines. */
export interface GrepLine {
  readonly file: string | null;
  /** What follows the file name. */
  readonly rest: string;
}

/**
 * Takes ripgrep's output apart: `file NUL rest` on each line, or only `file NUL` one after the other. A line without NUL
 * is a separator, a remark, or the beginning of a file name with a line end in it, which goes on in the next.
 */
export function parseGrepOutput(text: string, filesOnly: boolean): readonly GrepLine[] {
  if (filesOnly) {
    return text
      .split('\0')
      .slice(0, -1)
      .map((file) => ({ file, rest: '' }));
  }
  const lines: GrepLine[] = [];
  let begun = '';
  for (const line of text.split('\n').slice(0, text.endsWith('\n') ? -1 : undefined)) {
    const end = line.indexOf('\0');
    if (end !== -1) {
      lines.push({ file: begun + line.slice(0, end), rest: line.slice(end + 1) });
      begun = '';
    } else if (begun === '' && (line === '--' || REMARK.test(line))) {
      lines.push({ file: null, rest: line });
    } else {
      begun += `${line}\n`;
    }
  }
  return lines;
}

/** Whether lines of a file are left out because it is binary. */
export const isRemark = ({ file, rest }: GrepLine): boolean => file === null && REMARK.test(rest);

/** What ripgrep says between lines of files in which it came upon a NUL. */
const REMARK = /(?:^|: )(?:WARNING: stopped searching binary file|binary file matches) .*\)$/;

/** Drops separators that separate nothing (left over when lines between them were dropped). */
export const withoutLooseSeparators = (lines: readonly GrepLine[]): readonly GrepLine[] =>
  lines.filter((line, i) => {
    const next = lines[i + 1];
    return line.file !== null || (i > 0 && next !== undefined && next.file !== null);
  });

/**
 * The lines in the order of their files' paths, folder by folder. ripgrep itself can only do that with one thread;
 * searching with all of them, it prints files as they are done. Lines of one file stay together and in order. Pure.
 */
export function inFileOrder(lines: readonly GrepLine[]): readonly GrepLine[] {
  const groups = new Map<string, GrepLine[]>();
  let between: GrepLine[] = [];
  for (const line of lines) {
    if (line.file === null) {
      between.push(line);
      continue;
    }
    const group = groups.get(line.file);
    if (group === undefined) groups.set(line.file, [line]);
    else group.push(...between, line);
    between = [];
  }
  const separator = lines.find(({ file, rest }) => file === null && rest === '--');
  return [...groups]
    .sort(([a], [b]) => (pathOrder(a) < pathOrder(b) ? -1 : 1))
    .flatMap(([, group], i) => (separator && i > 0 ? [separator, ...group] : group));
}

/** So that `a/b` comes before `a-b`: what is in a folder stands together. */
const pathOrder = (file: string): string => file.replaceAll('/', '\0');
