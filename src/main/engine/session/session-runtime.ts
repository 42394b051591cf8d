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
import type { ConfigureRequest, Session } from './session';

/**
 * An open session of a window: runs one query after another and feeds queued prompts and task news to the engine.
 */
export interface SessionRuntime {
  readonly session: Session;
  /** Tells whether it can be closed and opened again without anybody noticing: nothing runs or waits, nobody looks on. */
  isIdle(): boolean;
  /**
   * Takes what the person typed: a prompt with its blocks, a command of Lathe, or a shell line. What is sent again
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
  /** Keeps a queued prompt, and what waits behind it, until the signal: a person edits it. */
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
  // What waits since the last time waits for a word of the person.
  engine.holdQueue(true);
  let pumping: Promise<void> | null = null;
  let stopped = false;
  let closed = false;
  let stops = 0;

  const pump = async (first: AsyncIterable<unknown>): Promise<void> => {
    let query: AsyncIterable<unknown> | null = first;
    while (query !== null) {
      stopped = false;
      for await (const _ of query) {
        // The log already has each event and tells its subscribers.
      }
      query = nextQuery();
    }
  };

  /** Returns what to go on with: a steering prompt always; others only when the person did not press stop. */
  const nextQuery = (): AsyncIterable<unknown> | null => {
    const queued = engine.due;
    if (queued && !closed && (!stopped || queued.priority === 'now')) {
      engine.takeToSend(queued.id);
      if (asksModel(queued.text, queued.blocks)) engine.holdQueue(false);
      return session.submit(promptContent(queued), queued.id);
    }
    return !stopped && !closed && session.hasNews() ? session.submit(null) : null;
  };

  const kindOf = (text: string, blocks: readonly PromptBlock[]) =>
    blocks.length === 0 ? session.route(text).kind : 'prompt';
  const asksModel = (text: string, blocks: readonly PromptBlock[] = []) =>
    blocks.length > 0 || session.isPrompt(text);

  const start = (query: AsyncIterable<unknown>) => {
    pumping = pump(query).finally(() => {
      pumping = null;
    });
  };

  /** Runs a query and what follows. What waits since a stop goes in only with a word of the person to the model. */
  const run = (query: AsyncIterable<unknown>, isWord: boolean) => {
    // What waits only because it is edited is not held.
    if (isWord || stopped) engine.holdQueue(!isWord);
    start(query);
  };

  /** Stops what runs, and waits for its end. */
  const halt = async () => {
    if (pumping === null) return;
    stopped = true;
    engine.interrupt();
    await pumping;
  };

  /** Stops what runs, and does something with files; what is sent meanwhile waits, as behind a query. */
  const whileIdle = async (
    act: () => Promise<Result<RestoreReport>>,
  ): Promise<Result<RestoreReport>> => {
    await halt();
    if (closed) return err(CLOSED);
    if (pumping !== null) return err(AT_WORK);
    // What waits only because it is edited is not held.
    if (stopped) engine.holdQueue(true);
    const acting = act();
    pumping = acting
      .then(() => {
        const waiting = nextQuery();
        return waiting === null ? undefined : pump(waiting);
      })
      .finally(() => {
        pumping = null;
      });
    return acting;
  };

  /** Sends what could have gone in while it was edited. */
  const sendEdited = async () => {
    const isDue = () => pumping === null && !closed && !stopped && engine.due !== null;
    if (!isDue() || !(await options.prepare()).ok || !isDue()) return;
    const query = nextQuery();
    if (query !== null) start(query);
  };

  const wake = async () => {
    if (pumping !== null || closed) return;
    const ready = await options.prepare();
    if (ready.ok && pumping === null && !closed && session.hasNews())
      run(session.submit(null), false);
  };
  const unlisten = session.onNews(() => {
    wake().catch(() => {});
  });

