import { type DurableEvent, LOG_VERSION, LOG_WRITE_FAILED } from '../../../shared/agent-event';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { SettingsProblem } from '../../../shared/settings';
import type { Transcript } from '../../../shared/transcript';
import { createEventLog, type EventLog, encodeLine } from '../event-log';
import { type History, openCalls } from '../messages/history';
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
import { DAMAGED, titleOf } from './list';
import { type LoadedLog, type LogLine, loadLog, readLog, setTornEndAside } from './load';
import { damageOf, damageSeen, lostStart, problemNotice, toldBefore } from './log-damage';
import { createLogFold, type LogFold } from './log-fold';
import { type SessionPaths, sessionPaths } from './paths';
import { cutAgents, type OpenCalls, repairEvents, startedAgents } from './repair';
import { withTitleInSight } from './title-in-sight';

/** A session's log, open for more, with what it held. */
export interface OpenLog {
  readonly log: EventLog;
  readonly paths: SessionPaths;
  /** The history; whoever runs the session folds on. */
  readonly history: History;
  /** Its events in which tasks, files and waits are looked for (`LogFold.lines`). */
  readonly events: readonly DurableEvent[];
  /** The events that tell of tasks: `events` and those of sub-agents that a crash cut, in order of time. */
  readonly taskEvents: readonly DurableEvent[];
  /** The way it came to be open. */
  readonly origin: LogOrigin;
  /** Problems with its file: the parts that could not be used as they were. */
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
  const line = startOf(start.project, [], services.clock, start.demo);
  const fold = createLogFold(start.sessionId);
  fold.take(line);
  const unwritten = encodeLine(line);
  return openFresh(services, start.sessionId, start.project, { fold, unwritten, origin: 'new' });
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
  const { lines: all } = whole.value;
  const kept = until === undefined ? all : linesUntil(all, until);
  if (kept === null) return err(NO_PLACE);
  const { folder } = sessionPaths(services.latheHome, source.project, source.sessionId);
  const events = kept.map(({ event }) => event);
  const ids = startedAgents(events).map(({ id }) => id);
  const agents = await loadAgentLogs(services.files, folder, ids, services.clock.date());
  const damage = damageSeen(source.file, whole.value, all);
  const lostItsStart = !kept.some(({ event }) => event.type === 'session_started');
  const repairs = [
    ...(lostItsStart ? [startOf(source.project, kept, services.clock)] : []),
    ...repairLines(kept, services.clock, agents).map(endedByFork),
  ];
  const lines = [...kept, ...repairs].map((line) =>
    line.event.type === 'session_started'
      ? { at: line.at, event: { ...line.event, parent: source.sessionId } }
      : line,
  );
  const fold = createLogFold(sessionId);
  for (const line of lines) fold.take(line);
  const unwritten = withLater(lines, whole.value.later);
  const problems = damage === null ? [] : [damage];
  const opened = await openFresh(services, sessionId, source.project, {
    ...{ fold, unwritten, agents, problems, origin: 'forked' },
  });
  if (opened.ok && damage !== null) opened.value.log.append(problemNotice(damage));
  return opened;
}

/** Ends a query as the choice of a user, which no crash cut: the copy begins in the middle of it. */
function endedByFork({ at, event }: LogLine): LogLine {
  if (event.type !== 'query_finished' || event.cut !== true) return { at, event };
  const { cut: _, ...end } = event;
  return { at, event: { ...end, text: 'The copy was made here.' } };
}

const NO_PLACE = fault('gone', 'That message is not in the session any more.');

/** Opens a session's log again: a torn last line is cut off, what a crash left open is closed. */
export async function resumeLog(
  services: LogServices,
  source: {
    readonly file: string;
    readonly sessionId: string;
    readonly project: string;
    /** The program that drives this run takes it from another of its own, where that rests. */
    readonly fromSibling?: boolean;
  },
): Promise<Result<OpenLog>> {
  const { sessionId, project, file } = source;
  if (source.fromSibling === true) await freeFromSibling(services, file);
  return whileHeld(services, sessionId, project, async (release) => {
    const fold = createLogFold(sessionId);
    const found = await readLog(services.files, source.file, fold.take);
    if (!found.ok) return found;
    const torn = await setTornEndAside(services.files, source.file, found.value);
    if (!torn.ok) return torn;
    const { folder } = sessionPaths(services.latheHome, project, sessionId);
    const calls = openCalls(fold.history.messages());
    const lines = fold.lines();
    const ids = cutAgents(
      lines.map(({ event }) => event),
      calls,
    );
    const agents = await loadAgentLogs(services.files, folder, ids, services.clock.date());
    const repaired = await repairAgentLogs(services.files, folder, agents);
    if (!repaired.ok) return repaired;
    const lostItsStart = fold.transcript().cwd === '';
    const { told } = torn.value;
    // Where nothing is left, which lines are bad says no more; those of an earlier opening were told then.
    const isKnown = (lines.length === 0 && lostItsStart) || toldBefore(lines, found.value.badLines);
    const bad = isKnown ? [] : found.value.badLines;
    const problem = damageOf(source.file, bad, [
      ...(lostItsStart ? [lostStart(lines)] : []),
      ...(told === undefined ? [] : [told]),
    ]);
    // Without any, lists would take it for one in which nothing was said.
    const isNameless = problem !== null && titleOf(lines) === '';
    const repairs = [
      ...(lostItsStart ? [startOf(project, lines, services.clock)] : []),
      ...(isNameless ? [damagedTitle(services.clock)] : []),
      ...repairLines(lines, services.clock, agents, calls),
    ];
    for (const line of repairs) fold.take(line);
    const problems = problem === null ? [] : [problem];
    const unwritten = torn.value.prefix + repairs.map(encodeLine).join('');
    const content = { fold, unwritten, agents, problems, origin: 'resumed' as const };
    const log = await openWith(services, sessionId, project, content, release);
    if (log.ok && problem !== null) log.value.log.append(problemNotice(problem));
    return log;
  });
}

