import { err, type Fault, fault, type Result } from '../../../shared/result';
import type { HeadlessOptions, HeadlessSession } from '../../app/headless-session';
import type { HeadlessCommand } from '../common/command-line/command';
import type { Json } from './api-shape';
import { answerTo, type CarryOut, createControls, refusal } from './control';
import { EXIT, endingCode } from './exit-code';
import {
  answerOne,
  complainAboutSettings,
  giveUp,
  type HeadlessParts,
  hearAgents,
  inSession,
  printBetween,
} from './in-session';
import { openInstalled } from './install-first';
import {
  type ControlRequest,
  type JsonInput,
  type Prompt,
  type RunningRequest,
  readJsonInput,
  type SentPrompt,
} from './json-input';
import { createPrinter, type Printer } from './printer';
import { createProgramLink } from './program-link';
import { asksForMore, readInitialize } from './program-parts';
import type { AnswerEffects } from './program-questions';
import { createSessionStates } from './session-states';
import { claimFacts, claimOfSpare } from './spare';
import { createSuggestions, type Suggestions, tellCalls, tellProgress } from './told-beside';
import { createToolLink } from './tool-link';

/**
 * Runs `--input-format stream-json`: a program says what comes next, until its end of the line closes. A run whose
 * beginning cannot be carried out ends at once.
 */
export async function runDriven(command: HeadlessCommand, parts: HeadlessParts): Promise<number> {
  const printer = createPrinter(command, parts);
  const link = createProgramLink(printer.control, parts.uuid);
  const { stream } = parts.input;
  const awaits = command.awaitsInitialize === true;
  const input = readJsonInput(stream, parts.ending, link.answered, awaits);
  input.done.then(link.close, link.close);
  const beginning = await input.begun;
  if (!beginning.ok) {
    stream.destroy();
    if (parts.ending.aborted) return endingCode(parts.ending);
    return giveUp(printer, beginning);
  }
  const first = beginning.value;
  let session: HeadlessSession | null = null;
  const effects = (): AnswerEffects | null => session && effectsOn(session);
  const { promptTool } = command;
  const questions =
    promptTool === undefined || promptTool === 'stdio'
      ? promptTool && link
      : createToolLink(promptTool, () => session, parts.complain);
  const begin = (request: Json | null, options: HeadlessOptions) =>
    readInitialize(request, options, {
      link,
      clock: parts.clock,
      tell: printer.control,
      questions: questions ?? null,
      effects,
    });
  const requests = input.controls[Symbol.asyncIterator]();
  const since = parts.clock.now();
  const spare = { command, parts, printer, input, first, requests, begin };
  const claim = command.awaitsClaim === true ? await claimOfSpare(spare) : undefined;
  if (claim === null) return endingCode(parts.ending, EXIT.success);
  if (claim?.ok === false) {
    stream.destroy();
    return giveUp(printer, err(fault('not_claimed', claim.error.message)));
  }
  const claimed = claim?.value;
  const begun = claimed
    ? begin(claimed.initialize, claimed.options)
    : begin(first?.request ?? null, command.options);
  const receive = begun.ok ? begun.value.receive : () => {};
  const opened = begun.ok
    ? await openInstalled(begun.value.options, begun.value.program, parts, printer)
    : begun;
  if (opened === null) {
    stream.destroy();
    return endingCode(parts.ending);
  }
  if (!opened.ok) {
    const asked = claimed ?? first;
    if (asked !== null) await printer.control(refusal(asked.id, opened.error));
    stream.destroy();
    return giveUp(printer, opened);
  }
  const open = opened.value;
  session = open;
  const failed = new AbortController();
  const fail = (problem: Fault) => {
    parts.complain(problem.message);
    failed.abort();
    open.interrupt('stopped');
    stream.destroy();
  };
  return inSession(opened, parts, printer, async () => {
    complainAboutSettings(open, promptTool, parts, printer);
    const wishes = (name: string) => first?.request[name] === true;
    const stopsTasks = wishes('perTaskStopAffordance');
    const carryOut = createControls(open, parts.version, receive, input.waiting, stopsTasks);
    if (claimed !== undefined) {
      const facts = await claimFacts(claimed, open, carryOut, parts.clock.now() - since);
      await printer.control(answerTo(claimed.id, facts));
    } else if (first !== null)
      await printer.control(answerTo(first.id, await carryOut(first.request)));
    const untell = tellCommands(open, printer, parts);
    const silence = wishes('agentProgressSummaries')
      ? tellProgress(open, printer, parts)
      : () => {};
    const suggest = wishes('promptSuggestions') ? createSuggestions(open, printer, parts) : null;
    const ending = AbortSignal.any([parts.ending, failed.signal]);
    const allTold = parts.summarises ? tellCalls(open, printer, parts, ending) : async () => {};
    const [good] = await Promise.all([
      answerAll(
        input,
        open,
        printer,
        command,
        parts.uuid,
        ending,
        wishes('forwardSubagentText'),
        suggest,
      ),
      obey(requests, printer, carryOut, isLateFor(first), fail, ending, (id) =>
        printer.control({
          ...{ type: 'system', subtype: 'control_request_progress', request_id: id },
          ...{ status: 'started', uuid: parts.uuid(), session_id: open.sessionId },
        }),
      ),
      input.done,
    ]).finally(async () => {
      untell();
      silence();
      await allTold();
    });
    return good && !failed.signal.aborted;
  });
}

