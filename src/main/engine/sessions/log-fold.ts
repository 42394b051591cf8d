import type { DurableEvent } from '../../../shared/agent-event';
import type { Transcript } from '../../../shared/transcript';
import { createHistory, type History } from '../messages/history';
import { foldTranscript, type LogLine } from './load';

/** A log that is folded line by line into what its session goes on with, so that the lines themselves can go. */
export interface LogFold {
  take(line: LogLine): void;
  readonly history: History;
  transcript(): Transcript;
  /**
   * Returns the lines in which tasks, agents, files and waits are looked for, oldest first: all since the last query
   * began, and of those before it what is no finished work.
   */
  lines(): readonly LogLine[];
  /** Returns the time of the last line, epoch milliseconds; null when there was none. */
  lastAt(): number | null;
}

/** Begins the fold of a session's log. */
export function createLogFold(sessionId: string): LogFold {
  const history = createHistory();
  const transcript = foldTranscript(sessionId);
  const before: LogLine[] = [];
  let since: LogLine[] = [];
  let lastAt: number | null = null;
  return {
    history,
    take: (line) => {
      history.fold(line.event);
      transcript.take(line);
      lastAt = line.at;
      if (line.event.type === 'query_started') {
        for (const earlier of since) if (!isFinishedWork(earlier.event)) before.push(earlier);
        since = [];
      }
      since.push(line);
    },
    transcript: transcript.transcript,
    lines: () => [...before, ...since],
    lastAt: () => lastAt,
  };
}

/** Tells whether an event says nothing once its query is over. Nearly all of a long log is such work. */
function isFinishedWork(event: DurableEvent): boolean {
  switch (event.type) {
    case 'block_finished':
    case 'text_replaced':
    case 'message_finished':
    case 'continued':
      return true;
    case 'call_settled':
      // The call of a command may belong to a task that still runs.
      return event.view?.kind !== 'shell';
    default:
      return false;
  }
}
