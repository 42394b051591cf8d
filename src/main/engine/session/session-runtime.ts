import type { RestorePoint, RestoreReport } from '../../../shared/checkpoint';
import type { ContextAct } from '../../../shared/context-act';
import type { ApprovalAnswer } from '../../../shared/permission';
import type { PromptBlock, PromptParts, PromptPriority } from '../../../shared/queued-prompt';
import { err, type Fault, fault, ok, type Result } from '../../../shared/result';
import { isSettled } from '../../../shared/task';
import type { KillReport } from '../../../shared/terminal';
import type { Transcript } from '../../../shared/transcript';
import type { RoutedInput } from '../input/commands';
import type { PromptChange } from '../loop/prompt-queue';
import { promptContent } from '../loop/prompt-queue';
import type { QueryEngine } from '../query-engine';
import { promptIn } from '../sessions/branch';
import type { KeptTasks } from '../tasks/task-manager';
import { untilAborted } from '../until-aborted';
import { actAsQuery, actQuickly, isQuick } from './context-acts';
import { AT_WORK, CLOSED, createQueryPump } from './query-pump';
import type { ConfigureRequest, Session } from './session';

/**
 * An open session of a window: runs one query after another and feeds queued prompts and task news to the engine.
 */
export interface SessionRuntime {
  readonly session: Session;
  /** Tells whether it can be closed and opened again without anybody noticing: nothing runs or waits, nobody looks on. */
  isIdle(): boolean;
  /**
   * Takes what the user typed: a prompt with its blocks, a command of Lathe, or a shell line. What is sent again
   * under the same `promptId`, because its answer was lost, is taken once.
   */
  submit(
    text: string,
    priority: PromptPriority | undefined,
    blocks?: readonly PromptBlock[],
    promptId?: string,
  ): Promise<Result<null>>;
  /**
   * Goes on where the end of Lathe cut the work, a failure of the API ended it, or a limit of turns or money stopped it, with
   * limits as at the beginning.
   * With `forSession` the one that is reached no longer holds in this session.
   */
  continueWork(forSession?: boolean): Promise<Result<null>>;
  /** Takes up a wait for the API that the end of Lathe cut; then the work goes on. Nothing when there was none. */
  takeUp(): Promise<void>;
  stop(): Result<null>;
  takeBack(promptId: string): Result<PromptParts>;
  /** Edits, moves or reprioritises a queued prompt. One that is to go in now starts a query when none runs. */
  changeQueued(promptId: string, change: PromptChange): Promise<Result<null>>;
  /** Keeps a queued prompt, and what waits behind it, until the signal: a user edits it. */
  editQueued(promptId: string, signal: AbortSignal): Promise<Result<null>>;
  /** Returns a prompt of the conversation. */
  prompt(promptId: string): Result<PromptParts>;
  /**
   * Goes back to before a prompt, which it gives to be changed and sent again; what runs is stopped first. The log
   * keeps what came after.
   */
  rewind(promptId: string, restored?: string): Promise<Result<PromptParts>>;
  /** Gives files back their state; what runs is stopped first, and waits for it. */
  restoreFiles(point: RestorePoint, overwrite: boolean): Promise<Result<RestoreReport>>;
  /** Takes one hunk of what the session changed in a file back, in the same way. */
  revertHunk(path: string, now: string, hunk: number): Promise<Result<RestoreReport>>;
  /** Changes what is sent of the conversation; what takes time runs as a query. */
  changeContext(act: ContextAct): Promise<Result<null>>;
  /** Ends the pause before the next try of a request. */
  retryNow(): Result<null>;
  /** Takes the answer to a question. An error leaves the question standing. */
  answer(approvalId: string, answer: ApprovalAnswer): Promise<Result<null>>;
  /** Denies what waits for an answer: the window it was asked in was closed. */
  denyPending(): void;
  background(callId: string): Result<null>;
  /** Stops one call; the others go on. */
  cancelCall(callId: string): Result<null>;
  configure(change: ConfigureRequest): Promise<Result<null>>;
  stopTask(taskId: string): Promise<Result<KillReport>>;
  /** Ends the query and (unless they are to go on) every task, flushes the log. */
  close(options: { readonly keepTasks: KeptTasks }): Promise<string | null>;
}

export interface SessionRuntimeOptions {
  readonly session: Session;
  /** Brings settings and connection up to date before a query; says why it cannot start. */
  readonly prepare: () => Promise<Result<null, Fault>>;
}