/** Tells the program of each later list of commands: tool servers bring some, and take them along. */
function tellCommands(
  session: HeadlessSession,
  printer: Printer,
  { uuid }: Pick<HeadlessParts, 'uuid'>,
): () => void {
  let told = JSON.stringify(session.commands());
  return session.onToolServers(() => {
    const commands = session.commands();
    const now = JSON.stringify(commands);
    if (now === told) return;
    told = now;
    const stamp = { uuid: uuid(), session_id: session.sessionId };
    printer
      .control({ type: 'system', subtype: 'commands_changed', commands, ...stamp })
      .catch(() => {});
  });
}

export const effectsOn = (session: HeadlessSession): AnswerEffects => ({
  update: session.updatePermissions,
  interrupt: () => session.interrupt('stopped'),
});

/** Answers prompts one after the other. True when the last one was answered well. */
async function answerAll(
  { prompts, waiting }: JsonInput,
  session: HeadlessSession,
  printer: Printer,
  command: HeadlessCommand,
  newId: () => string,
  ending: AbortSignal,
  showsAgentText: boolean,
  suggestions: Suggestions | null,
): Promise<boolean> {
  let good = true;
  let isOpen = false;
  let silent: Prompt[] = [];
  const states = createSessionStates(printer, session, { uuid: newId });
  let between = NOTHING_BETWEEN;
  const answer = async (prompt: Prompt | null, id?: string, asWritten?: boolean) => {
    await between.done();
    await suggestions?.drop();
    await states.running();
    const done = await answerOne(prompt, session, states.printer, ending, id, asWritten);
    // Reports of sub-agents that still work are answered by themselves.
    if (!session.agentsAtWork()) await states.idle();
    if (prompt !== null) suggestions?.answered(done);
    return done;
  };
  const begin = async () => {
    if (isOpen) return;
    isOpen = true;
    // The first line lists the tools of servers inside the program, which answer at once.
    await session.insideReady();
    await printer.opened(session, showsAgentText);
    between = printBetween(session, states.printer);
  };
  for await (const sent of withNews(prompts, session)) {
    if (ending.aborted) break;
    await begin();
    if (sent === null) {
      good = await answer(null);
    } else if (!sent.ok) {
      good = false;
      await printer.failed(sent.error);
    } else {
      const { prompt, isSilent, isAsWritten } = sent.value;
      if (sent.value.id !== undefined && !waiting.take(sent.value.id)) continue;
      // What a program is told of a prompt names it later, when files go back to it.
      const replays = command.replaysPrompts === true;
      const id = sent.value.id ?? (replays || isAsWritten ? newId() : undefined);
      if (replays) await printer.replayed(prompt, id);
      silent.push(prompt);
      if (isSilent) continue;
      const whole = joined(silent);
      silent = [];
      good = await answer(whole, id, isAsWritten);
    }
  }
  good = await hearAgents(session, states.printer, ending, good, () => between.done());
  await suggestions?.end(ending);
  await between.end();
  if (isOpen) await states.idle();
  return good;
}

