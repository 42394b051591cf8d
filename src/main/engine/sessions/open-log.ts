import { type DurableEvent, LOG_VERSION } from '../../../shared/agent-event';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { Transcript } from '../../../shared/transcript';
import { createEventLog, type EventLog, encodeLine } from '../event-log';
import { type History, historyOf } from '../messages/history';
import type { Clock, Files, Ids, Locks } from '../ports';
import {
  type AgentLog,
  copyAgentLogs,
  loadAgentLogs,
  mergeLines,
  repairAgentLogs,
  totalsOf,
} from './agent-logs';
import { cutTornLine, type LoadedLog, type LogLine, loadLog, transcriptOf } from './load';
import { type SessionPaths, sessionPaths } from './paths';
import { cutAgents, repairEvents, startedAgents } from './repair';

/** A session's log, open for more, with what it held. */
export interface OpenLog {
  readonly log: EventLog;
  readonly paths: SessionPaths;
  /** The history; whoever runs the session folds on. */
  readonly history: History;
  readonly events: readonly DurableEvent[];
  /** The events that tell of tasks: `events` and those of sub-agents that a crash cut, in order of time. */
  readonly taskEvents: readonly DurableEvent[];
  /** The way it came to be open. */
  readonly origin: LogOrigin;
  /** The time of the last of them, epoch milliseconds. */
  readonly lastAt: number;
  /** Gives the session free for another process. */
  readonly release: () => Promise<void>;
}

/** A log of a new session, one that was there already, or a copy of one. */
type LogOrigin = 'new' | 'resumed' | 'forked';

export interface LogServices {
  readonly files: Files;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly locks: Locks;
  readonly latheHome: string;
}

/** Starts the log of a new session. */
export async function startLog(
  services: LogServices,
  start: { readonly sessionId: string; readonly project: string; readonly demo: boolean },
): Promise<Result<OpenLog>> {
  const started: DurableEvent = {
    type: 'session_started',
    version: LOG_VERSION,
    cwd: start.project,
    createdAt: services.clock.now(),
    ...(start.demo ? { demo: true } : {}),
  };
  const lines = [{ at: services.clock.now(), event: started }];
  return openFresh(services, start.sessionId, start.project, { lines, origin: 'new' });
}

/** Copies a session under a new id; the two go separate ways from here. */
export async function forkLog(
  services: LogServices,
  source: { readonly file: string; readonly sessionId: string; readonly project: string },
  sessionId: string,
): Promise<Result<OpenLog>> {
  const loaded = await loadLog(services.files, source.file);
  if (!loaded.ok) return loaded;
  const { folder } = sessionPaths(services.latheHome, source.project, source.sessionId);
  const events = loaded.value.lines.map(({ event }) => event);
  const ids = startedAgents(events).map(({ id }) => id);
  const agents = await loadAgentLogs(services.files, folder, ids, services.clock.now());
  const lines = withRepairs(loaded.value, services.clock, agents).map((line) =>
    line.event.type === 'session_started'
      ? { at: line.at, event: { ...line.event, parent: source.sessionId } }
      : line,
  );
  return openFresh(services, sessionId, source.project, { lines, agents, origin: 'forked' });
}

/** Opens a session's log again: a torn last line is cut off, what a crash left open is closed. */
export async function resumeLog(
  services: LogServices,
  source: { readonly file: string; readonly sessionId: string; readonly project: string },
): Promise<Result<OpenLog>> {
  const { sessionId, project } = source;
  return whileHeld(services, sessionId, project, async (release) => {
    const loaded = await loadLog(services.files, source.file);
    if (!loaded.ok) return loaded;
    const cut = await cutTornLine(services.files, source.file, loaded.value);
    if (!cut.ok) return cut;
    const { folder } = sessionPaths(services.latheHome, project, sessionId);
    const ids = cutAgents(loaded.value.lines.map(({ event }) => event));
    const agents = await loadAgentLogs(services.files, folder, ids, services.clock.now());
    const repaired = await repairAgentLogs(services.files, folder, agents);
    if (!repaired.ok) return repaired;
    const lines = withRepairs(loaded.value, services.clock, agents);
    const unwritten = lines.slice(loaded.value.lines.length);
    const content = { lines, unwritten, agents, origin: 'resumed' as const };
    const log = await openWith(services, sessionId, project, content, release);
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
  services: LogServices,
  sessionId: string,
  project: string,
  openIt: (release: () => Promise<void>) => Promise<Result<OpenLog>>,
): Promise<Result<OpenLog>> {
  const { file } = sessionPaths(services.latheHome, project, sessionId);
  const lock = await services.locks.acquire(`${file}.lock`);
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

const withRepairs = (
  { lines }: LoadedLog,
  clock: Clock,
  agents: readonly AgentLog[],
): readonly LogLine[] => {
  const at = clock.now();
  return [...lines, ...repairEvents(lines, totalsOf(agents)).map((event) => ({ at, event }))];
};

/** The content of a log when it is opened. */
interface Content {
  readonly lines: readonly LogLine[];
  /** The logs of its sub-agents that matter now. Default: none. */
  readonly agents?: readonly AgentLog[];
  readonly origin: LogOrigin;
}

async function openFresh(
  services: LogServices,
  sessionId: string,
  project: string,
  content: Content,
): Promise<Result<OpenLog>> {
  const { file, folder } = sessionPaths(services.latheHome, project, sessionId);
  const existing = await services.files.stat(file);
  if (existing.ok) {
    return err(
      fault('session_exists', `There is a session ${sessionId} already.`, 'Resume it instead.'),
    );
  }
  return whileHeld(services, sessionId, project, async (release) => {
    const copied = await copyAgentLogs(services.files, folder, content.agents ?? []);
    if (!copied.ok) return copied;
    const unwritten = content.lines;
    return openWith(services, sessionId, project, { ...content, unwritten }, release);
  });
}

async function openWith(
  services: LogServices,
  sessionId: string,
  project: string,
  {
    lines,
    unwritten,
    agents: agentLogs = [],
    origin,
  }: Content & { readonly unwritten: readonly LogLine[] },
  release: () => Promise<void>,
): Promise<Result<OpenLog>> {
  const paths = sessionPaths(services.latheHome, project, sessionId);
  const file = await services.files.openAppend(paths.file);
  if (!file.ok) return err(fault(file.error.code, file.error.message));
  const written = await file.value.append(unwritten.map(encodeLine).join(''));
  if (!written.ok) return err(fault(written.error.code, written.error.message));
  const folded = transcriptOf(sessionId, lines);
  // What sub-agents said stands in their own logs, which are read when somebody looks.
  const agents = folded.agents.map((agent) => ({ ...agent, transcript: null }));
  const initial: Transcript = { ...folded, agents };
  const log = createEventLog({
    sessionId,
    epoch: services.ids.next('epo'),
    clock: services.clock,
    file: file.value,
    initial,
  });
  const events = lines.map((line) => line.event);
  const lastAt = lines.at(-1)?.at ?? services.clock.now();
  const taskEvents = agentLogs
    .reduce((merged, own) => mergeLines(own.log.lines, merged), lines)
    .map((line) => line.event);
  const history = historyOf(events);
  return ok({ log, paths, history, events, taskEvents, origin, lastAt, release });
}
