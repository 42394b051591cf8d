import { z } from 'zod';
import { PathInput } from '../support/target';

/** Lines or files given unless said otherwise. */
export const DEFAULT_HEAD_LIMIT = 250;
/** The most lines or files that one call gives. */
export const MAX_HEAD_LIMIT = 10_000;

const Context = z.number().int().min(0).max(100).optional();

/** The input of Grep. */
export const GrepInput = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(10_000)
    .describe(
      'A regular expression (Rust syntax): escape braces and the like that you mean literally.',
    ),
  path: PathInput.optional().describe(
    'The file or folder to search (default: the working directory).',
  ),
  glob: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe('Only files whose name matches, for example "*.{ts,tsx}".'),
  type: z
    .string()
    .min(1)
    .max(50)
    .optional()
    .describe('Only files of a type: js, ts, py, rust, go, java, md, ...'),
  output_mode: z
    .enum(['files_with_matches', 'content', 'count'])
    .optional()
    .describe(
      'files_with_matches (default): file names, newest first. content: matching lines. count: matching lines per file.',
    ),
  '-A': Context.describe('Lines after each match (content).'),
  '-B': Context.describe('Lines before each match (content).'),
  '-C': Context.describe('Lines before and after each match (content).'),
  context: Context.describe('The same as -C.'),
  '-n': z.boolean().optional().describe('Line numbers (content; default: true).'),
  '-i': z.boolean().optional().describe('Upper and lower case are the same.'),
  multiline: z.boolean().optional().describe('Matches may span lines, and . matches line ends.'),
  head_limit: z
    .number()
    .int()
    .min(0)
    .max(MAX_HEAD_LIMIT)
    .optional()
    .describe(
      `How many lines or files to give (default ${DEFAULT_HEAD_LIMIT}; 0: as many as can be).`,
    ),
  offset: z
    .number()
    .int()
    .min(0)
    .max(1e6)
    .optional()
    .describe(
      'How many lines or files to leave out before (default 0): to go on after a cut result.',
    ),
});
export type GrepInput = z.infer<typeof GrepInput>;

/** Longer lines are cut around their beginning. Characters. */
const MAX_COLUMNS = 500;

/** Returns the arguments for ripgrep; `target` is the file or folder to search. File names end with NUL. */
export function ripgrepArguments(input: GrepInput, target: string): readonly string[] {
  return [
    '--null',
    ...modeArguments(input),
    ...(input['-i'] ? ['--ignore-case'] : []),
    ...(input.multiline ? ['--multiline', '--multiline-dotall'] : []),
    ...(input.type === undefined ? [] : [`--type=${input.type}`]),
    ...(input.glob === undefined ? [] : globArguments(input.glob, input.type !== undefined)),
    `--regexp=${input.pattern}`,
    '--',
    target,
  ];
}

function modeArguments(input: GrepInput): readonly string[] {
  const around = input['-C'] ?? input.context;
  switch (input.output_mode ?? 'files_with_matches') {
    case 'files_with_matches':
      return ['--files-with-matches', '--sortr=modified'];
    case 'count':
      return ['--count', '--with-filename'];
    case 'content':
      return [
        '--with-filename',
        '--no-heading',
        `--max-columns=${MAX_COLUMNS}`,
        '--max-columns-preview',
        input['-n'] === false ? '--no-line-number' : '--line-number',
        ...(around === undefined ? [] : [`--context=${around}`]),
        ...(input['-A'] === undefined ? [] : [`--after-context=${input['-A']}`]),
        ...(input['-B'] === undefined ? [] : [`--before-context=${input['-B']}`]),
      ];
  }
}

/**
 * Returns the arguments for a glob. ripgrep's --glob also finds what ignore files hide; a file type of our own does
 * not, but only knows names. Two types would widen the search instead of narrowing it.
 */
function globArguments(glob: string, hasType: boolean): readonly string[] {
  const namesOnly = !glob.includes('/') && !glob.startsWith('!') && !hasType;
  return namesOnly ? [`--type-add=lathe:${glob}`, '--type=lathe'] : [`--glob=${glob}`];
}
