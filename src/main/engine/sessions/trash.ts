import { join } from 'node:path';
import { err, type Fault, fault, ok, type Result } from '../../../shared/result';
import type { Clock, Files, Locks } from '../ports';
import { isSessionId } from './paths';

/** The time for which a deleted session can be had back. Milliseconds. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

export interface TrashServices {
  readonly files: Files;
  readonly locks: Locks;
  readonly clock: Clock;
  readonly latheHome: string;
}

/** Returns the file that says of a session's log that it is archived. */
export const archivedMark = (logFile: string): string => logFile.replace(/\.jsonl$/, '.archived');

/** Archives a session or takes it out again. Its log stays as and where it is. */
export async function setArchived(
  files: Files,
  { file }: { readonly file: string },
  archived: boolean,
): Promise<Result<null>> {
  const mark = archivedMark(file);
  const done = archived ? await files.write(mark, '', 0o600) : await files.remove(mark);
  if (done.ok || (!archived && done.error.code === 'not_found')) return ok(null);
  return err(fault(done.error.code, done.error.message));
}

/** Moves a session that is open nowhere into the trash, with everything that belongs to it. */
export async function trashSession(
  { files, locks, clock, latheHome }: TrashServices,
  { id, file }: { readonly id: string; readonly file: string },
): Promise<Result<null>> {
  const lock = await locks.acquire(`${file}.lock`);
  if (!lock.ok) return err(BUSY);
  try {
    const folder = file.slice(0, -'.jsonl'.length);
    const slug = folder.split(/[\\/]/).at(-2) ?? '';
    const place = join(latheHome, 'trash', `${clock.date()}-${id}`, slug);
    // The log goes first: what has none is no session, and what has one can be had back.
    const moved = await files.move(file, join(place, `${id}.jsonl`));
    if (!moved.ok) return err(fault(moved.error.code, moved.error.message));
    for (const [from, to] of [
      [folder, id],
      [archivedMark(file), `${id}.archived`],
    ] as const) {
      const rest = await files.move(from, join(place, to));
      if (rest.ok || rest.error.code === 'not_found') continue;
      await files.move(join(place, `${id}.jsonl`), file);
      return err(fault(rest.error.code, rest.error.message));
    }
    return ok(null);
  } finally {
    await lock.value();
  }
}

/** Takes the session that was deleted last under an id out of the trash. Returns the file of its log. */
export async function restoreSession(
  { files, clock, latheHome }: TrashServices,
  sessionId: string,
): Promise<Result<string>> {
  if (!isSessionId(sessionId)) return err(gone(sessionId));
  const root = join(latheHome, 'trash');
  const [newest] = (await trashEntries(files, root))
    .filter(({ id }) => id === sessionId)
    .toSorted((a, b) => b.at - a.at);
  const slug = newest && (await onlyFolder(files, join(root, newest.name)));
  if (newest === undefined || slug === undefined) return err(gone(sessionId));
  const from = join(root, newest.name, slug);
  const to = join(latheHome, 'projects', slug);
  const log = join(to, `${sessionId}.jsonl`);
  if ((await files.stat(log)).ok) return err(fault('exists', `There is a session ${sessionId}.`));
  for (const name of [sessionId, `${sessionId}.archived`, `${sessionId}.jsonl`]) {
    const moved = await files.move(join(from, name), join(to, name));
    if (!moved.ok && moved.error.code !== 'not_found')
      return err(fault(moved.error.code, moved.error.message));
  }
  await files.remove(join(root, newest.name));
  // It was used now: it is not to go again as one that nobody uses.
  await files.touch(log, clock.date());
  return ok(log);
}

/** Deletes for good what was deleted long ago. What cannot be deleted is tried again the next time. */
export async function emptyTrash({ files, clock, latheHome }: TrashServices): Promise<void> {
  const root = join(latheHome, 'trash');
  for (const { name, at } of await trashEntries(files, root)) {
    if (at < clock.date() - KEPT_MS) await files.remove(join(root, name));
  }
}

/** Lists what is in the trash: the names of folders, when they came there in epoch milliseconds, and the ids of sessions. */
export async function trashEntries(files: Files, root: string) {
  const listed = await files.list(root);
  return (listed.ok ? listed.value : []).flatMap(({ name }) => {
    const [, at, id] = /^(\d{1,15})-(.+)$/.exec(name) ?? [];
    return at === undefined || id === undefined ? [] : [{ name, at: Number(at), id }];
  });
}

async function onlyFolder(files: Files, path: string): Promise<string | undefined> {
  const listed = await files.list(path);
  return listed.ok ? listed.value.find(({ kind }) => kind === 'directory')?.name : undefined;
}

const BUSY: Fault = fault('session_busy', 'It is open in another Lathe.', 'Close it there first.');

const gone = (sessionId: string): Fault =>
  fault('not_found', `There is no session ${sessionId} in the trash.`, 'It is kept for 30 days.');
