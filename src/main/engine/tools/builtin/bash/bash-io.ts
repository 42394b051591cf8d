import { z } from 'zod';
import { looksLikeQuestion } from '../../../../../shared/looks-like-question';
import type { ToolView } from '../../../../../shared/tool-call';
import type { CommandLimits } from '../../../settings/environment';
import { lastLineOf } from '../../../tasks/output-reader';
import { actText, type BlockedReport, blockedReport } from './sandbox-placement';

/** Creates the schema of Bash's input, under the limits of this process. */
export const bashInput = ({ timeoutMs, maxTimeoutMs, autoBackground }: CommandLimits) =>
  z.strictObject({
    command: z.string().describe('The command, as for a shell.'),
    description: z
      .string()
      .optional()
      .describe('What it does, in five to ten words, for the user who watches.'),
    timeout: z
      .number()
      .min(1)
      .max(maxTimeoutMs)
      .optional()
      .describe(
        `Milliseconds until it is ${autoBackground ? 'moved to the background' : 'ended'} (default ${timeoutMs}, at most ${maxTimeoutMs}).`,
      ),
    run_in_background: z
      .boolean()
      .optional()
      .describe('Start it and go on at once; you are told when it ends.'),
    dangerouslyDisableSandbox: z
      .boolean()
      .optional()
      .describe('Run it outside the sandbox, which asks the user.'),
  });
export type BashInput = z.infer<ReturnType<typeof bashInput>>;

/** The facts about a command while it runs, and when its call ends. */
export interface BashOutput {
  /** Plain output, bounded. */
  readonly text: string;
  readonly totalLines: number;
  readonly totalBytes: number;
  /** Null: still running, or ended by a signal. */
  readonly exitCode: number | null;
  /** The meaning of the exit code, or why it ended otherwise than by itself. */
  readonly note: string | null;
  /** The change of the working directory, in words. */
  readonly folderNote: string | null;
  readonly terminalId: string;
  readonly taskId: string;
  /** It goes on in the background. */
  readonly background: boolean;
  /** The place in the output file up to which the model has read, for one that goes on in the background. Bytes. */
  readonly readTo?: number;
  readonly timeoutMs: number;
  /** At that limit it goes on in the background. */
  readonly movesAtLimit: boolean;
  readonly waitsForInput: boolean;
  /** Null: it did not run in the sandbox. */
  readonly sandbox: BlockedReport | null;
}

/** The card shows the last lines only. */
const TAIL_LINES = 20;
const TAIL_CHARS = 4000;

/** Returns the last lines of an output for the card. */
export const tailOf = (text: string): string =>
  text.trimEnd().split('\n').slice(-TAIL_LINES).join('\n').slice(-TAIL_CHARS);

/** Returns a time limit in words. */
export function timeSpan(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  const minutes = ms / 60_000;
  if (!Number.isInteger(minutes)) return `${Math.round(ms / 100) / 10} s`;
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}

/** Returns what the model is told of a command whose time was over while its last line asked something; else ''. */
export function unansweredNote(text: string): string {
  const line = lastLineOf(text);
  return looksLikeQuestion(line)
    ? ` Its last line looks like a question (${JSON.stringify(line)}), and nobody answers here: give the answer with an option such as --yes, or pipe it in.`
    : '';
}

/** Returns the first line of a command, for titles. */
export const firstLine = (command: string): string => command.trim().split('\n')[0] ?? '';

/** Returns the card of a command. */
export function bashView(input: BashInput, output: BashOutput): ToolView {
  const { background, readTo } = output;
  return {
    kind: 'shell',
    command: input.command,
    ...(input.description === undefined ? {} : { description: input.description }),
    tail: tailOf(output.text),
    totalLines: output.totalLines,
    totalBytes: output.totalBytes,
    exitCode: output.exitCode,
    ...(output.note === null ? {} : { note: output.note }),
    taskId: output.taskId,
    ...(readTo === undefined ? {} : { readTo }),
    terminalId: output.terminalId,
    background,
    ...(background ? {} : { timeoutMs: output.timeoutMs }),
    ...(output.movesAtLimit && !background ? { movesAtLimit: true } : {}),
    ...(output.waitsForInput ? { waitsForInput: true } : {}),
    ...(output.sandbox === null
      ? {}
      : { sandboxed: true, blocked: output.sandbox.violations.map(actText) }),
  };
}

/** Returns the report on a command for the model. */
export function bashReport(output: BashOutput): string {
  const remarks = [
    output.exitCode === null || output.exitCode === 0
      ? output.note
      : `Exit code ${output.exitCode}${output.note === null ? '' : `: ${output.note}`}`,
    output.folderNote,
    output.sandbox === null ? null : blockedReport(output.sandbox, output.text),
  ].filter((remark) => remark !== null);
  const text = output.text !== '' || output.background ? output.text : '(no output)';
  return [text, remarks.join('\n')].filter((part) => part !== '').join('\n\n');
}