/** Returns the line that a log begins with, or that one gets whose own is lost: then `known` are those it has. */
function startOf(cwd: string, [oldest]: readonly LogLine[], clock: Clock, demo = false): LogLine {
  const at = clock.date();
  const createdAt = oldest?.at ?? at;
  const event = { type: 'session_started', version: LOG_VERSION, cwd, createdAt } as const;
  return { at, event: demo ? { ...event, demo } : event };
}

const damagedTitle = (clock: Clock): LogLine => ({
  at: clock.date(),
  event: { type: 'title_changed', title: DAMAGED },
});

/** The longest that another run of the same program may take to end. Milliseconds. */
const SIBLING_MS = 5_000;

/**
 * Ends the run in which the same program has a session open, where nothing is going on in it: programs of the ecosystem open
 * a session again without closing it.
 */
async function freeFromSibling({ files, clock, locks }: LogServices, file: string): Promise<void> {
  const path = `${file}.lock`;
  const free = await locks.acquire(path);
  if (free.ok) return free.value();
  const found = await loadLog(files, file);
  const isAtRest = !found.ok || rests(found.value.lines.map(({ event }) => event));
  if (!isAtRest || !(await locks.endSibling(path))) return;
  const over = new AbortController();
  clock.sleep(SIBLING_MS, over.signal).then(
    () => over.abort(),
    () => {},
  );
  const freed = await locks.acquire(path, over.signal);
  over.abort();
  if (freed.ok) await freed.value();
}

/** Tells whether no query and no task of a log is still running: its end would end them. */
function rests(events: readonly DurableEvent[]): boolean {
  const tasks = new Set<string>();
  let isAsked = false;
  for (const event of events) {
    if (event.type === 'query_started') isAsked = true;
    if (event.type === 'query_finished') isAsked = false;
    if (event.type === 'task_started') tasks.add(event.task.id);
    if (event.type === 'task_settled') tasks.delete(event.task.id);
  }
  return !isAsked && tasks.size === 0;
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
  lines: readonly LogLine[],
  clock: Clock,
  agents: readonly AgentLog[],
  open?: OpenCalls,
): readonly LogLine[] => {
  const at = clock.date();
  return repairEvents(lines, totalsOf(agents), open).map((event) => ({ at, event }));
};

/** Writes lines as a log has them, the records of later versions in their places among them. */
function withLater(lines: readonly LogLine[], later: LoadedLog['later']): string {
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
  readonly fold: LogFold;
  /** The part that is not in its file yet. */
  readonly unwritten: string;
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
  { fold, unwritten, agents: agentLogs = [], problems = [], origin }: Content,
  release: () => Promise<void>,
): Promise<Result<OpenLog>> {
  const paths = sessionPaths(services.latheHome, project, sessionId);
  const folded = fold.transcript();
  // What sub-agents said stands in their own logs, which are read when somebody looks.
  const agents = folded.agents.map((agent) => ({ ...agent, transcript: null }));
  const initial: Transcript = { ...folded, agents };
  const before = await services.files.stat(paths.file);
  const log: EventLog = createEventLog({
    sessionId,
    epoch: services.ids.next('epo'),
    clock: services.clock,
    file: withTitleInSight(openLate(services.files, paths.file), {
      size: before.ok ? before.value.size : 0,
      shown: () => log.transcript(),
      clock: services.clock,
    }),
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
  const lines = fold.lines();
  const events = lines.map(({ event }) => event);
  const taskEvents =
    agentLogs.length === 0
      ? events
      : agentLogs
          .reduce((merged, own) => mergeLines(own.log.lines, merged), lines)
          .map(({ event }) => event);
  return ok({
    log,
    paths,
    history: fold.history,
    events,
    taskEvents,
    origin,
    problems: [...problems, ...failures],
    lastAt: fold.lastAt() ?? services.clock.date(),
    release,
  });
}
