import type { Readable } from 'node:stream';
import { type AgentEvent, MAIN_AGENT } from '../../../shared/agent-event';
import { err, fault, ok, type Result } from '../../../shared/result';
import { problemLine } from '../../../shared/settings-problem';
import type { HeadlessSession, OpenHeadless } from '../../app/headless-session';
import type { HeadlessCommand } from '../common/command-line/command';
import type { Prompt } from './json-input';
import type { Output } from './output';
import { createPrinter, type Printer, type PrinterParts } from './printer';
import { succeeded } from './result-line';
import { runDriven } from './run-driven';

/** The surroundings of a headless run. */
export interface HeadlessParts extends PrinterParts {
  readonly out: Output;
  readonly input: InputSource;
  readonly open: OpenHeadless;
  /** Aborts when the person or the system ends the run; the reason is the exit code. */
  readonly ending: AbortSignal;
}

/** Exit codes, as docs/headless.md and shells have them. */
export const EXIT = { success: 0, error: 1, usage: 2, interrupted: 130, terminated: 143 } as const;

/** Answers the prompts of one `lathe -p` and gives the exit code. Leaves no process of its own behind. */
export function runHeadless(command: HeadlessCommand, parts: HeadlessParts): Promise<number> {
  return command.inputFormat === 'stream-json'
    ? runDriven(command, parts)
    : answerOnce(command, parts);
}

/** `--input-format text`: one prompt. */
async function answerOnce(command: HeadlessCommand, parts: HeadlessParts): Promise<number> {
  const printer = createPrinter(command, parts);
  // A session with a deferred call needs no prompt.
  const given = command.prompt ?? (command.options.resume === undefined ? null : '');
  const prompt = await untilEnded(readTextPrompt(parts.input, given, parts.complain), parts.ending);
  if (prompt === null) return endingCode(parts.ending);
  const mayGoOn = !prompt.ok && prompt.error.code === 'no_prompt' && command.options.resume;
  if (!prompt.ok && !mayGoOn) return giveUp(printer, prompt);
  const opened = await parts.open(command.options);
  return inSession(opened, parts, printer, async (session) => {
    if (!prompt.ok && !session.deferred()) {
      await printer.failed(prompt.error);
      return false;
    }
    await printer.opened(session);
    complainAboutSettings(session, parts);
    return answerOne(prompt.ok ? prompt.value : null, session, printer);
  });
}

/** Opens the session, does the work in it, and closes it. `work` gives whether all went well. */
export async function inSession(
  opened: Result<HeadlessSession>,
  parts: Pick<HeadlessParts, 'ending' | 'complain'>,
  printer: Printer,
  work: (session: HeadlessSession) => Promise<boolean>,
): Promise<number> {
  if (!opened.ok) return giveUp(printer, opened);
  const session = opened.value;
  const interrupt = () => session.interrupt('ending');
  parts.ending.addEventListener('abort', interrupt, { once: true });
  try {
    const allGood = await work(session);
    await printer.finished();
    if (parts.ending.aborted) return endingCode(parts.ending);
    return allGood ? EXIT.success : EXIT.error;
  } finally {
    parts.ending.removeEventListener('abort', interrupt);
    const lost = await session.close();
    if (lost !== null) parts.complain(`Error: ${lost}`);
  }
}

const endingCode = (ending: AbortSignal): number =>
  typeof ending.reason === 'number' ? ending.reason : EXIT.error;

export async function giveUp(
  printer: Printer,
  failure: Extract<Result<unknown>, { ok: false }>,
): Promise<number> {
  await printer.failed(failure.error);
  await printer.finished();
  return EXIT.error;
}

/** Runs one prompt to its end; null: no words of a person, a deferred call is taken up. */
export async function answerOne(
  prompt: Prompt | null,
  session: HeadlessSession,
  printer: Printer,
  promptId?: string,
): Promise<boolean> {
  let end: Extract<AgentEvent, { type: 'query_finished' }> | null = null;
  for await (const { event, agentId } of session.submit(prompt, promptId)) {
    await printer.event(event, agentId);
    if (event.type === 'query_finished' && agentId === MAIN_AGENT) end = event;
  }
  if (end === null) {
    await printer.failed(fault('no_result', 'The query ended without a result.'));
    return false;
  }
  return succeeded(end.terminal);
}

export function complainAboutSettings(
  session: HeadlessSession,
  parts: Pick<HeadlessParts, 'complain'>,
): void {
  for (const problem of session.problems) {
    parts.complain(`${problem.level === 'error' ? 'Error' : 'Warning'}: ${problemLine(problem)}`);
  }
}

/** Returns the value, or null when the run ends first. */
function untilEnded<T>(value: Promise<T>, ending: AbortSignal): Promise<T | null> {
  if (ending.aborted) return Promise.resolve(null);
  return new Promise((resolve, reject) => {
    const stop = () => resolve(null);
    ending.addEventListener('abort', stop, { once: true });
    value.then(
      (settled) => {
        ending.removeEventListener('abort', stop);
        resolve(settled);
      },
      (error) => {
        ending.removeEventListener('abort', stop);
        reject(error);
      },
    );
  });
}

/** More than this on standard input is no prompt. Characters. */
const MAX_INPUT_CHARS = 10_000_000;
/** With a prompt on the command line, a pipe in which nothing comes for this long is taken for idle. Milliseconds. */
const IDLE_PIPE_MS = 3_000;

/** Standard input, as far as prompts depend on it. */
interface InputSource {
  readonly stream: Readable;
  /** A person types there: nothing is read from it. */
  readonly isTerminal: boolean;
}

/** Reads the one prompt of `--input-format text`: the command line's, standard input's, or both, in that order. */
async function readTextPrompt(
  input: InputSource,
  fromCommandLine: string | null,
  warn: (line: string) => void,
): Promise<Result<string>> {
  const piped = input.isTerminal
    ? ok('')
    : await readAll(input.stream, fromCommandLine === null ? null : IDLE_PIPE_MS, warn);
  if (!piped.ok) return piped;
  const parts = [fromCommandLine ?? '', piped.value].filter((part) => part.trim() !== '');
  return parts.length === 0
    ? err(fault('no_prompt', 'There is no prompt.', 'Give one: lathe -p "…", or pipe it in.'))
    : ok(parts.join('\n\n'));
}

function readAll(
  stream: Readable,
  idleMs: number | null,
  warn: (line: string) => void,
): Promise<Result<string>> {
  return new Promise((resolve) => {
    const chunks: string[] = [];
    let size = 0;
    const settle = (result: Result<string>) => {
      clearTimeout(idle);
      stream.removeAllListeners('data').removeAllListeners('end').removeAllListeners('error');
      stream.pause();
      resolve(result);
    };
    const idle =
      idleMs === null
        ? undefined
        : setTimeout(() => {
            warn(`Nothing came on standard input for ${idleMs / 1000} s; going on without it.`);
            settle(ok(''));
          }, idleMs);
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      clearTimeout(idle);
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_INPUT_CHARS) settle(err(tooLarge()));
    });
    stream.on('end', () => settle(ok(chunks.join(''))));
    stream.on('error', () => settle(ok(chunks.join(''))));
  });
}

const tooLarge = () =>
  fault(
    'input_too_large',
    `Standard input has more than ${MAX_INPUT_CHARS / 1e6} million characters.`,
    'Save it to a file and name the file in the prompt.',
  );
