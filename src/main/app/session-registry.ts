import type { SessionSummary } from '../../shared/contract';
import { err, type Fault, fault, ok, type Result } from '../../shared/result';
import type { SessionRuntime } from '../engine/session/session-runtime';
import type { BranchPoint } from '../engine/sessions/branch';
import { findSession, listSessions, type StoredSession } from '../engine/sessions/list';
import { sessionPaths } from '../engine/sessions/paths';
import {
  archivedMark,
  emptyTrash,
  restoreSession,
  setArchived,
  type TrashServices,
  trashSession,
} from '../engine/sessions/trash';
import { isUnused } from '../engine/sessions/unused';
import type { KeptTasks } from '../engine/tasks/task-manager';
import type { WindowTarget } from './window-sessions';

/** The sessions of the open projects: those on disk and those in memory. */
interface SessionRegistry {
  /** Reads a project's sessions from disk. */
  addProject(project: string): Promise<void>;
  create(project: string): Promise<Result<SessionSummary>>;
  /** An open session; opens it when it is only on disk. One runtime per session, however many ask at once. */
  open(sessionId: string): Promise<Result<SessionRuntime>>;
  /** Makes a session of the beginning of another one; an open one goes on. */
  fork(sessionId: string, until: BranchPoint): Promise<Result<SessionRuntime>>;
  rename(sessionId: string, title: string): Promise<Result<null>>;
  /** Leaves a session out of the list, or takes it in again; one that is worked in comes back by itself. */
  archive(sessionId: string, archived: boolean): Promise<Result<null>>;
  /** Moves a session that does not work into the trash. */
  remove(sessionId: string): Promise<Result<null>>;
  /** Moves the sessions of a project that nobody has used for so many days into the trash, archived ones and those in use excepted. */
  removeUnused(project: string, days: number): Promise<void>;
  /** Takes a session out of the trash. */
  restore(sessionId: string): Promise<Result<null>>;
  runtimes(): readonly SessionRuntime[];
  /** Called for each session that is opened. */
  onOpened(listener: (runtime: SessionRuntime) => void): void;
  /** Closes every session. Returns what could not be saved, a line for each session that lost something. */
  closeAll(options: { readonly keepTasks: KeptTasks }): Promise<readonly string[]>;
}

export interface SessionRegistryOptions extends TrashServices {
  readonly openRuntime: (target: WindowTarget) => Promise<Result<SessionRuntime, Fault>>;
  /** Called with the list, newest first, whenever it may look different. */
  readonly onChanged: (summaries: readonly SessionSummary[]) => void;
}

/** Idle sessions that stay in memory; those used longest ago are closed, and opened again when they are wanted. */
export const MAX_IDLE = 8;

