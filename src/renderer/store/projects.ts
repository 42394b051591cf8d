import type { AppInfo, AppState } from '../../shared/contract';
import type { Result } from '../../shared/result';
import type { Connection, EnteredKey, Project } from '../../shared/settings';
import type { Lathe, ShowRequest } from './lathe';
import { putInDraft } from './sessions';
import { reportFault } from './toasts';

/** Opens a folder as this window's project. Nothing in it runs before the trust question is answered. */
export const openProject = async (lathe: Lathe, path: string): Promise<Result<Project>> =>
  enter(lathe, await askToOpen(lathe, path));

const askToOpen = (lathe: Lathe, path: string): Promise<Result<Project>> =>
  lathe.ask((client) => client.projects.open({ path }));

/** Opens a fresh copy of the bundled sample project. */
export const openDemoProject = async (lathe: Lathe): Promise<Result<Project>> =>
  enter(lathe, await lathe.ask((client) => client.projects.openDemo()));

function enter(lathe: Lathe, opened: Result<Project>): Result<Project> {
  if (!opened.ok) return opened;
  lathe.store.setState({ opened: opened.value });
  lathe.current.clear();
  return opened;
}

/** Goes back to choosing a folder; nothing is stopped. */
export function leaveProject(lathe: Lathe): void {
  lathe.store.setState({ opened: null });
  lathe.current.clear();
}

/** Answers the trust question for a folder. */
export async function trustProject(lathe: Lathe, path: string): Promise<Result<Project>> {
  const result = await lathe.ask((client) => client.projects.trust({ path, trusted: true }));
  if (result.ok) lathe.store.setState({ opened: result.value });
  return result;
}

/** Takes trust back; the folder's configuration is off from the next query on. */
export const distrustProject = (lathe: Lathe, path: string): Promise<Result<Project>> =>
  lathe.ask((client) => client.projects.trust({ path, trusted: false }));

/** Works in a folder without its configuration; the question is not asked again in this window. */
export function openUntrusted(lathe: Lathe, path: string): void {
  lathe.store.setState((s) => ({ untrusted: [...s.untrusted.filter((p) => p !== path), path] }));
  remember(lathe);
}

/** Asks the trust question again. */
export function reviewTrust(lathe: Lathe, path: string): void {
  lathe.store.setState((s) => ({ untrusted: s.untrusted.filter((p) => p !== path) }));
  remember(lathe);
}

/** Takes a folder off the list of recent ones; its sessions stay on disk. */
export const forgetProject = (lathe: Lathe, path: string): Promise<Result<null>> =>
  lathe.ask((client) => client.projects.forget({ path }));

/** Tries a key and an endpoint, without keeping them; `signal` gives up waiting. */
export const checkConnection = (
  lathe: Lathe,
  entered: EnteredKey,
  signal: AbortSignal,
): Promise<Result<null>> => lathe.ask((client) => client.connection.check(entered, { signal }));

/** A choice of connection for {@link setConnection}. */
export type ConnectionChoice =
  | ({ readonly kind: 'apiKey' } & EnteredKey)
  | { readonly kind: 'demo' | 'none' };

/** Says how to reach a model. */
export const setConnection = (
  lathe: Lathe,
  choice: ConnectionChoice,
): Promise<Result<Connection>> =>
  lathe.ask((client) =>
    client.connection.set(choice.kind === 'apiKey' ? { ...choice } : { kind: choice.kind }),
  );

/** Writes down where this window is. */
function remember({ store, lastShown }: Lathe): void {
  const { opened, sessionId, untrusted } = store.getState();
  lastShown.write({ project: opened?.path ?? null, sessionId, untrusted });
}

/**
 * Opens what this window showed before a reload, else the folder named on the command line, else the one
 * opened last. A folder that is gone leaves the user at the choice of folders, with the reason.
 */
export async function restoreLastShown(lathe: Lathe): Promise<void> {
  const last = lathe.lastShown.read();
  lathe.store.setState({ restoring: true, untrusted: last.untrusted });
  // While the host tells of the app, it opens the project that is known before.
  const early = last.project === null ? null : askToOpen(lathe, last.project);
  const { info, app } = await firstState(lathe);
  const path = last.project ?? info.folder ?? (info.demoFirst ? undefined : app.recents[0]);
  if (path !== undefined) {
    const opened = enter(lathe, await (early ?? askToOpen(lathe, path)));
    if (!opened.ok) reportFault(lathe.store, opened.error);
    const sessions = lathe.store.getState().app?.sessions ?? [];
    const known = sessions.some((s) => s.id === last.sessionId && s.project === path);
    if (opened.ok && known && last.sessionId !== null) lathe.current.show(last.sessionId);
  }
  lathe.store.setState({ restoring: false });
  await lathe.current.sendWaiting();
}

/** Resolves with what the host says first of itself and of the app. */
const firstState = ({ store }: Lathe): Promise<{ info: AppInfo; app: AppState }> =>
  new Promise((resolve) => {
    const look = ({ info, app }: ReturnType<typeof store.getState>) => {
      if (info === null || app === null) return;
      unsubscribe();
      resolve({ info, app });
    };
    const unsubscribe = store.subscribe(look);
    look(store.getState());
  });

/** Goes on after the connection came back: opens the project in a host that was restarted, and sends what waited. */
export async function goOn(lathe: Lathe): Promise<void> {
  const { opened, app, restoring } = lathe.store.getState();
  // The first time, the project is opened with what this window showed before.
  if (restoring) return;
  if (opened !== null && !app?.projects.some(({ path }) => path === opened.path)) {
    const again = await lathe.ask((client) => client.projects.open({ path: opened.path }));
    if (again.ok) lathe.store.setState({ opened: again.value });
    else if (again.error.code !== 'offline') reportFault(lathe.store, again.error);
  }
  await lathe.current.sendWaiting();
}

/** Goes where the user asked from outside the window. A draft is filled in and never sent. */
export async function followRequest(lathe: Lathe, request: ShowRequest): Promise<void> {
  const { project, sessionId, draft } = request;
  const { opened } = lathe.store.getState();
  if (project !== undefined && project !== opened?.path) {
    const changed = await openProject(lathe, project);
    if (!changed.ok) return reportFault(lathe.store, changed.error);
  }
  if (sessionId !== undefined) lathe.current.show(sessionId);
  if (draft !== undefined) putInDraft(lathe, lathe.current.draftKey(), { text: draft });
}
