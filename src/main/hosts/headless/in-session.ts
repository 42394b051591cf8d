import type { Readable } from 'node:stream';
import { type AgentEvent, MAIN_AGENT } from '../../../shared/agent-event';
import { fault, type Result } from '../../../shared/result';
import { problemLine } from '../../../shared/settings-problem';
import type { HeadlessSession, InstallPlugins, OpenHeadless } from '../../app/headless-session';
import { EXIT, endingCode } from './exit-code';
import type { Prompt } from './json-input';
import type { Output } from './output';
import type { Printer, PrinterParts } from './printer';
import { failed, owesStructure } from './result-line';
import { promptToolDoubt } from './tool-link';

/** Standard input, as far as prompts depend on it. */
export interface InputSource {
  readonly stream: Readable;
  /** A user types there: nothing is read from it. */
  readonly isTerminal: boolean;
}

/** The surroundings of a headless run. */
export interface HeadlessParts extends PrinterParts {
  readonly out: Output;
  readonly input: InputSource;
  readonly open: OpenHeadless;
  /** Installs plugins before a session is opened; absent where nobody asked for it. */
  readonly installs?: InstallPlugins;
  /** Writes to the terminal that a user sees the run in; absent where standard error is none. */
  readonly emit?: ((sequence: string) => void) | undefined;
  /** A program is told in a few words what calls came to. */
  readonly summarises?: boolean;
  /** Aborts when the user or the system ends the run; the reason is the exit code. */
  readonly ending: AbortSignal;
}

/** Does the work in a session that was opened, and closes it. `work` gives whether all went well. */
export async function inSession(
  opened: Result<HeadlessSession>,
  parts: Pick<HeadlessParts, 'ending' | 'complain' | 'uuid' | 'emit'>,
  printer: Printer,
  work: (session: HeadlessSession) => Promise<boolean>,
): Promise<number> {
  if (!opened.ok) return giveUp(printer, opened);
  const session = opened.value;
  const interrupt = () => session.interrupt('ending');
  parts.ending.addEventListener('abort', interrupt, { once: true });
  const { emit } = parts;
  const unlisten =
    emit === undefined ? () => {} : session.onTerminalSequences((all) => all.forEach(emit));
  let allGood = false;
  let lost: string | null = null;
  try {
    allGood = await work(session);
  } finally {
    parts.ending.removeEventListener('abort', interrupt);
    lost = await session.close();
    unlisten();
    if (lost !== null) parts.complain(`Error: ${lost}`);
  }
  const code = () =>
    parts.ending.aborted ? endingCode(parts.ending) : allGood ? EXIT.success : EXIT.error;
  const cause = lost === null || code() !== EXIT.success ? null : session.lostTo();
  if (cause !== null) await printer.control(writesLost(session.sessionId, cause, parts.uuid()));
  // A result that is printed last lists what was lost at the very end, too.
  await printer.finished(lost);
  return code();
}

/** Tells a program that a full disk kept the end of the conversation; only the run itself would have it else. */
const writesLost = (sessionId: string, cause: 'no_space' | 'over_quota', uuid: string) => ({
  ...{ type: 'system', subtype: 'session_writes_lost', lost: ['transcript'] },
  error_code: cause === 'no_space' ? 'ENOSPC' : 'EDQUOT',
  ...{ transcript_session_ids: [sessionId], session_id: sessionId, uuid },
});

export async function giveUp(
  printer: Printer,
  failure: Extract<Result<unknown>, { ok: false }>,
): Promise<number> {
  await printer.failed(failure.error);
  await printer.finished(null);
  return EXIT.error;
}

/**
 * Runs one prompt to its end; null: no words of a user, a deferred call is taken up. `ending` ends it, also where it
 * aborted while the query was being begun.
 */
export async function answerOne(
  prompt: Prompt | null,
  session: HeadlessSession,
  printer: Printer,
  ending: AbortSignal,
  promptId?: string,
  asWritten?: boolean,
): Promise<boolean> {
  if (ending.aborted) return false;
  let end: Extract<AgentEvent, { type: 'query_finished' }> | null = null;
  for await (const { event, agentId } of session.submit(prompt, promptId, asWritten)) {
    if (ending.aborted) session.interrupt('ending');
    await printer.event(event, agentId);
    if (event.type === 'query_finished' && agentId === MAIN_AGENT) end = event;
  }
  if (end === null) {
    await printer.failed(fault('no_result', 'The query ended without a result.'));
    return false;
  }
  return !failed(end) && !owesStructure(end, session.structuredOutput());
}

/** Prints, in order, what happens while no query runs. */
export function printBetween(
  session: Pick<HeadlessSession, 'onBetween'>,
  printer: Pick<Printer, 'event'>,
): {
  /** Resolves when all so far is printed. */
  done(): Promise<void>;
  /** Prints what there is, and no more. */
  end(): Promise<void>;
} {
  let printing = Promise.resolve();
  const unlisten = session.onBetween(({ event, agentId }) => {
    printing = printing.then(() => printer.event(event, agentId)).catch(() => {});
  });
  return {
    done: () => printing,
    end: () => {
      unlisten();
      return printing;
    },
  };
}

/**
 * Has the model hear of sub-agents in the background until none is left: their work would end with the session. Returns
 * whether the last answer was good. What happened before an answer is told before it: `toldSoFar` waits for that.
 */
export async function hearAgents(
  session: HeadlessSession,
  printer: Printer,
  ending: AbortSignal,
  before: boolean,
  toldSoFar: () => Promise<void>,
): Promise<boolean> {
  let good = before;
  const isAtWork = async () => {
    // The answer may have ended before who observes it could begin.
    await session.observersBegun(ending);
    return session.agentsAtWork(true) && !ending.aborted;
  };
  while (good && (await isAtWork())) {
    await nextNews(session, ending);
    await toldSoFar();
    if (session.hasNews() && !ending.aborted)
      good = await answerOne(null, session, printer, ending);
  }
  return good;
}

/** Resolves when the model has news to hear, or on abort. */
async function nextNews(session: HeadlessSession, ending: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const heard = () => resolve();
  const unlisten = session.onNews(heard);
  ending.addEventListener('abort', heard, { once: true });
  if (!session.hasNews() && !ending.aborted) await promise;
  unlisten();
  ending.removeEventListener('abort', heard);
}

/** Tells what of settings and flags is not used as written, on standard error and with the first result. */
export function complainAboutSettings(
  session: HeadlessSession,
  promptTool: string | undefined,
  { complain }: Pick<HeadlessParts, 'complain'>,
  printer: Pick<Printer, 'warn'>,
): void {
  for (const problem of session.problems) {
    const line = problemLine(problem);
    complain(`${problem.level === 'error' ? 'Error' : 'Warning'}: ${line}`);
    printer.warn(line);
  }
  const doubt = promptToolDoubt(promptTool, session.toolServers());
  if (doubt === null) return;
  complain(`Warning: ${doubt}`);
  printer.warn(doubt);
}