/** Creates an empty registry. */
export function createSessionRegistry(options: SessionRegistryOptions): SessionRegistry {
  const { files, latheHome, clock } = options;
  const projects = new Set<string>();
  const stored = new Map<string, StoredSession>();
  /** The ids of archived sessions of open projects. */
  const archived = new Set<string>();
  const open = new Map<string, SessionRuntime>();
  const openedListeners = new Set<(runtime: SessionRuntime) => void>();
  const opening = new Map<string, Promise<Result<SessionRuntime>>>();
  const closing = new Map<string, Promise<unknown>>();

  const onChanged = () => {
    const closed = [...stored.values()].filter((session) => !open.has(session.id));
    options.onChanged(
      [...[...open.values()].map(summaryOf), ...closed.map(storedSummary)]
        .map((one) => (archived.has(one.id) ? { ...one, archived: true } : one))
        .toSorted((a, b) => b.updatedAt - a.updatedAt),
    );
  };

  const archive = async (sessionId: string, wanted: boolean): Promise<Result<null>> => {
    const project = open.get(sessionId)?.session.project ?? stored.get(sessionId)?.project;
    if (project === undefined) return err(noSuchSession(sessionId));
    const { file } = sessionPaths(latheHome, project, sessionId);
    const done = await setArchived(files, { file }, wanted);
    if (!done.ok) return done;
    if (wanted) archived.add(sessionId);
    else archived.delete(sessionId);
    onChanged();
    return done;
  };

  /** Lets nobody open a session until something that is done to its file is over. */
  const holdBack = (sessionId: string, act: Promise<unknown>) => {
    const over = act.catch(() => {}).finally(() => closing.delete(sessionId));
    closing.set(sessionId, over);
  };

  /** Closes an open session, which stays in the list. */
  const putAway = (runtime: SessionRuntime): Promise<unknown> => {
    const { id, running: _, needsAnswer: __, ...facts } = summaryOf(runtime);
    const { file } = sessionPaths(latheHome, facts.project, id);
    open.delete(id);
    stored.set(id, { id, file, ...facts });
    return runtime.close({ keepTasks: false });
  };

  /** Closes the idle sessions that were used longest ago, when there are too many of them. */
  const trim = () => {
    const idle = [...open.values()].filter((runtime) => runtime.isIdle());
    for (const runtime of idle.slice(0, Math.max(0, idle.length - MAX_IDLE)))
      holdBack(runtime.session.log.sessionId, putAway(runtime));
  };

  const trash = async (
    sessionId: string,
    project: string,
    runtime: SessionRuntime | undefined,
  ): Promise<Result<null>> => {
    if (runtime) await putAway(runtime);
    const { file } = sessionPaths(latheHome, project, sessionId);
    const trashed = await trashSession(options, { id: sessionId, file });
    // A session in which nothing was said yet may have no file.
    const isGone = trashed.ok || trashed.error.code === 'not_found';
    if (isGone) stored.delete(sessionId);
    if (isGone) archived.delete(sessionId);
    // Other windows learn of it as they ask for it again.
    runtime?.session.log.endSubscriptions();
    onChanged();
    return isGone ? ok(null) : trashed;
  };

  const keep = (runtime: SessionRuntime) => {
    const { log } = runtime.session;
    open.set(log.sessionId, runtime);
    log.listen(({ event }) => {
      if (event.type === 'query_started' && archived.has(log.sessionId)) {
        void archive(log.sessionId, false);
      }
      if (LIST_EVENTS.has(event.type)) onChanged();
    });
    for (const listener of openedListeners) listener(runtime);
    trim();
    onChanged();
  };

  const titles = (): ReadonlySet<string> =>
    new Set([
      ...[...stored.values()].map(({ title }) => title),
      ...[...open.values()].map(({ session }) => session.log.transcript().title),
    ]);

  const find = (sessionId: string) => findSession(files, latheHome, sessionId, [...projects]);

  const openStored = async (sessionId: string): Promise<Result<SessionRuntime>> => {
    const found = stored.get(sessionId) ?? (await find(sessionId));
    if (!found) return err(noSuchSession(sessionId));
    const runtime = await options.openRuntime({ kind: 'resume', stored: found });
    if (!runtime.ok) return runtime;
    keep(runtime.value);
    runtime.value.takeUp().catch(() => {});
    return runtime;
  };

  const openSession = async (sessionId: string): Promise<Result<SessionRuntime>> => {
    const runtime = open.get(sessionId);
    if (runtime) {
      // The order of the map is that of the last use.
      open.delete(sessionId);
      open.set(sessionId, runtime);
      return ok(runtime);
    }
    await closing.get(sessionId);
    const underWay =
      opening.get(sessionId) ?? openStored(sessionId).finally(() => opening.delete(sessionId));
    opening.set(sessionId, underWay);
    return underWay;
  };

  return {
    addProject: async (project) => {
      projects.add(project);
      for (const session of await listSessions(files, latheHome, project)) {
        stored.set(session.id, session);
        if (session.archived) archived.add(session.id);
        // Its countdown goes on, whether anybody looks at it or not.
        else if (session.waitsUntil !== undefined) await openSession(session.id);
      }
      onChanged();
      await emptyTrash(options);
    },
    create: async (project) => {
      const runtime = await options.openRuntime({ kind: 'new', project });
      if (!runtime.ok) return runtime;
      keep(runtime.value);
      return ok(summaryOf(runtime.value));
    },
    open: openSession,
    fork: async (sessionId, until) => {
      // What was recorded last must be in the file that is copied.
      await open.get(sessionId)?.session.log.flush();
      const found = await find(sessionId);
      if (!found) return err(noSuchSession(sessionId));
      const runtime = await options.openRuntime({ kind: 'fork', stored: found, until });
      if (!runtime.ok) return runtime;
      const { state } = runtime.value.session.main;
      if (found.title !== '') {
        const title = forkTitle(found.title, titles());
        state.record({ type: 'title_changed', title });
      }
      keep(runtime.value);
      return runtime;
    },
    rename: async (sessionId, title) => {
      const runtime = await openSession(sessionId);
      if (!runtime.ok) return runtime;
      runtime.value.session.main.state.record({ type: 'title_changed', title: title.trim() });
      return ok(null);
    },
    remove: async (sessionId) => {
      await closing.get(sessionId);
      const runtime = open.get(sessionId);
      const project = runtime?.session.project ?? stored.get(sessionId)?.project;
      if (project === undefined) return err(noSuchSession(sessionId));
      if (runtime?.session.main.engine.isRunning) return err(AT_WORK);
      const done = trash(sessionId, project, runtime);
      holdBack(sessionId, done);
      return done;
    },
    removeUnused: async (project, days) => {
      const unused = [...stored.values()].filter(
        (one) =>
          one.project === project &&
          isUnused({ ...one, archived: archived.has(one.id) }, days, clock.date()),
      );
      for (const { id } of unused) {
        if (open.has(id) || opening.has(id) || closing.has(id)) continue;
        const done = trash(id, project, undefined);
        holdBack(id, done);
        await done;
      }
    },
    archive,
    restore: async (sessionId) => {
      const restored = await restoreSession(options, sessionId);
      if (!restored.ok) return restored;
      const found = await find(sessionId);
      if (found) stored.set(sessionId, found);
      if ((await files.stat(archivedMark(restored.value))).ok) archived.add(sessionId);
      onChanged();
      return ok(null);
    },
    runtimes: () => [...open.values()],
    onOpened: (listener) => {
      openedListeners.add(listener);
    },
    closeAll: async (how) => {
      const closed = [...open.values()].map(async (runtime) => {
        const lost = await runtime.close(how);
        return lost === null ? [] : `${nameOf(runtime)}: ${lost}`;
      });
      await Promise.all(closing.values());
      return (await Promise.all(closed)).flat();
    },
  };
}

