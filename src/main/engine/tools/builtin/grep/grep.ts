import { ok, type Result } from '../../../../../shared/result';
import type { ToolContext } from '../../environment';
import { searchNeeds } from '../../needs';
import { defineTool } from '../../tool';
import { ripgrep } from '../support/ripgrep';
import { type SearchStart, searchDecided, searchRoot } from '../support/search-root';
import { fileAccess, readSubject, shortPath } from '../support/target';
import { DEFAULT_HEAD_LIMIT, GrepInput, MAX_HEAD_LIMIT, ripgrepArguments } from './grep-input';
import {
  type GrepLine,
  inFileOrder,
  isRemark,
  parseGrepOutput,
  withoutLooseSeparators,
} from './grep-lines';

/** More than any result shows; ripgrep is stopped there. */
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

const DESCRIPTION = `Searches the contents of files with ripgrep.

- pattern is a regular expression in Rust syntax: escape braces and other special characters you mean literally.
- Gives file names unless output_mode says otherwise; content shows the lines, with -A, -B or -C around them.
- Narrow with path, glob or type. Skips what .gitignore names and binary files; hidden files are searched.
- Use this and not grep or rg in Bash.`;

interface Output {
  readonly root: string;
  /** Lines or files left out before. */
  readonly from: number;
  readonly lines: readonly string[];
  readonly total: number;
  readonly truncated: boolean;
  readonly notes: readonly string[];
}

/** The tool that searches in files. */
export const createGrepTool = () =>
  defineTool<GrepInput, Output>({
    name: 'Grep',
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

/** As ripgrep prints it: `file:12:matching line`, `file-11-line around it`. */
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
