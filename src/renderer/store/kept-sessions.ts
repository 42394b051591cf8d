import type { SessionSummary } from '../../shared/contract';
import type { TrashedSession } from '../../shared/contract-sessions';
import type { Result } from '../../shared/result';
import { titleOf } from '../sessions/group-sessions';
import type { Lathe } from './lathe';
import { addToast, reported } from './toasts';

/** Leaves a session out of the list, or takes it in again; a message says so and takes it back. */
export async function archiveSession(
  lathe: Lathe,
  session: Pick<SessionSummary, 'id' | 'title'>,
  archived: boolean,
): Promise<void> {
  const { store } = lathe;
  const sessionId = session.id;
  const done = await lathe.ask((client) => client.sessions.archive({ sessionId, archived }));
  if (!reported(store, done).ok || !archived) return;
  leave(lathe, sessionId);
  addToast(store, {
    ...{ level: 'info', text: `Archived “${titleOf(session)}”` },
    action: { label: 'Undo', run: () => void archiveSession(lathe, session, false) },
  });
}

/** Moves a session into the trash; a message says so and takes it back. */
export async function removeSession(
  lathe: Lathe,
  session: Pick<SessionSummary, 'id' | 'title'>,
): Promise<void> {
  const { store } = lathe;
  const sessionId = session.id;
  const removed = await lathe.ask((client) => client.sessions.remove({ sessionId }));
  if (!reported(store, removed).ok) return;
  lathe.feeds.forget(sessionId);
  // The list without it may still be on its way.
  store.setState(({ app }) => ({
    app: app && { ...app, sessions: app.sessions.filter(({ id }) => id !== sessionId) },
  }));
  leave(lathe, sessionId);
  addToast(store, {
    ...{ level: 'info', text: `Deleted “${titleOf(session)}”` },
    fix: 'Kept for 30 days under “Deleted sessions…”.',
    action: { label: 'Undo', run: () => void restoreSession(lathe, sessionId) },
  });
}

/** Lists the sessions of a project in the trash. */
export const listTrash = (
  lathe: Lathe,
  project: string,
): Promise<Result<readonly TrashedSession[]>> =>
  lathe.ask((client) => client.sessions.listTrash({ project }));

/** Takes a session out of the trash; tells whether it did. A window that still shows it goes on with it. */
export async function restoreSession(lathe: Lathe, sessionId: string): Promise<boolean> {
  const restored = await lathe.ask((client) => client.sessions.restore({ sessionId }));
  if (!reported(lathe.store, restored).ok) return false;
  if (lathe.store.getState().sessionId === sessionId) lathe.feeds.show(sessionId);
  return true;
}

/** Shows another session when this one is on screen. */
function leave(lathe: Lathe, sessionId: string): void {
  const { app, opened, sessionId: shown } = lathe.store.getState();
  if (shown !== sessionId) return;
  const next = app?.sessions.find(
    (s) => s.project === opened?.path && s.id !== sessionId && s.archived !== true,
  );
  if (next) lathe.current.show(next.id);
  else lathe.current.clear();
}
