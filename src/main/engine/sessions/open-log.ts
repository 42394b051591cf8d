import { type DurableEvent, LOG_VERSION, LOG_WRITE_FAILED } from '../../../shared/agent-event';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { SettingsProblem } from '../../../shared/settings';
import type { Transcript } from '../../../shared/transcript';
import { createEventLog, type EventLog, encodeLine } from '../event-log';
import { type History, historyOf, openCalls } from '../messages/history';
import type { AppendFile, Clock, Files, Ids, Locks } from '../ports';
import {
  type AgentLog,
  copyAgentLogs,
  loadAgentLogs,
  mergeLines,
  repairAgentLogs,
  totalsOf,
} from './agent-logs';
import { type BranchPoint, linesUntil } from './branch';
import {
  eventsAroundAnswers,
  type LoadedLog,
  type LogLine,
  loadLog,
  setTornEndAside,
  transcriptOf,
} from './load';
import { type SessionPaths, sessionPaths } from './paths';
import { cutAgents, type OpenCalls, repairEvents, startedAgents } from './repair';

/** A session's log, open for more, with what it held. */
export interface OpenLog {
  readonly log: EventLog;
  readonly paths: SessionPaths;
  /** The history; whoever runs the session folds on. */
  readonly history: History;
  /** Its events, but for those that are parts of answers. */
  readonly events: readonly DurableEvent[];
  /** The events that tell of tasks: `events` and those of sub-agents that a crash cut, in order of time. */
  readonly taskEvents: readonly DurableEvent[];
  /** The way it came to be open. */
  readonly origin: LogOrigin;
  /** What of its file could not be used as it was. */
  readonly problems: readonly SettingsProblem[];
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
  const unwritten = lines.map(encodeLine).join('');
  return openFresh(services, start.sessionId, start.project, { lines, unwritten, origin: 'new' });
}

/** Copies a session under a new id, up to a place when one is given; the two go separate ways from here. */
export async function forkLog(
  services: LogServices,
  source: { readonly file: string; readonly sessionId: string; readonly project: string },
  sessionId: string,
  until?: BranchPoint,
): Promise<Result<OpenLog>> {
  const whole = await loadLog(services.files, source.file);
  if (!whole.ok) return whole;
  const kept = until === undefined ? whole.value.lines : linesUntil(whole.value.lines, until);
  if (kept === null) return err(NO_PLACE);
  const loaded = ok({ ...whole.value, lines: kept });
  const { folder } = sessionPaths(services.latheHome, source.project, source.sessionId);
  const events = loaded.value.lines.map(({ event }) => event);
  const ids = startedAgents(events).map(({ id }) => id);
  const agents = await loadAgentLogs(services.files, folder, ids, services.clock.now());
  const repairs = repairLines(loaded.value, services.clock, agents);
  const lines = [...loaded.value.lines, ...repairs].map((line) =>
    line.event.type === 'session_started'
      ? { at: line.at, event: { ...line.event, parent: source.sessionId } }
      : line,
  );
  const unwritten = withLater(lines, loaded.value);
  return openFresh(services, sessionId, source.project, {
    ...{ lines, unwritten, agents, origin: 'forked' },
  });
}

const NO_PLACE = fault('gone', 'That message is not in the session any more.');

/** Opens a session's log again: a torn last line is cut off, what a crash left open is closed. */
export async function resumeLog(
  services: LogServices,
  source: { readonly file: string; readonly sessionId: string; readonly project: string },
): Promise<Result<OpenLog>> {
  const { sessionId, project } = source;
  return whileHeld(services, sessionId, project, async (release) => {
    const loaded = await loadLog(services.files, source.file);
    if (!loaded.ok) return loaded;
    const torn = await setTornEndAside(services.files, source.file, loaded.value);
    if (!torn.ok) return torn;
    const { folder } = sessionPaths(services.latheHome, project, sessionId);
    const history = historyOf(loaded.value.lines.map(({ event }) => event));
    const calls = openCalls(history.messages());
    const ids = cutAgents(eventsAroundAnswers(loaded.value.lines), calls);
    const agents = await loadAgentLogs(services.files, folder, ids, services.clock.now());
    const repaired = await repairAgentLogs(services.files, folder, agents);
    if (!repaired.ok) return repaired;
    const repairs = repairLines(loaded.value, services.clock, agents, calls);
    const lines = [...loaded.value.lines, ...repairs];
    for (const { event } of repairs) history.fold(event);
    const { problem } = torn.value;
    const problems = [
      ...(problem === undefined ? [] : [problem]),
      ...badLineProblems(source.file, loaded.value.badLines),
    ];
    const unwritten = torn.value.prefix + repairs.map(encodeLine).join('');
    const content = { lines, unwritten, agents, history, problems, origin: 'resumed' as const };
    const log = await openWith(services, sessionId, project, content, release);
    if (log.ok) for (const { message } of problems) sayProblem(log.value.log, message);
    return log;
  });
}