/** Wraps an open session. */
export function createSessionRuntime(options: SessionRuntimeOptions): SessionRuntime {
  const { session } = options;
  const { engine } = session.main;
  const pump = createQueryPump(session, options.prepare);
  /** The number of stops so far. */
  let stops = 0;
  const kindOf = (text: string, blocks: readonly PromptBlock[]) =>
    blocks.length === 0 ? session.route(text).kind : 'prompt';

  const take: SessionRuntime['submit'] = async (text, priority, blocks = [], promptId) => {
    if (pump.isClosed) return err(CLOSED);
    const before = stops;
    // In the window, the words go back into the message box.
    const refused = blocks.length === 0 ? await session.refusal(text) : null;
    if (refused !== null) return err(refused);
    const kind = kindOf(text, blocks);
    const wait = async () => {
      const waits = enqueue(engine, text, waitsAs(kind, priority ?? 'next'), blocks, promptId);
      // Who is told that it waits may forget it.
      await session.log.flush();
      return waits;
    };
    // A stop that came behind it holds for it, too.
    if (stops > before && (pump.isRunning || priority !== 'now')) return wait();
    const isWord = pump.asksModel(text, blocks);
    if (pump.isRunning) {
      pump.goOn(isWord);
      return wait();
    }
    // A shell line needs no model.
    const ready = kind === 'shell' ? ok(null) : await options.prepare();
    if (!ready.ok) return ready;
    if (pump.isClosed) return err(CLOSED);
    if (pump.isRunning) {
      // News of a task came first; the user has spoken all the same.
      if (isWord && stops === before) engine.holdQueue(false);
      return wait();
    }
    pump.run(session.submit(promptContent({ text, blocks }), promptId), isWord);
    return ok(null);
  };
  const taken = new Map<string, Promise<Result<null>>>();

  return {
    session,
    submit: (text, priority, blocks, promptId) => {
      if (promptId === undefined) return take(text, priority, blocks);
      const before = taken.get(promptId);
      if (before) return before;
      if (isKnown(session.log.transcript(), promptId)) return Promise.resolve(ok(null));
      const now = take(text, priority, blocks, promptId).then((result) => {
        if (!result.ok) taken.delete(promptId);
        return result;
      });
      taken.set(promptId, now);
      for (const oldest of [...taken.keys()].slice(0, -TAKEN_KEPT)) taken.delete(oldest);
      return now;
    },
    continueWork: async (forSession = false) => {
      if (pump.isRunning) return err(AT_WORK);
      const ready = await options.prepare();
      if (!ready.ok) return ready;
      if (pump.isClosed) return err(CLOSED);
      if (pump.isRunning) return err(AT_WORK);
      if (forSession) session.liftLimit();
      const last = lastEnd(session.log.transcript());
      pump.run(
        engine.continueWork(last?.cut === true ? CUT : last?.failure ? FAILED : undefined),
        true,
      );
      return ok(null);
    },
    takeUp: async () => {
      const wait = session.cutWait;
      if (wait === null || !wasCut(session.log.transcript())) return;
      const ready = await options.prepare();
      if (ready.ok && !pump.isRunning && !pump.isClosed)
        pump.run(engine.continueWork({ reason: 'restarted', wait }), true);
    },
    stop: () => {
      stops += 1;
      return pump.stop() ? ok(null) : err(fault('not_running', 'Nothing is running.'));
    },
    takeBack: (promptId) => {
      const prompt = engine.takeBack(promptId);
      if (prompt === null) return err(ALREADY_SENT);
      const { text, blocks = [] } = prompt;
      return ok({ text, blocks });
    },
    changeQueued: async (promptId, change) => {
      const queued = engine.queue.find(({ id }) => id === promptId);
      if (queued === undefined) return err(ALREADY_SENT);
      const kind = kindOf(change.text ?? queued.text, queued.blocks ?? []);
      const priority = waitsAs(kind, change.priority ?? queued.priority);
      engine.changeQueued(promptId, { ...change, priority });
      if (change.priority !== 'now' || pump.isRunning) return ok(null);
      const ready = await options.prepare();
      if (!ready.ok) return ready;
      const prompt = pump.isRunning ? null : engine.takeToSend(promptId);
      if (prompt)
        pump.run(
          session.submit(promptContent(prompt), prompt.id),
          pump.asksModel(prompt.text, prompt.blocks),
        );
      return ok(null);
    },
    editQueued: async (promptId, signal) => {
      if (!engine.queue.some(({ id }) => id === promptId)) return err(ALREADY_SENT);
      const end = engine.editQueued(promptId);
      await untilAborted(new Promise(() => {}), signal);
      end();
      await pump.sendEdited();
      return ok(null);
    },
    prompt: (promptId) => {
      const prompt = promptIn(session.main.state.history(), promptId);
      return prompt === null ? err(NO_PROMPT) : ok(prompt);
    },
    rewind: async (promptId, restored) => {
      if (promptIn(session.main.state.history(), promptId) === null) return err(NO_PROMPT);
      await pump.halt();
      if (pump.isClosed) return err(CLOSED);
      const prompt = session.rewind(promptId, restored);
      return prompt === null ? err(NO_PROMPT) : ok(prompt);
    },
    restoreFiles: (point, overwrite) =>
      pump.whileIdle(() => session.checkpoints.restore(point, overwrite)),
    revertHunk: (path, now, hunk) =>
      pump.whileIdle(() => session.checkpoints.revertHunk(path, now, hunk)),
    changeContext: async (act) => {
      const { state } = session.main;
      if (isQuick(act)) return actQuickly(act, state, engine);
      if (pump.isRunning) return err(AT_WORK);
      const ready = act.kind === 'draft' ? await options.prepare() : ok(null);
      if (!ready.ok) return ready;
      if (pump.isClosed) return err(CLOSED);
      if (pump.isRunning) return err(AT_WORK);
      pump.run(actAsQuery(act, state, engine), false);
      return ok(null);
    },
    isIdle: () => {
      const { approvals, unsaved, committed, active } = session.log.transcript();
      const { watchers, unwritten } = session.log.load();
      const waiting = engine.queue.length + approvals.length + watchers + unwritten;
      const isSaid = committed.length + active.length > 0 && unsaved === null;
      const rests = !pump.isRunning && !pump.isClosed && waiting === 0 && !session.hasNews();
      const works = session.tasks.list().some(({ status }) => !isSettled(status));
      return isSaid && rests && !works && !session.holdsMore();
    },
    retryNow: () =>
      session.retryNow() ? ok(null) : err(fault('not_waiting', 'The next try has already begun.')),
    answer: async (approvalId, answer) =>
      session.broker === null
        ? err(fault('gone', 'Nobody is asked in this session.'))
        : session.broker.answer(approvalId, answer),
    denyPending: () => session.broker?.denyAll(),
    background: (callId) =>
      session.background(callId)
        ? ok(null)
        : err(fault('not_running', 'That command is no longer running.')),
    cancelCall: (callId) =>
      session.cancelCall(callId)
        ? ok(null)
        : err(fault('not_running', 'That call has ended already.')),
    configure: session.reconfigure,
    stopTask: async (taskId) => {
      const { ok: stoppedAll, message, report } = await session.tasks.stopByUser(taskId);
      return stoppedAll ? ok(report) : err(fault('not_stopped', message));
    },
    close: async ({ keepTasks }) => {
      await pump.close();
      return session.close({ keepTasks });
    },
  };
}

