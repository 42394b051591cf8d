import type { SessionSummary } from '../../shared/contract';
import type { Result } from '../../shared/result';
import type { Connection, Project } from '../../shared/settings';
import type { Lathe } from './lathe';
import { showSession } from './sessions';

/** Opens a folder as this window's project. Nothing in it runs before the trust question is answered. */
export const openProject = async (lathe: Lathe, path: string): Promise<Result<Project>> =>
  enter(lathe, await lathe.ask((client) => client.projects.open({ path })));

/** Opens a fresh copy of the bundled sample project. */
export const openDemoProject = async (lathe: Lathe): Promise<Result<Project>> =>
  enter(lathe, await lathe.ask((client) => client.projects.openDemo()));

function enter(lathe: Lathe, opened: Result<Project>): Result<Project> {
  if (!opened.ok) return opened;
  lathe.store.setState({ opened: opened.value, sessionId: null });
  remember(lathe);
  return opened;
}

/** Goes back to choosing a folder; nothing is stopped. */
export function leaveProject(lathe: Lathe): void {
  lathe.store.setState({ opened: null, sessionId: null });
  remember(lathe);
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

/** What {@link setConnection} takes. */
export type ConnectionChoice =
  | { readonly kind: 'apiKey'; readonly key: string; readonly baseUrl?: string }
  | { readonly kind: 'demo' | 'none' };

/** Says how to reach a model. */
export const setConnection = (
  lathe: Lathe,
  choice: ConnectionChoice,
): Promise<Result<Connection>> =>
  lathe.ask((client) =>
    client.connection.set(choice.kind === 'apiKey' ? { ...choice } : { kind: choice.kind }),
  );

/** Shows the newest session of a project that was just opened, or none. */
export function showNewest(lathe: Lathe, sessions: readonly SessionSummary[], path: string): void {
  const newest = sessions
    .filter((s) => s.project === path)
    .reduce<SessionSummary | null>((a, b) => (a && a.updatedAt >= b.updatedAt ? a : b), null);
  if (newest) showSession(lathe, newest.id);
}

/** Writes down where this window is. */
export function remember({ store, place }: Lathe): void {
  const { opened, sessionId, untrusted } = store.getState();
  place.write({ project: opened?.path ?? null, sessionId, untrusted });
}
