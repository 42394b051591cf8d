import {
  type AgentEvent,
  DurableEvent,
  LOG_WRITE_FAILED,
  LOG_WRITE_RECOVERED,
  MAIN_AGENT,
  type Stamped,
} from '../../shared/agent-event';
import { foldFrom } from '../../shared/apply-event';
import type { SessionFeed } from '../../shared/contract';
import { snapshotPieces } from '../../shared/snapshot';
import { type AgentTranscript, emptyTranscript, type Transcript } from '../../shared/transcript';
import { createWaker, type Waker } from '../../shared/waker';
import { createLogWriter, type LogWriter, type Loss, NO_LOSS, type WriterNews } from './log-writer';
import type { AppendFile, Clock, FileFault } from './ports';

/** The number of past events a reconnecting subscriber can be given one by one; older ones come as a snapshot. */
export const REPLAY_EVENTS = 5000;
/** The length of their lines from which on there are fewer of them. Characters. */
export const REPLAY_CHARS = 4 * 1024 * 1024;
/** A subscriber further behind than this is given a fresh snapshot instead of every event. */
const BACKLOG_EVENTS = 1000;

/**
 * Everything that happened in one session, in order. The only place events enter a session:
 * it numbers them, writes the durable ones, folds the picture and tells the subscribers.
 */
