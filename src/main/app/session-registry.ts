import type { SessionSummary } from '../../shared/contract';
import { err, type Fault, fault, ok, type Result } from '../../shared/result';
import type { Files } from '../engine/ports';
import type { SessionRuntime } from '../engine/session/session-runtime';
import { findSession, listSessions, type StoredSession } from '../engine/sessions/list';
import { sessionPaths } from '../engine/sessions/paths';

/** The sessions of the open projects: those on disk and those in memory. */
export interface SessionRegistry {
  /** Reads a project's sessions from disk. */
  addProject(project: string): Promise<void>;
  create(project: string): Promise<Result<SessionSummary>>;
  /** An open session; opens it when it is only on disk. One runtime per session, however many ask at once. */
  open(sessionId: string): Promise<Result<SessionRuntime>>;
  rename(sessionId: string, title: string): Promise<Result<null>>;
  /** Ends a session and deletes its files. */
  remove(sessionId: string): Promise<Result<null>>;
  runtimes(): readonly SessionRuntime[];
  /** Called for each session that is opened. */
  onOpened(listener: (runtime: SessionRuntime) => void): void;
  closeAll(options: { readonly keepTasks: boolean }): Promise<void>;
}

export interface SessionRegistryOptions {
  readonly files: Files;
  readonly latheHome: string;
  readonly openRuntime: (
    target:
      | { readonly kind: 'new'; readonly project: string }
      | { readonly kind: 'resume'; readonly stored: StoredSession },
  ) => Promise<Result<SessionRuntime, Fault>>;
  /** Called with the list, newest first, whenever it may look different. */
  readonly onChanged: (summaries: readonly SessionSummary[]) => void;
}

/** Creates an empty registry. */
export function createSessionRegistry(options: SessionRegistryOptions): SessionRegistry {
  const { files, latheHome } = options;
  const stored = new Map<string, StoredSession>();
  const open = new Map<string, SessionRuntime>();
  const openedListeners = new Set<(runtime: SessionRuntime) => void>();
  const opening = new Map<string, Promise<Result<SessionRuntime>>>();

  const onChanged = () => {
    const closed = [...stored.values()].filter((session) => !open.has(session.id));
    options.onChanged(
      [...[...open.values()].map(summaryOf), ...closed.map(storedSummary)].toSorted(
        (a, b) => b.updatedAt - a.updatedAt,
      ),
    );
  };

  const keep = (runtime: SessionRuntime) => {
    const { log } = runtime.session;
    open.set(log.sessionId, runtime);
    log.listen(({ event }) => {
      if (LIST_EVENTS.has(event.type)) onChanged();
    });
    for (const listener of openedListeners) listener(runtime);
    onChanged();
  };

  const openStored = async (sessionId: string): Promise<Result<SessionRuntime>> => {
    const found = stored.get(sessionId) ?? (await findSession(files, latheHome, sessionId));
    if (!found) return err(noSuchSession(sessionId));
    const runtime = await options.openRuntime({ kind: 'resume', stored: found });
    if (runtime.ok) keep(runtime.value);
    return runtime;
  };

  const openSession = async (sessionId: string): Promise<Result<SessionRuntime>> => {
    const runtime = open.get(sessionId);
    if (runtime) return ok(runtime);
    const underWay =
      opening.get(sessionId) ?? openStored(sessionId).finally(() => opening.delete(sessionId));
    opening.set(sessionId, underWay);
    return underWay;
  };

  return {
    addProject: async (project) => {
      for (const session of await listSessions(files, latheHome, project)) {
        stored.set(session.id, session);
      }
      onChanged();
    },
    create: async (project) => {
      const runtime = await options.openRuntime({ kind: 'new', project });
      if (!runtime.ok) return runtime;
      keep(runtime.value);
      return ok(summaryOf(runtime.value));
    },
    open: openSession,
    rename: async (sessionId, title) => {
      const runtime = await openSession(sessionId);
      if (!runtime.ok) return runtime;
      runtime.value.session.main.state.record({ type: 'title_changed', title: title.trim() });
      return ok(null);
    },
    remove: async (sessionId) => {
      const runtime = open.get(sessionId);
      const project = runtime?.session.project ?? stored.get(sessionId)?.project;
      if (project === undefined) return err(noSuchSession(sessionId));
      await runtime?.close({ keepTasks: false });
      open.delete(sessionId);
      stored.delete(sessionId);
      const paths = sessionPaths(latheHome, project, sessionId);
      for (const path of [paths.file, paths.folder]) {
        const removed = await files.remove(path);
        if (!removed.ok && removed.error.code !== 'not_found') {
          return err(fault(removed.error.code, removed.error.message));
        }
      }
      onChanged();
      return ok(null);
    },
    runtimes: () => [...open.values()],
    onOpened: (listener) => {
      openedListeners.add(listener);
    },
    closeAll: async (how) => {
      await Promise.all([...open.values()].map((runtime) => runtime.close(how)));
    },
  };
}

/** Events after which a row of the list looks different. */
const LIST_EVENTS: ReadonlySet<string> = new Set([
  'title_changed',
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
    createdAt: picture.createdAt,
    updatedAt: session.updatedAt(),
    running: picture.running !== null,
    needsAnswer: picture.approvals.length > 0,
    demo: picture.demo,
  };
}

const storedSummary = ({ file: _file, ...session }: StoredSession): SessionSummary => ({
  ...session,
  running: false,
  needsAnswer: false,
});

const noSuchSession = (sessionId: string) =>
  fault('not_found', `There is no session ${sessionId}.`, 'It may have been deleted.');
