import { type DurableEvent, LOG_VERSION } from '../../../shared/agent-event';
import type { Message } from '../../../shared/message';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { Transcript } from '../../../shared/transcript';
import { createEventLog, type EventLog, encodeLine } from '../event-log';
import { historyOf } from '../messages/history';
import type { Clock, Files, Ids } from '../ports';
import { type LoadedLog, type LogLine, loadLog, transcriptOf } from './load';
import { type SessionPaths, sessionPaths } from './paths';
import { repairEvents } from './repair';

/** A session's log, open for more, with what it held. */
export interface OpenLog {
  readonly log: EventLog;
  readonly paths: SessionPaths;
  readonly history: readonly Message[];
  readonly events: readonly DurableEvent[];
  /** When the last of them happened, epoch milliseconds. */
  readonly lastAt: number;
}

export interface LogWorld {
  readonly files: Files;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly latheHome: string;
}

/** Starts the log of a new session. */
export async function startLog(
  world: LogWorld,
  start: { readonly sessionId: string; readonly project: string; readonly demo: boolean },
): Promise<Result<OpenLog>> {
  const started: DurableEvent = {
    type: 'session_started',
    version: LOG_VERSION,
    cwd: start.project,
    createdAt: world.clock.now(),
    ...(start.demo ? { demo: true } : {}),
  };
  return openFresh(world, start.sessionId, start.project, [
    { at: world.clock.now(), event: started },
  ]);
}

/** Copies a session under a new id; the two go separate ways from here. */
export async function forkLog(
  world: LogWorld,
  source: { readonly file: string; readonly sessionId: string; readonly project: string },
  sessionId: string,
): Promise<Result<OpenLog>> {
  const loaded = await loadLog(world.files, source.file);
  if (!loaded.ok) return loaded;
  const lines = withRepairs(loaded.value, world.clock).map((line) =>
    line.event.type === 'session_started'
      ? { at: line.at, event: { ...line.event, parent: source.sessionId } }
      : line,
  );
  return openFresh(world, sessionId, source.project, lines);
}

/** Opens a session's log again: a torn last line is cut off, what a crash left open is closed. */
export async function resumeLog(
  world: LogWorld,
  source: { readonly file: string; readonly sessionId: string; readonly project: string },
): Promise<Result<OpenLog>> {
  const loaded = await loadLog(world.files, source.file);
  if (!loaded.ok) return loaded;
  const lines = withRepairs(loaded.value, world.clock);
  const repairs = lines.slice(loaded.value.lines.length);
  const opened = await openWith(world, source.sessionId, source.project, lines, repairs);
  if (!opened.ok) return opened;
  const { badLines } = loaded.value;
  if (badLines.length > 0) {
    opened.value.log.append({
      type: 'notice',
      level: 'warning',
      code: 'bad_lines',
      text: `${badLines.length} line${badLines.length === 1 ? '' : 's'} of this session's file could not be read and ${badLines.length === 1 ? 'was' : 'were'} passed over (${source.file}, line ${badLines.slice(0, 5).join(', ')}).`,
    });
  }
  return opened;
}

const withRepairs = (loaded: LoadedLog, clock: Clock): readonly LogLine[] => [
  ...loaded.lines,
  ...repairEvents(loaded.lines.map((line) => line.event)).map((event) => ({
    at: clock.now(),
    event,
  })),
];

async function openFresh(
  world: LogWorld,
  sessionId: string,
  project: string,
  lines: readonly LogLine[],
): Promise<Result<OpenLog>> {
  const { file } = sessionPaths(world.latheHome, project, sessionId);
  const existing = await world.files.stat(file);
  if (existing.ok) {
    return err(
      fault('session_exists', `There is a session ${sessionId} already.`, 'Resume it instead.'),
    );
  }
  return openWith(world, sessionId, project, lines, lines);
}

async function openWith(
  world: LogWorld,
  sessionId: string,
  project: string,
  lines: readonly LogLine[],
  unwritten: readonly LogLine[],
): Promise<Result<OpenLog>> {
  const paths = sessionPaths(world.latheHome, project, sessionId);
  const file = await world.files.openAppend(paths.file);
  if (!file.ok) return err(fault(file.error.code, file.error.message));
  const written = await file.value.append(unwritten.map(encodeLine).join(''));
  if (!written.ok) return err(fault(written.error.code, written.error.message));
  const initial: Transcript = transcriptOf(sessionId, lines);
  const log = createEventLog({
    sessionId,
    epoch: world.ids.next('epo'),
    clock: world.clock,
    file: file.value,
    initial,
  });
  const events = lines.map((line) => line.event);
  const lastAt = lines.at(-1)?.at ?? world.clock.now();
  return ok({ log, paths, history: historyOf(events), events, lastAt });
}
