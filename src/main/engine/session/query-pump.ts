import type { PromptBlock } from '../../../shared/queued-prompt';
import { err, type Fault, fault, type Result } from '../../../shared/result';
import { promptContent } from '../loop/prompt-queue';
import type { Session } from './session';

/** Runs the queries of a session, one after another, and what waits behind them: queued prompts and news of tasks. */
export interface QueryPump {
  /** Something runs: a query, or an act on files that queries wait for. */
  readonly isRunning: boolean;
  readonly isClosed: boolean;
  /** Returns whether an input asks the model; commands and shell lines do not. */
  asksModel(text: string, blocks?: readonly PromptBlock[]): boolean;
  /** Runs a query and what follows. `isWord`: it is a word of the user to the model, with which goes in what waits since a stop. */
  run(query: AsyncIterable<unknown>, isWord: boolean): void;
  /** Goes on with what was just said, behind what runs, also after a stop that still takes effect. */
  goOn(isWord: boolean): void;
  /** Stops what runs, and what would follow; false when nothing runs. */
  stop(): boolean;
  /** Stops what runs, and waits for its end. */
  halt(): Promise<void>;
  /** Stops what runs, and does something; what is sent meanwhile waits, as behind a query. */
  whileIdle<T>(act: () => Promise<Result<T>>): Promise<Result<T>>;
  /** Sends what could have gone in while it was edited. */
  sendEdited(): Promise<void>;
  /** Ends what runs, and begins nothing more. */
  close(): Promise<void>;
}

export const AT_WORK = fault('at_work', 'Lathe is at work already.');
export const CLOSED = fault('closed', 'This session is closed.');

/** Creates the pump of a session. `prepare` is asked before a query that nobody just asked for; a fault keeps it from running. */
export function createQueryPump(
  session: Session,
  prepare: () => Promise<Result<null, Fault>>,
): QueryPump {
  const { engine } = session.main;
  // What waits since the last time waits for a word of the user.
  engine.holdQueue(true);
  let running: Promise<void> | null = null;
  let stopped = false;
  let closed = false;

  const asksModel = (text: string, blocks: readonly PromptBlock[] = []) =>
    blocks.length > 0 || session.isPrompt(text);

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

  /** Returns what to go on with: a steering prompt always; others only when the user did not press stop. */
  const nextQuery = (): AsyncIterable<unknown> | null => {
    const queued = engine.due;
    if (queued && !closed && (!stopped || queued.priority === 'now')) {
      engine.takeToSend(queued.id);
      if (asksModel(queued.text, queued.blocks)) engine.holdQueue(false);
      return session.submit(promptContent(queued), queued.id);
    }
    return !stopped && !closed && session.hasNews() ? session.submit(null) : null;
  };

  /** Counts as running until something has ended. */
  const occupy = (work: Promise<void>) => {
    running = work.finally(() => {
      running = null;
    });
  };

  const holdUnlessWord = (isWord: boolean) => {
    // What waits only because it is edited is not held.
    if (isWord || stopped) engine.holdQueue(!isWord);
  };

  const run: QueryPump['run'] = (query, isWord) => {
    holdUnlessWord(isWord);
    occupy(pump(query));
  };

  const halt = async () => {
    if (running === null) return;
    stopped = true;
    engine.interrupt();
    await running;
  };

  const wake = async () => {
    if (running !== null || closed) return;
    const ready = await prepare();
    if (ready.ok && running === null && !closed && session.hasNews())
      run(session.submit(null), false);
  };
  const unlisten = session.onNews(() => {
    wake().catch(() => {});
  });

  return {
    get isRunning() {
      return running !== null;
    },
    get isClosed() {
      return closed;
    },
    asksModel,
    run,
    goOn: (isWord) => {
      holdUnlessWord(isWord);
      stopped = false;
    },
    stop: () => {
      stopped = true;
      return engine.interrupt();
    },
    halt,
    whileIdle: async (act) => {
      await halt();
      if (closed) return err(CLOSED);
      if (running !== null) return err(AT_WORK);
      // What waits only because it is edited is not held.
      if (stopped) engine.holdQueue(true);
      const acting = act();
      occupy(
        acting.then(() => {
          const waiting = nextQuery();
          return waiting === null ? undefined : pump(waiting);
        }),
      );
      return acting;
    },
    sendEdited: async () => {
      const isDue = () => running === null && !closed && !stopped && engine.due !== null;
      if (!isDue() || !(await prepare()).ok || !isDue()) return;
      const query = nextQuery();
      if (query !== null) occupy(pump(query));
    },
    close: async () => {
      closed = true;
      stopped = true;
      unlisten();
      engine.interrupt('ending');
      await running;
    },
  };
}