/** Returns the priority of an input: commands and shell lines come after the model's work, not into it. */
const waitsAs = (kind: RoutedInput['kind'], priority: PromptPriority): PromptPriority =>
  kind === 'prompt' ? priority : 'later';

/** Messages whose ids are remembered, so that one sent again is taken once. A page resends within minutes. */
const TAKEN_KEPT = 256;

/** Tells whether the end of Lathe cut the last piece of work. */
const wasCut = (transcript: Transcript): boolean => lastEnd(transcript)?.cut === true;

const CUT = { reason: 'restarted', wait: null } as const;
const FAILED = { reason: 'asked_again' } as const;

/** Returns how the last query ended; undefined before the first one has. */
const lastEnd = ({ committed, active }: Transcript) =>
  [...committed, ...active].filter((item) => item.kind === 'end').at(-1);

/** Tells whether a prompt stands in the conversation or waits, for example since before a restart. */
const isKnown = ({ committed, active, queue }: Transcript, promptId: string): boolean =>
  queue.some(({ id }) => id === promptId) ||
  [active, committed].some((items) =>
    items.some((item) => item.kind === 'prompt' && item.id === promptId),
  );

const ALREADY_SENT = fault('gone', 'That message was already sent.');
const NO_PROMPT = fault('gone', 'That message is no longer part of this conversation.');

function enqueue(
  engine: QueryEngine,
  text: string,
  priority: PromptPriority,
  blocks: readonly PromptBlock[],
  promptId: string | undefined,
): Result<null> {
  if (engine.enqueue(text, priority, blocks, promptId) === null) {
    return err(fault('queue_full', 'Too many messages are waiting.', 'Take some back first.'));
  }
  return ok(null);
}