export interface EventLog {
  readonly sessionId: string;
  readonly epoch: string;
  /** Records an event of an agent; by default, of the main agent. */
  append(event: AgentEvent, agentId?: string): Stamped;
  /** Puts back the conversation of a sub-agent that is taken up again. */
  restoreAgent(agentId: string, transcript: AgentTranscript): void;
  /** Takes the file of one more agent: its durable events go there. */
  addAgentFile(agentId: string, file: AppendFile): void;
  /** Closes the file of an agent that has ended; says so when some of it could not be written. */
  closeAgentFile(agentId: string): Promise<void>;
  /** Subscribe is resume: a snapshot or the missing events, `caught_up`, then live ones until the signal aborts. */
  subscribe(
    since: { readonly epoch: string; readonly seq: number } | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<SessionFeed>;
  /** Ends every subscription, as the signal of each would. */
  endSubscriptions(): void;
  /** Called for every event, in order, at once. Gives a function that ends it. */
  listen(listener: (stamped: Stamped) => void): () => void;
  transcript(): Transcript;
  /** Returns what waits at the moment: for the disk, and for those who look on. */
  load(): LogLoad;
  /** Resolves when every durable event so far is with the system. */
  flush(): Promise<void>;
  /**
   * Tries what still waits a last time and closes the files. Returns what is lost with that, in words for the user; null
   * when all is written.
   */
  close(): Promise<string | null>;
  /** Returns what the disk said when something was lost; null before the end. */
  lostTo(): FileFault['code'] | null;
}

/** The backlog of a log: characters that are not on the disk yet, and events that its slowest watcher has not taken. */
interface LogLoad {
  readonly unwritten: number;
  readonly watchers: number;
  readonly behind: number;
}

const DURABLE: ReadonlySet<string> = new Set(
  DurableEvent.options.map((option) => option.shape.type.value),
);

/** Tells whether an event belongs in the session's file. */
export const isDurable = (event: AgentEvent): event is DurableEvent => DURABLE.has(event.type);

/** One line of a session's file. */
export const encodeLine = (stamped: {
  readonly at: number;
  readonly event: DurableEvent;
}): string => `${JSON.stringify({ at: stamped.at, event: stamped.event })}\n`;

interface EventLogOptions {
  readonly sessionId: string;
  readonly epoch: string;
  readonly clock: Clock;
  /** The file of durable events; absent for a session that is not kept. */
  readonly file?: AppendFile;
  /** Whole lines that stand in the picture and not in the file yet. */
  readonly unwritten?: string;
  /** The picture of what was in the file when it was opened. */
  readonly initial?: Transcript;
}

/** Opens a log. Write failures (disk full) become one error notice; the session goes on. */
export function createEventLog(options: EventLogOptions): EventLog {
  const { sessionId, epoch, clock, file } = options;
  const fold = foldFrom({
    ...(options.initial ?? emptyTranscript(sessionId, epoch)),
    epoch,
    seq: 0,
  });
  let seq = 0;
  /** The past events: when the newer ones are enough by themselves, the older ones are given up. */
  let older: readonly Stamped[] = [];
  let newer: Stamped[] = [];
  let newerChars = 0;
  const writers = new Map<string, LogWriter>();
  /** The watchers, each with the last event it took. */
  const subscribers = new Map<Waker, () => number>();
  const listeners = new Set<(stamped: Stamped) => void>();
  let lostTo: FileFault['code'] | null = null;

  const append = (event: AgentEvent, agentId = MAIN_AGENT): Stamped => {
    seq += 1;
    const stamped: Stamped = { sessionId, agentId, epoch, seq, at: clock.date(), event };
    fold.apply(stamped);
    newer.push(stamped);
    if (isDurable(event)) {
      const line = encodeLine({ at: stamped.at, event });
      newerChars += line.length;
      writers.get(agentId)?.write(line);
    }
    if (newer.length >= REPLAY_EVENTS || newerChars >= REPLAY_CHARS) {
      older = newer;
      newer = [];
      newerChars = 0;
    }
    for (const listener of listeners) listener(stamped);
    for (const waker of subscribers.keys()) waker.wake();
    return stamped;
  };

  const addAgentFile = (agentId: string, target: AppendFile) => {
    writers.set(
      agentId,
      createLogWriter(target, clock, (news) => void append(writerNotice(news))),
    );
  };
  if (file) addAgentFile(MAIN_AGENT, file);
  if (options.unwritten) writers.get(MAIN_AGENT)?.write(options.unwritten);

  /** Returns the events after `from`; null when they are no longer all here. */
  const eventsSince = (from: number): readonly Stamped[] | null => {
    const middle = newer[0]?.seq ?? seq + 1;
    const first = older[0]?.seq ?? middle;
    if (from > seq || from + 1 < first) return null;
    const later = newer.slice(Math.max(0, from + 1 - middle));
    return from + 1 < middle ? [...older.slice(from + 1 - first), ...later] : later;
  };

  async function* subscribe(
    since: { readonly epoch: string; readonly seq: number } | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<SessionFeed> {
    const waker = createWaker(signal);
    let position = since?.epoch === epoch ? since.seq : -1;
    subscribers.set(waker, () => position);
    try {
      const missing = position < 0 ? null : eventsSince(position);
      if (missing === null) {
        position = seq;
        yield* snapshotPieces(fold.transcript());
      } else {
        for (const stamped of missing) {
          position = stamped.seq;
          yield { type: 'event', stamped };
        }
      }
      yield { type: 'caught_up' };
      while (await waker.wait()) {
        const fresh = seq - position > BACKLOG_EVENTS ? null : eventsSince(position);
        if (fresh === null) {
          position = seq;
          yield* snapshotPieces(fold.transcript());
          continue;
        }
        for (const stamped of fresh) {
          position = stamped.seq;
          yield { type: 'event', stamped };
        }
      }
    } finally {
      subscribers.delete(waker);
      waker.close();
    }
  }

  return {
    sessionId,
    epoch,
    append,
    subscribe,
    endSubscriptions: () => {
      for (const waker of subscribers.keys()) waker.close();
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    transcript: fold.transcript,
    load: () => ({
      unwritten: [...writers.values()].reduce((sum, writer) => sum + writer.waiting(), 0),
      watchers: subscribers.size,
      behind: Math.max(0, ...[...subscribers.values()].map((position) => seq - position())),
    }),
    restoreAgent: fold.restoreAgent,
    addAgentFile,
    closeAgentFile: async (agentId) => {
      const writer = writers.get(agentId);
      writers.delete(agentId);
      const lost = lossText((await writer?.close()) ?? NO_LOSS);
      if (lost !== null)
        append({ type: 'notice', level: 'error', code: 'agent_log_lost', text: lost });
    },
    flush: async () => {
      await Promise.all([...writers.values()].map((writer) => writer.flush()));
    },
    lostTo: () => lostTo,
    close: async () => {
      const losses = await Promise.all([...writers.values()].map((writer) => writer.close()));
      const fault = losses.find((one) => one.fault !== null)?.fault ?? null;
      lostTo = fault?.code ?? null;
      return lossText({
        chars: losses.reduce((sum, { chars }) => sum + chars, 0),
        fault,
      });
    },
  };
}

/** Says what is lost; null when nothing is. */
const lossText = ({ chars, fault }: Loss): string | null =>
  chars === 0
    ? null
    : `${Math.ceil(chars / 1024)} kB of this conversation could not be saved and is lost: ${fault?.message}`;

/** Returns the notice about a disk that takes no more lines, or that takes them again. */
const writerNotice = (news: WriterNews): AgentEvent => {
  if (news.kind === 'failed') {
    return {
      type: 'notice',
      level: 'error',
      code: LOG_WRITE_FAILED,
      text: `This conversation cannot be saved at the moment: ${news.message}`,
      fix: 'Make room on the disk, or let Lathe write there. What is on screen is saved as soon as that is possible; until then it would be lost on exit.',
    };
  }
  return news.lost === 0
    ? {
        type: 'notice',
        level: 'info',
        code: LOG_WRITE_RECOVERED,
        text: 'This conversation is saved again, and nothing of it is missing.',
      }
    : {
        type: 'notice',
        level: 'error',
        code: LOG_WRITE_RECOVERED,
        text: `This conversation is saved again, but its log misses ${Math.ceil(news.lost / 1024)} kB of what happened meanwhile.`,
      };
};
