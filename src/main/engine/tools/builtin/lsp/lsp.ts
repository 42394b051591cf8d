import { z } from 'zod';
import type { Result } from '../../../../../shared/result';
import type { ToolContext } from '../../environment';
import { fileNeeds } from '../../needs';
import { type AnyTool, defineTool } from '../../tool';
import {
  absoluteOf,
  decidedTarget,
  fileAccess,
  locate,
  PathInput,
  readSubject,
  type Target,
} from '../support/target';

/** The questions that can be put to a language server. */
const OPERATIONS = [
  'goToDefinition',
  'findReferences',
  'hover',
  'documentSymbol',
  'workspaceSymbol',
  'goToImplementation',
  'prepareCallHierarchy',
  'incomingCalls',
  'outgoingCalls',
] as const;
export type LspOperation = (typeof OPERATIONS)[number];

/** The questions about a whole file, or all files: they need no place. */
const WITHOUT_PLACE: ReadonlySet<LspOperation> = new Set(['documentSymbol', 'workspaceSymbol']);

const Count = z.number().int().min(1).max(1e9).optional();
const Input = z.strictObject({
  operation: z.enum(OPERATIONS).describe('The question.'),
  filePath: PathInput.describe(
    'The file it is about: absolute, or relative to the working directory.',
  ),
  line: Count.describe('The line, from 1, as Read shows it.'),
  character: Count.describe('The place in the line, from 1: anywhere within the name.'),
  query: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe('For workspaceSymbol: the name to look for; by default the one at that place.'),
});
type Input = z.infer<typeof Input>;

const DESCRIPTION = `Asks a language server, which knows what names mean where Grep only sees text.

- goToDefinition, goToImplementation, findReferences: where the name at a place is defined, implemented, used. hover: its type and documentation.
- documentSymbol: all that a file defines. workspaceSymbol: names in the whole project, found by query.
- incomingCalls, outgoingCalls: who calls the function at a place, and whom it calls. prepareCallHierarchy: which function that is.
- All but documentSymbol and workspaceSymbol need line and character.
- What a change of yours breaks is told to you by itself.`;

/** A question, about the file that was decided on. */
export interface LspQuestion {
  readonly operation: LspOperation;
  readonly target: Target;
  /** Both count from 1; absent for questions that need no place. */
  readonly line?: number;
  readonly character?: number;
  readonly query?: string;
}

/** An answer, as the model reads it. */
export interface LspAnswer {
  readonly text: string;
  readonly count: number;
  readonly truncated: boolean;
}

/** The permissions that a question needs: those of reading the file. */
export const lspNeeds = fileNeeds('LSP', 'read', 'filePath');

/** Creates the tool that asks language servers. The error of `ask` is for the model. */
export const createLspTool = (
  ask: (question: LspQuestion, context: ToolContext) => Promise<Result<LspAnswer, string>>,
): AnyTool =>
  defineTool<Input, LspAnswer>({
    name: 'LSP',
    isRepeatable: true,
    description: DESCRIPTION,
    input: Input,
    access: async (input, env) => fileAccess('read', await locate(input.filePath, env)),
    validateInput: async ({ operation, line, character }) =>
      WITHOUT_PLACE.has(operation) || (line !== undefined && character !== undefined)
        ? null
        : `${operation} needs line and character, both from 1.`,
    needs: lspNeeds,
    subject: async (input, env) => readSubject(await locate(input.filePath, env)),
    backfillObservableInput: (copy, env) => ({ ...copy, filePath: absoluteOf(copy.filePath, env) }),
    title: ({ operation = '', filePath = '', line }) => ({
      verb: 'LSP',
      target: `${operation} ${filePath}${line === undefined ? '' : `:${line}`}`.trim(),
    }),
    // biome-ignore lint/correctness/useYield: an answer comes in one piece
    execute: async function* ({ operation, line, character, query }, context) {
      const question: LspQuestion = {
        ...{ operation, target: decidedTarget(context) },
        ...(line === undefined ? {} : { line }),
        ...(character === undefined ? {} : { character }),
        ...(query === undefined ? {} : { query }),
      };
      const answer = await ask(question, context);
      return answer.ok ? { ok: true, output: answer.value } : { ok: false, message: answer.error };
    },
    toModel: ({ text }) => [{ type: 'text', text }],
    view: ({ operation, filePath, line, character, query }, { text, count, truncated }) => ({
      kind: 'search',
      pattern: query ?? (line === undefined ? operation : `${operation} ${line}:${character ?? 1}`),
      path: filePath,
      matches: count,
      truncated,
      preview: text.split('\n').slice(0, 30).join('\n').slice(0, 4000),
    }),
  });
