import { type DurableEvent, LOG_VERSION } from '../../../shared/agent-event';
import type { Spends } from '../../../shared/facts';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { Transcript } from '../../../shared/transcript';
import { createEventLog, type EventLog, encodeLine } from '../event-log';
import { type History, historyOf } from '../messages/history';
import type { Clock, Files, Ids, Locks } from '../ports';
import { cutTornLine, type LoadedLog, type LogLine, loadLog, transcriptOf } from './load';
import { type SessionPaths, sessionPaths, subAgentFile } from './paths';
import { openAgents, repairEvents } from './repair';

/** A session's log, open for more, with what it held. */
export interface OpenLog {
  readonly log: EventLog;
  readonly paths: SessionPaths;
  /** What was said; whoever runs the session folds on. */
  readonly history: History;
  readonly events: readonly DurableEvent[];
  /** How it came to be open. */
  readonly origin: LogOrigin;
  /** When the last of them happened, epoch milliseconds. */
  readonly lastAt: number;
  /** Gives the session free for another process. */
  readonly release: () => Promise<void>;
}

/** A log of a new session, one that was there already, or a copy of one. */
type LogOrigin = 'new' | 'resumed' | 'forked';

export interface LogWorld {
  readonly files: Files;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly locks: Locks;
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
  const lines = [{ at: world.clock.now(), event: started }];
  return openFresh(world, start.sessionId, start.project, lines, 'new');
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
  return openFresh(world, sessionId, source.project, lines, 'forked');
}

/** Opens a session's log again: a torn last line is cut off, what a crash left open is closed. */
export async function resumeLog(
  world: LogWorld,
  source: { readonly file: string; readonly sessionId: string; readonly project: string },
): Promise<Result<OpenLog>> {
  const { sessionId, project } = source;
  return whileHeld(world, sessionId, project, async (release) => {
    const loaded = await loadLog(world.files, source.file);
    if (!loaded.ok) return loaded;
    const cut = await cutTornLine(world.files, source.file, loaded.value);
    if (!cut.ok) return cut;
    const spentBy = await spentByCutAgents(
      world,
      sessionPaths(world.latheHome, project, sessionId),
      loaded.value,
    );
    const lines = withRepairs(loaded.value, world.clock, spentBy);
    const repairs = lines.slice(loaded.value.lines.length);
    const log = await openWith(
      world,
      sessionId,
      project,
      { lines, unwritten: repairs },
      'resumed',
      release,
    );
    if (log.ok) sayBadLines(log.value.log, source.file, loaded.value.badLines);
    return log;
  });
}

function sayBadLines(log: EventLog, file: string, badLines: readonly number[]): void {
  if (badLines.length === 0) return;
  const many = badLines.length !== 1;
  log.append({
    type: 'notice',
    level: 'warning',
    code: 'bad_lines',
    text: `${badLines.length} line${many ? 's' : ''} of this session's file could not be read and ${many ? 'were' : 'was'} passed over (${file}, line ${badLines.slice(0, 5).join(', ')}).`,
  });
}

/** Opens a session under its lock; a session that cannot be opened is given free again. */
async function whileHeld(
  world: LogWorld,
  sessionId: string,
  project: string,
  openIt: (release: () => Promise<void>) => Promise<Result<OpenLog>>,
): Promise<Result<OpenLog>> {
  const { file } = sessionPaths(world.latheHome, project, sessionId);
  const lock = await world.locks.acquire(`${file}.lock`);
  if (!lock.ok) {
    const { pid } = lock.error;
    return err(
      fault(
        'session_busy',
        `Session ${sessionId} is open in another Lathe${pid === null ? '' : ` (process ${pid})`}.`,
        'Close it there, or work on a copy: --fork-session.',
      ),
    );
  }
  const opened = await openIt(lock.value);
  if (!opened.ok) await lock.value();
  return opened;
}

/** Returns what sub-agents spent that a crash cut, by agent id, as their own logs tell. */
async function spentByCutAgents(
  world: LogWorld,
  paths: SessionPaths,
  { lines }: LoadedLog,
): Promise<ReadonlyMap<string, Spends>> {
  const spent = new Map<string, Spends>();
  for (const agentId of openAgents(lines.map(({ event }) => event))) {
    const own = await loadLog(world.files, subAgentFile(paths.folder, agentId));
    if (own.ok) spent.set(agentId, transcriptOf(agentId, own.value.lines).costs.byModel);
  }
  return spent;
}

const withRepairs = (
  loaded: LoadedLog,
  clock: Clock,
  spentBy?: ReadonlyMap<string, Spends>,
): readonly LogLine[] => [
  ...loaded.lines,
  ...repairEvents(
    loaded.lines.map((line) => line.event),
    spentBy,
  ).map((event) => ({
    at: clock.now(),
    event,
  })),
];

async function openFresh(
  world: LogWorld,
  sessionId: string,
  project: string,
  lines: readonly LogLine[],
  origin: LogOrigin,
): Promise<Result<OpenLog>> {
  const { file } = sessionPaths(world.latheHome, project, sessionId);
  const existing = await world.files.stat(file);
  if (existing.ok) {
    return err(
      fault('session_exists', `There is a session ${sessionId} already.`, 'Resume it instead.'),
    );
  }
  return whileHeld(world, sessionId, project, (release) =>
    openWith(world, sessionId, project, { lines, unwritten: lines }, origin, release),
  );
}

async function openWith(
  world: LogWorld,
  sessionId: string,
  project: string,
  {
    lines,
    unwritten,
  }: { readonly lines: readonly LogLine[]; readonly unwritten: readonly LogLine[] },
  origin: LogOrigin,
  release: () => Promise<void>,
): Promise<Result<OpenLog>> {
  const paths = sessionPaths(world.latheHome, project, sessionId);
  const file = await world.files.openAppend(paths.file);
  if (!file.ok) return err(fault(file.error.code, file.error.message));
  const written = await file.value.append(unwritten.map(encodeLine).join(''));
  if (!written.ok) return err(fault(written.error.code, written.error.message));
  const folded = transcriptOf(sessionId, lines);
  // What sub-agents said stands in their own logs, which are read when somebody looks.
  const agents = folded.agents.map((agent) => ({ ...agent, transcript: null }));
  const initial: Transcript = { ...folded, agents };
  const log = createEventLog({
    sessionId,
    epoch: world.ids.next('epo'),
    clock: world.clock,
    file: file.value,
    initial,
  });
  const events = lines.map((line) => line.event);
  const lastAt = lines.at(-1)?.at ?? world.clock.now();
  return ok({ log, paths, history: historyOf(events), events, origin, lastAt, release });
}