const NOTHING_BETWEEN: ReturnType<typeof printBetween> = {
  done: async () => {},
  end: async () => {},
};

/** Joins prompts that are answered together. */
function joined(prompts: readonly Prompt[]): Prompt {
  const [only, ...more] = prompts;
  if (only !== undefined && more.length === 0) return only;
  return prompts.flatMap((prompt) =>
    typeof prompt === 'string' ? [{ type: 'text' as const, text: prompt }] : prompt,
  );
}

/** Yields prompts as they come, and null whenever the model has news to hear while nothing runs. */
async function* withNews(
  prompts: AsyncIterable<Result<SentPrompt>>,
  session: HeadlessSession,
): AsyncGenerator<Result<SentPrompt> | null, void> {
  const iterator = prompts[Symbol.asyncIterator]();
  let next = iterator.next();
  let wake = () => {};
  const unlisten = session.onNews(() => wake());
  try {
    for (;;) {
      const news = new Promise<'news'>((resolve) => {
        wake = () => resolve('news');
        if (session.hasNews()) wake();
      });
      const first = await Promise.race([next, news]);
      if (first === 'news') {
        if (session.hasNews()) yield null;
        continue;
      }
      if (first.done === true) return;
      yield first.value;
      next = iterator.next();
    }
  } finally {
    unlisten();
  }
}

/** The requests whose answer others take their time for. What comes after them does not wait. */
const SLOW: ReadonlySet<string> = new Set([
  'file_suggestions',
  'generate_session_title',
  'mcp_authenticate',
  'mcp_call',
  'mcp_clear_auth',
  'mcp_read_resource',
  'side_question',
]);

/** The requests whose begin is told, so that a program knows that work on them goes on. */
const REPORTED: ReadonlySet<string> = new Set(['side_question']);

/** Does what control requests ask for as soon as they come, also in the middle of a query. */
async function obey(
  requests: AsyncIterator<RunningRequest>,
  printer: Printer,
  carryOut: CarryOut,
  isLate: (request: ControlRequest['request']) => boolean,
  fail: (problem: Fault) => void,
  ending: AbortSignal,
  started: (id: string) => Promise<void>,
) {
  const slow: Promise<void>[] = [];
  for await (const { id, request, withdrawn, over } of { [Symbol.asyncIterator]: () => requests }) {
    if (isLate(request)) {
      await printer.control(refusal(id, LATE));
      fail(LATE);
      return;
    }
    if (REPORTED.has(request.subtype)) await started(id);
    const answered = carryOut(request, withdrawn).then((done) => {
      over();
      return printer.control(answerTo(id, withdrawn.aborted ? err(WITHDRAWN) : done));
    });
    if (SLOW.has(request.subtype)) slow.push(answered.catch(() => {}));
    else await answered;
  }
  const ended = Promise.withResolvers<void>();
  ending.addEventListener('abort', () => ended.resolve(), { once: true });
  if (!ending.aborted) await Promise.race([Promise.all(slow), ended.promise]);
}

/** Returns whether a request begins a run that has begun already, in another way. */
const isLateFor =
  (first: ControlRequest | null) =>
  (request: ControlRequest['request']): boolean =>
    request.subtype === 'initialize' && asksForMore(request, first?.request ?? null);

const WITHDRAWN = fault('withdrawn', 'The program withdrew this request.');

const LATE = fault(
  'late_initialize',
  'initialize came too late: the session runs without what it asks for, so it ends here.',
);