  const take: SessionRuntime['submit'] = async (text, priority, blocks = [], promptId) => {
    if (closed) return err(CLOSED);
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
    if (stops > before && (pumping !== null || priority !== 'now')) return wait();
    const isWord = asksModel(text, blocks);
    if (pumping !== null) {
      // Said after a stop that still takes effect, it is what to go on with.
      if (isWord || stopped) engine.holdQueue(!isWord);
      stopped = false;
      return wait();
    }
    // A shell line needs no model.
    const ready = kind === 'shell' ? ok(null) : await options.prepare();
    if (!ready.ok) return ready;
    if (closed) return err(CLOSED);
    if (pumping !== null) {
      // News of a task came first; the person has spoken all the same.
      if (isWord && stops === before) engine.holdQueue(false);
      return wait();
    }
    run(session.submit(promptContent({ text, blocks }), promptId), isWord);
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
      if (pumping !== null) return err(AT_WORK);
      const ready = await options.prepare();
      if (!ready.ok) return ready;
      if (closed) return err(CLOSED);
      if (pumping !== null) return err(AT_WORK);
      if (forSession) session.liftLimit();
      const last = lastEnd(session.log.transcript());
      run(engine.continueWork(last?.cut === true ? CUT : last?.failure ? FAILED : undefined), true);
      return ok(null);
    },
    takeUp: async () => {
      const wait = session.cutWait;
      if (wait === null || !wasCut(session.log.transcript())) return;
      const ready = await options.prepare();
      if (ready.ok && pumping === null && !closed)
        run(engine.continueWork({ reason: 'restarted', wait }), true);
    },
    stop: () => {
      stopped = true;
      stops += 1;
      return engine.interrupt() ? ok(null) : err(fault('not_running', 'Nothing is running.'));
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
      if (change.priority !== 'now' || pumping !== null) return ok(null);
      const ready = await options.prepare();
      if (!ready.ok) return ready;
      const prompt = pumping === null ? engine.takeToSend(promptId) : null;
      if (prompt)
        run(
          session.submit(promptContent(prompt), prompt.id),
          asksModel(prompt.text, prompt.blocks),
        );
      return ok(null);
    },
    editQueued: async (promptId, signal) => {
      if (!engine.queue.some(({ id }) => id === promptId)) return err(ALREADY_SENT);
      const end = engine.editQueued(promptId);
      await untilAborted(new Promise(() => {}), signal);
      end();
      await sendEdited();
      return ok(null);
    },
    prompt: (promptId) => {
      const prompt = promptIn(session.main.state.history(), promptId);
      return prompt === null ? err(NO_PROMPT) : ok(prompt);
    },
    rewind: async (promptId, restored) => {
      if (promptIn(session.main.state.history(), promptId) === null) return err(NO_PROMPT);
      await halt();
      if (closed) return err(CLOSED);
      const prompt = session.rewind(promptId, restored);
      return prompt === null ? err(NO_PROMPT) : ok(prompt);
    },
    restoreFiles: (point, overwrite) =>
      whileIdle(() => session.checkpoints.restore(point, overwrite)),
    revertHunk: (path, now, hunk) =>
      whileIdle(() => session.checkpoints.revertHunk(path, now, hunk)),
    changeContext: async (act) => {
      const { state } = session.main;
      if (isQuick(act)) return actQuickly(act, state, engine);
      if (pumping !== null) return err(AT_WORK);
      const ready = act.kind === 'draft' ? await options.prepare() : ok(null);
      if (!ready.ok) return ready;
      if (closed) return err(CLOSED);
      if (pumping !== null) return err(AT_WORK);
      run(actAsQuery(act, state, engine), false);
      return ok(null);
    },
    isIdle: () => {
      const { approvals, unsaved, committed, active } = session.log.transcript();
      const { watchers, unwritten } = session.log.load();
      const waiting = engine.queue.length + approvals.length + watchers + unwritten;
      const isSaid = committed.length + active.length > 0 && unsaved === null;
      const rests = pumping === null && !closed && waiting === 0 && !session.hasNews();
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
      const { ok: stoppedAll, message, report } = await session.tasks.stopByPerson(taskId);
      return stoppedAll ? ok(report) : err(fault('not_stopped', message));
    },
    close: async ({ keepTasks }) => {
      closed = true;
      stopped = true;
      unlisten();
      engine.interrupt('ending');
      await pumping;
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
const AT_WORK = fault('at_work', 'Lathe is at work already.');
const CLOSED = fault('closed', 'This session is closed.');

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
