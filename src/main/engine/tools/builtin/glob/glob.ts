import path from 'node:path';
import picomatch from 'picomatch';
import { z } from 'zod';
import { ok, type Result } from '../../../../../shared/result';
import type { ToolContext, ToolEnvironment } from '../../environment';
import { type RawInput, searchNeeds, textIn } from '../../needs';
import { defineTool } from '../../tool';
import { ripgrep, type SearchStart, searchDecided, searchRoot } from '../support/ripgrep';
import { fileAccess, PathInput, readSubject, shortPath, type Target } from '../support/target';

const MAX_FILES = 100;

/** The names of about a million files. */
const MAX_LISTING_BYTES = 64 * 1024 * 1024;

const Input = z.strictObject({
  pattern: z.string().min(1).max(1000).describe('For example "**/*.ts" or "src/**/*.{js,css}".'),
  path: PathInput.optional().describe('The folder to look in (default: the working directory).'),
});
type Input = z.infer<typeof Input>;

const DESCRIPTION = `Finds files by name, newest first.

- Knows *, **, ?, {a,b} and [abc]. A pattern without a slash matches in every folder.
- Skips what .gitignore names; hidden files are found. Gives at most ${MAX_FILES} files.
- To find text in files use Grep.`;

interface Output {
  readonly root: string;
  readonly files: readonly string[];
  readonly total: number;
  readonly notes: readonly string[];
}

/** Creates the tool that finds files by name. */
export const createGlobTool = () =>
  defineTool<Input, Output>({
    name: 'Glob',
    isRepeatable: true,
    description: DESCRIPTION,
    input: Input,
    access: async (input, env) => fileAccess('read', await rootOf(input, env)),
    needs: searchNeeds('Glob', startOf),
    subject: async (input, env) => readSubject(await rootOf(input, env)),
    title: ({ pattern = '' }) => ({ verb: 'Glob', target: pattern }),
    execute: async function* (input, context) {
      const found = await searchDecided(context, (start) => findFiles(input, start, context));
      return found.ok ? { ok: true, output: found.value } : { ok: false, message: found.error };
    },
    toModel: (output) => [{ type: 'text', text: report(output) }],
    view: ({ pattern }, { root, files, total }) => ({
      kind: 'search',
      pattern,
      path: root,
      matches: total,
      truncated: total > files.length,
      preview: files.slice(0, 30).join('\n'),
    }),
  });

/** Returns where a search begins: the folders before the first wildcard of its pattern may lead elsewhere. */
function startOf(asked: string, input: RawInput): string {
  const { base } = planGlob(textIn(input, 'pattern') ?? '');
  if (base === '') return asked;
  return base.startsWith('~') || path.isAbsolute(base) ? base : `${asked}/${base}`;
}

const rootOf = (input: Input, env: ToolEnvironment): Promise<Target> =>
  searchRoot(startOf(input.path ?? '.', input), env);

async function findFiles(
  input: Input,
  start: SearchStart,
  context: ToolContext,
): Promise<Result<Output, string>> {
  const { root, pathOf } = start;
  const listed = await ripgrep(
    ['--files', '--null', '--sortr=modified', '--', start.name],
    start,
    MAX_LISTING_BYTES,
    context,
  );
  if (!listed.ok) return listed;
  const { matches } = planGlob(input.pattern);
  const isHidden = context.agent.hiddenFiles();
  const found = listed.value.text
    .split('\0')
    .slice(0, -1)
    .map((file) => file.replace(/^\.\//, ''))
    .filter((file) => matches(file) && !isHidden(pathOf(file, 'realPath')));
  const notes = [
    listed.value.note,
    listed.value.truncated ? 'There are too many files here to list them all.' : null,
  ];
  return ok({
    root: root.path,
    files: found.slice(0, MAX_FILES).map((file) => shortPath(pathOf(file, 'path'), context)),
    total: found.length,
    notes: notes.filter((note) => note !== null),
  });
}

function report({ root, files, total, notes }: Output): string {
  const rest =
    total > files.length
      ? [
          `(${total} files match; these are the ${files.length} newest. Narrow the pattern for others.)`,
        ]
      : [];
  const list = files.length === 0 ? [`No files match in ${root}.`] : files;
  return [...list, ...rest, ...notes].join('\n');
}

/** A pattern taken apart: the folder to search, and the pattern of names from there. */
interface GlobPlan {
  /** Relative to where the search starts, `~/…` or absolute; '' is the start itself. */
  readonly base: string;
  readonly matches: (relativePath: string) => boolean;
}

/**
 * Splits the leading folders without wildcards off a pattern, so that only they are listed. A pattern without a
 * slash matches at any depth, as in an ignore file.
 */
export function planGlob(pattern: string): GlobPlan {
  const { base, glob, negated } = picomatch.scan(pattern);
  if (negated) return { base: '', matches: matcher(pattern) };
  const literal = glob === '';
  const folder = literal ? path.posix.dirname(pattern) : base;
  const rest = literal ? path.posix.basename(pattern) : glob;
  const nested = folder === '' || folder === '.';
  const anywhere = nested && !pattern.includes('/');
  return {
    base: nested ? '' : folder.replace(/\\(.)/g, '$1'),
    matches: matcher(anywhere ? `**/${rest}` : rest),
  };
}

function matcher(glob: string): (relativePath: string) => boolean {
  const isMatch = picomatch(glob, { dot: true });
  return (relativePath) => isMatch(relativePath);
}