const sayProblem = (log: EventLog, text: string): void =>
  void log.append({ type: 'notice', level: 'warning', code: 'session_file', text });

function badLineProblems(file: string, badLines: readonly number[]): readonly SettingsProblem[] {
  const [line] = badLines;
  if (line === undefined) return [];
  const many = badLines.length !== 1;
  const message = `${badLines.length} line${many ? 's' : ''} of this session's file could not be read and ${many ? 'were' : 'was'} passed over (${file}, line ${badLines.slice(0, 5).join(', ')}).`;
  return [{ file, line, message, level: 'warning' }];
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

const repairLines = (
  { lines }: LoadedLog,
  clock: Clock,
  agents: readonly AgentLog[],
  open?: OpenCalls,
): readonly LogLine[] => {
  const at = clock.now();
  return repairEvents(lines, totalsOf(agents), open).map((event) => ({ at, event }));
};

/** Writes lines as a log has them, the records of later versions in their places among them. */
function withLater(lines: readonly LogLine[], { later }: LoadedLog): string {
  const texts: string[] = [];
  let next = 0;
  for (let at = 0; at <= lines.length; at++) {
    for (let record = later[next]; record && record.after <= at; record = later[++next])
      texts.push(`${record.text}\n`);
    const line = lines[at];
    if (line !== undefined) texts.push(encodeLine(line));
  }
  return texts.join('');
}

/** The content of a log when it is opened. */
interface Content {
  readonly lines: readonly LogLine[];
  /** The part that is not in its file yet. */
  readonly unwritten: string;
  /** The history of `lines`, where it is known already. */
  readonly history?: History;
  /** Default: none. */
  readonly problems?: readonly SettingsProblem[];
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
    return openWith(services, sessionId, project, content, release);
  });
}

/**
 * Returns a file that is opened with the first line for it. Where it cannot be opened, or nothing can be written, each
 * line is refused until it can: the session goes on in memory, and the log says so.
 */
function openLate(files: Files, path: string): AppendFile {
  let file: AppendFile | null = null;
  return {
    append: async (data) => {
      if (file === null) {
        const opened = await files.openAppend(path);
        if (!opened.ok) return opened;
        file = opened.value;
      }
      return file.append(data);
    },
    close: async () => file?.close(),
  };
}

async function openWith(
  services: LogServices,
  sessionId: string,
  project: string,
  { lines, unwritten, agents: agentLogs = [], problems = [], origin, ...known }: Content,
  release: () => Promise<void>,
): Promise<Result<OpenLog>> {
  const paths = sessionPaths(services.latheHome, project, sessionId);
  const folded = transcriptOf(sessionId, lines);
  // What sub-agents said stands in their own logs, which are read when somebody looks.
  const agents = folded.agents.map((agent) => ({ ...agent, transcript: null }));
  const initial: Transcript = { ...folded, agents };
  const log = createEventLog({
    sessionId,
    epoch: services.ids.next('epo'),
    clock: services.clock,
    file: openLate(services.files, paths.file),
    unwritten,
    initial,
  });
  const failures: SettingsProblem[] = [];
  const stop = log.listen(({ event }) => {
    if (event.type !== 'notice' || event.code !== LOG_WRITE_FAILED) return;
    const message = [event.text, event.fix ?? ''].join(' ').trim();
    failures.push({ file: paths.file, message, level: 'error' });
  });
  await log.flush();
  stop();
  const events = eventsAroundAnswers(lines);
  const lastAt = lines.at(-1)?.at ?? services.clock.now();
  const taskEvents =
    agentLogs.length === 0
      ? events
      : agentLogs
          .reduce((merged, own) => mergeLines(own.log.lines, merged), lines)
          .map((line) => line.event);
  const history = known.history ?? historyOf(lines.map((line) => line.event));
  return ok({
    log,
    paths,
    history,
    events,
    taskEvents,
    origin,
    problems: [...problems, ...failures],
    lastAt,
    release,
  });
}
