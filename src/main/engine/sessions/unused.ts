import { listSessions, type StoredSession } from './list';
import { emptyTrash, type TrashServices, trashSession } from './trash';

const DAY_MS = 24 * 60 * 60 * 1000;
/** The longest time that the end of a run waits for it. Milliseconds. */
const LAST_MOMENT_MS = 1_000;

/** Tells whether a session may go, because nobody used it for so many days; archived ones, and those whose work waits, stay. Pure. */
export const isUnused = (
  { updatedAt, waitsUntil, archived }: StoredSession,
  days: number,
  now: number,
): boolean => updatedAt < now - days * DAY_MS && waitsUntil === undefined && archived !== true;

/**
 * Begins to move the sessions of a project that nobody used for so many days into the trash, once `after` has come. One that is
 * open somewhere stays. Returns what ends it, and gives it a moment to finish.
 */
export function trashUnused(
  services: TrashServices,
  project: string,
  days: number,
  after: Promise<void>,
): () => Promise<void> {
  const over = Promise.withResolvers<void>();
  let isOver = false;
  const work = async (): Promise<void> => {
    const isDue = await Promise.race([after.then(() => true), over.promise.then(() => false)]);
    if (!isDue) return;
    const { files, latheHome, clock } = services;
    const sessions = await listSessions(files, latheHome, project);
    for (const session of sessions.filter((one) => isUnused(one, days, clock.date())))
      if (!isOver) await trashSession(services, session);
    if (!isOver) await emptyTrash(services);
  };
  const working = work().catch(() => {});
  return async () => {
    const late = new AbortController();
    over.resolve();
    await Promise.race([working, services.clock.sleep(LAST_MOMENT_MS, late.signal)]);
    late.abort();
    isOver = true;
    await working;
  };
}