/** Returns the name of an open session for the user. */
export const nameOf = ({ session }: SessionRuntime): string =>
  session.log.transcript().title || session.log.sessionId;

/** Returns a title that tells a copy from its original and from those that are `taken`: "Fix login (2)". Pure. */
export function forkTitle(title: string, taken: ReadonlySet<string>): string {
  const base = title.replace(/ \(\d{1,4}\)$/, '');
  let number = 2;
  while (taken.has(`${base} (${number})`)) number += 1;
  return `${base} (${number})`;
}

/** Events after which a row of the list looks different. */
const LIST_EVENTS: ReadonlySet<string> = new Set([
  'title_changed',
  'color_changed',
  'query_started',
  'query_finished',
  'approval_requested',
  'approval_answered',
  'approval_withdrawn',
]);

function summaryOf({ session }: SessionRuntime): SessionSummary {
  const picture = session.log.transcript();
  return {
    id: picture.sessionId,
    project: session.project,
    title: picture.title,
    ...(picture.color == null ? {} : { color: picture.color }),
    createdAt: picture.createdAt,
    updatedAt: session.updatedAt(),
    running: picture.running !== null,
    needsAnswer: picture.approvals.length > 0,
    demo: picture.demo,
  };
}

const storedSummary = ({
  file: _file,
  waitsUntil: _until,
  ...session
}: StoredSession): SessionSummary => ({
  ...session,
  running: false,
  needsAnswer: false,
});

const AT_WORK = fault('at_work', 'This session is at work.', 'Stop it first.');

const noSuchSession = (sessionId: string) =>
  fault('not_found', `There is no session ${sessionId}.`, 'It may have been deleted.');
