import type { AgentEvent } from '../../../shared/agent-event';
import { fault, type Result } from '../../../shared/result';
import { problemLine } from '../../../shared/settings-problem';
import type { HeadlessSession, OpenHeadless } from '../../app/headless-session';
import type { HeadlessCommand } from '../common/command-line/command';
import type { Output } from './output';
import { createPrinter, type Printer, type PrinterParts } from './printer';
import { type InputSource, readJsonPrompts, readTextPrompt } from './prompt-input';
import { succeeded } from './result-line';

/** The surroundings of a headless run. */
export interface HeadlessParts extends PrinterParts {
  readonly out: Output;
  readonly input: InputSource;
  readonly open: OpenHeadless;
  /** Aborts when the person or the system ends the run; the reason is the exit code. */
  readonly ending: AbortSignal;
}

/** Exit codes, as CONVENTIONS 7 and shells have them. */
export const EXIT = { success: 0, error: 1, usage: 2, interrupted: 130, terminated: 143 } as const;

/** Answers the prompts of one `lathe -p` and gives the exit code. Leaves no process of its own behind. */
export async function runHeadless(command: HeadlessCommand, parts: HeadlessParts): Promise<number> {
  const printer = createPrinter(command, parts);
  const prompts = promptsOf(command, parts);
  const first = await untilEnded(prompts.next(), parts.ending);
  if (first === null) return endingCode(parts.ending);
  const none =
    !first.done && !first.value.ok && command.inputFormat === 'text' ? first.value : null;
  const mayGoOn = none?.error.code === 'no_prompt' && command.options.resume !== undefined;
  if (none !== null && !mayGoOn) return giveUp(printer, none);
  const opened = await parts.open(command.options);
  if (!opened.ok) return giveUp(printer, opened);
  const session = opened.value;
  const interrupt = () => session.interrupt();
  parts.ending.addEventListener('abort', interrupt, { once: true });
  try {
    if (none !== null && !session.deferred()) return await giveUp(printer, none);
    await printer.opened(session);
    complainAboutSettings(session, parts);
    const allGood =
      none === null
        ? await answerAll(first, prompts, session, printer, parts)
        : await answerOne(null, session, printer);
    await printer.finished();
    if (parts.ending.aborted) return endingCode(parts.ending);
    return allGood ? EXIT.success : EXIT.error;
  } finally {
    parts.ending.removeEventListener('abort', interrupt);
    await session.close();
  }
}

const endingCode = (ending: AbortSignal): number =>
  typeof ending.reason === 'number' ? ending.reason : EXIT.error;

async function giveUp(
  printer: Printer,
  failure: Extract<Result<unknown>, { ok: false }>,
): Promise<number> {
  await printer.failed(failure.error);
  await printer.finished();
  return EXIT.error;
}

async function* promptsOf(
  command: HeadlessCommand,
  parts: HeadlessParts,
): AsyncGenerator<Result<string>, void> {
  if (command.inputFormat === 'stream-json') yield* readJsonPrompts(parts.input.stream);
  else {
    // A session with a call that was put off needs no prompt.
    const given = command.prompt ?? (command.options.resume === undefined ? null : '');
    yield await readTextPrompt(parts.input, given, parts.complain);
  }
}

async function answerAll(
  first: IteratorResult<Result<string>, void>,
  prompts: AsyncGenerator<Result<string>, void>,
  session: HeadlessSession,
  printer: Printer,
  parts: HeadlessParts,
): Promise<boolean> {
  let allGood = true;
  let next: IteratorResult<Result<string>, void> | null = first;
  while (next !== null && !next.done && !parts.ending.aborted) {
    const prompt = next.value;
    if (prompt.ok) allGood = (await answerOne(prompt.value, session, printer)) && allGood;
    else {
      allGood = false;
      await printer.failed(prompt.error);
    }
    next = await untilEnded(prompts.next(), parts.ending);
  }
  return allGood;
}

/** Null: no words of a person; a call that was put off is taken up. */
async function answerOne(
  prompt: string | null,
  session: HeadlessSession,
  printer: Printer,
): Promise<boolean> {
  let end: Extract<AgentEvent, { type: 'query_finished' }> | null = null;
  for await (const { event } of session.submit(prompt)) {
    await printer.event(event);
    if (event.type === 'query_finished') end = event;
  }
  if (end === null) {
    await printer.failed(fault('no_result', 'The query ended without a result.'));
    return false;
  }
  return succeeded(end.terminal);
}

function complainAboutSettings(session: HeadlessSession, parts: HeadlessParts): void {
  for (const problem of session.problems) {
    parts.complain(`${problem.level === 'error' ? 'Error' : 'Warning'}: ${problemLine(problem)}`);
  }
}

/** The value, or null when the run ends first. */
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
