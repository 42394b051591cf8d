/** One line of ripgrep's output. `file` is null for what stands between groups of lines. */
export interface GrepLine {
  readonly file: string | null;
  /** What follows the file name. */
  readonly rest: string;
}

/** Takes ripgrep's output apart: `file NUL rest` on each line, or only `file NUL` one after the other. */
export function parseGrepOutput(text: string, filesOnly: boolean): readonly GrepLine[] {
  if (filesOnly) {
    return text
      .split('\0')
      .slice(0, -1)
      .map((file) => ({ file, rest: '' }));
  }
  return text
    .split('\n')
    .slice(0, text.endsWith('\n') ? -1 : undefined)
    .map((line) => {
      const end = line.indexOf('\0');
      return end === -1
        ? { file: null, rest: line }
        : { file: line.slice(0, end), rest: line.slice(end + 1) };
    });
}

/** Drops separators that separate nothing (left over when lines between them were dropped). */
export const withoutLooseSeparators = (lines: readonly GrepLine[]): readonly GrepLine[] =>
  lines.filter((line, i) => {
    const next = lines[i + 1];
    return line.file !== null || (i > 0 && next !== undefined && next.file !== null);
  });
