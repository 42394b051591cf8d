import { ok, type Result } from '../../../../../shared/result';
import type { ToolContext } from '../../environment';
import { searchNeeds } from '../../needs';
import { defineTool } from '../../tool';
import { ripgrep, type SearchStart, searchDecided, searchRoot } from '../support/ripgrep';
import { fileAccess, readSubject, shortPath } from '../support/target';
import { DEFAULT_HEAD_LIMIT, GrepInput, MAX_HEAD_LIMIT, ripgrepArguments } from './grep-input';

/** More than any result shows; ripgrep is stopped there. */
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

const DESCRIPTION = `Searches the contents of files with ripgrep.

- Gives file names unless output_mode says otherwise; content shows the lines, with -A, -B or -C around them.
- Narrow with path, glob or type. Skips what .gitignore names and binary files; hidden files are searched.`;

interface Output {
  readonly root: string;
  /** Lines or files left out before. */
  readonly from: number;
  readonly lines: readonly string[];
  readonly total: number;
  readonly truncated: boolean;
  readonly notes: readonly string[];
}

/** Creates the tool that searches in files. */
export const createGrepTool = () =>
  defineTool<GrepInput, Output>({
    name: 'Grep',
    isRepeatable: true,
    description: DESCRIPTION,
    input: GrepInput,
    access: async (input, env) => fileAccess('read', await searchRoot(input.path, env)),
    needs: searchNeeds('Grep'),
    subject: async (input, env) => readSubject(await searchRoot(input.path, env)),
    title: ({ pattern = '' }) => ({ verb: 'Grep', target: pattern }),
    execute: async function* (input, context) {
      const found = await searchDecided(context, (start) => search(input, start, context));
      return found.ok ? { ok: true, output: found.value } : { ok: false, message: found.error };
    },
    toModel: (output) => [{ type: 'text', text: report(output) }],
    view: ({ pattern }, { root, lines, total, truncated }) => ({
      kind: 'search',
      pattern,
      path: root,
      matches: total,
      truncated,
      preview: lines.slice(0, 30).join('\n').slice(0, 4000),
    }),
  });

async function search(
  input: GrepInput,
  start: SearchStart,
  context: ToolContext,
): Promise<Result<Output, string>> {
  const { root, pathOf } = start;
  const args = ripgrepArguments(input, start.name);
  const ran = await ripgrep(args, start, MAX_OUTPUT_BYTES, context);
  if (!ran.ok) return ran;
  const filesOnly = (input.output_mode ?? 'files_with_matches') === 'files_with_matches';
  const isHidden = context.agent.hiddenFiles();
  const parsed = parseGrepOutput(ran.value.text, filesOnly).filter(
    ({ file }) => file === null || !isHidden(pathOf(file, 'realPath')),
  );
  const found = parsed.filter((line) => !isRemark(line));
  const kept = withoutLooseSeparators(filesOnly ? found : inFileOrder(found));
  const from = input.offset ?? 0;
  const end =
    from + (input.head_limit === 0 ? MAX_HEAD_LIMIT : (input.head_limit ?? DEFAULT_HEAD_LIMIT));
  const asAsked = (file: string) => shortPath(pathOf(file, 'path'), context);
  return ok({
    root: root.path,
    from,
    lines: kept.slice(from, end).map((line) => formatLine(line, asAsked)),
    total: kept.filter(({ file }) => file !== null).length,
    truncated: kept.length > end || ran.value.truncated,
    notes: [
      ...(found.length < parsed.length ? [BINARY] : []),
      ...(ran.value.note === null ? [] : [ran.value.note]),
    ],
  });
}

const BINARY = 'A file that matches is binary: its lines are not shown.';

/** Formats a line as ripgrep prints it: `file:12:matching line`, `file-11-line around it`. */
function formatLine({ file, rest }: GrepLine, name: (file: string) => string): string {
  if (file === null) return rest;
  if (rest === '') return name(file);
  const mark = /^\d+-/.test(rest) ? '-' : ':';
  return name(file) + mark + rest;
}

function report({ root, from, lines, total, truncated, notes }: Output): string {
  const none =
    total > 0 && from > 0 ? `There are no more than ${total}.` : `Nothing matches in ${root}.`;
  const list = lines.length === 0 && !notes.includes(BINARY) ? [none] : lines;
  const which =
    from === 0 ? `Only the first ${lines.length}` : `${from + 1} to ${from + lines.length}`;
  const next = from + lines.length;
  const rest = truncated
    ? [`(${which} are given. Narrow the search, raise head_limit, or go on with offset ${next}.)`]
    : [];
  return [...list, ...rest, ...notes].join('\n');
}

/** One line of ripgrep's output. `file` is null for what stands between groups of lines. */
interface GrepLine {
  readonly file: string | null;
  /** Text behind the file name. */
  readonly rest: string;
}

/**
 * Takes ripgrep's output apart: `file NUL rest` on each line, or only `file NUL` one after the other. A line without
 * NUL is a separator, a remark, or the beginning of a file name with a line end in it, which goes on in the next.
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

/** Tells whether lines of a file are left out because it is binary. */
const isRemark = ({ file, rest }: GrepLine): boolean => file === null && REMARK.test(rest);

/** The remark of ripgrep between lines of files in which it came upon a NUL. */
const REMARK = /(?:^|: )(?:WARNING: stopped searching binary file|binary file matches) .*\)$/;

/** Drops separators that separate nothing (left over when lines between them were dropped). */
const withoutLooseSeparators = (lines: readonly GrepLine[]): readonly GrepLine[] =>
  lines.filter((line, i) => {
    const next = lines[i + 1];
    return line.file !== null || (i > 0 && next !== undefined && next.file !== null);
  });

/**
 * Puts lines into the order of their files' paths, folder by folder. ripgrep itself can only do that with one thread;
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
