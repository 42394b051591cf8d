import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findSession, listSessions, listTrash } from '../../../src/main/engine/sessions/list';
import { projectFolder, sessionPaths } from '../../../src/main/engine/sessions/paths';
import {
  emptyTrash,
  restoreSession,
  setArchived,
  trashSession,
} from '../../../src/main/engine/sessions/trash';
import { createNodeFiles } from '../../../src/main/node/files';
import { createTestLocks } from '../../support/locks';
import { memoryClock } from '../../support/memory-clock';

const PROJECT = '/srv/harbour';
const ID = '11111111-2222-4333-8444-555555555555';
const DAY_MS = 24 * 60 * 60 * 1000;

const files = createNodeFiles();
let latheHome = '';
beforeEach(async () => {
  latheHome = await mkdtemp(join(tmpdir(), 'lathe-trash-'));
});
afterEach(() => rm(latheHome, { recursive: true, force: true }));

const services = (clock = memoryClock(1_000_000_000_000)) => ({
  ...{ files, latheHome, clock, locks: createTestLocks() },
});

/** Writes a session with a saved result. */
async function written(title = 'Name the ships') {
  const { file, folder } = sessionPaths(latheHome, PROJECT, ID);
  const lines = [
    { type: 'session_started', version: 1, cwd: PROJECT, createdAt: 1 },
    { type: 'title_changed', title },
  ];
  await files.write(file, lines.map((event) => `${JSON.stringify({ at: 1, event })}\n`).join(''));
  await files.write(join(folder, 'results', 'one.txt'), 'long');
  return { id: ID, file };
}

const listed = async () =>
  (await listSessions(files, latheHome, PROJECT)).map(({ id, archived }) => [id, archived]);

it('archives a session and takes it out again', async () => {
  const session = await written();
  expect(await setArchived(files, session, true)).toMatchObject({ ok: true });
  expect(await listed()).toEqual([[ID, true]]);
  expect(await setArchived(files, session, false)).toMatchObject({ ok: true });
  expect(await setArchived(files, session, false)).toMatchObject({ ok: true });
  expect(await listed()).toEqual([[ID, undefined]]);
});

it('moves a session with all that belongs to it into the trash and back', async () => {
  const session = await written();
  await setArchived(files, session, true);
  expect(await trashSession(services(), session)).toMatchObject({ ok: true });
  expect(await readdir(projectFolder(latheHome, PROJECT))).toEqual([]);
  expect(await findSession(files, latheHome, ID)).toBeNull();
  const trashed = { id: ID, title: 'Name the ships', deletedAt: 1_000_000_000_000 };
  expect(await listTrash(services(), PROJECT)).toEqual([trashed]);
  expect(await listTrash(services(), '/srv/other')).toEqual([]);
  expect(await restoreSession(services(), ID)).toEqual({ ok: true, value: session.file });
  expect(await listed()).toEqual([[ID, true]]);
  expect((await readdir(projectFolder(latheHome, PROJECT))).toSorted()).toEqual([
    ID,
    `${ID}.archived`,
    `${ID}.jsonl`,
  ]);
  expect(await readdir(join(latheHome, 'trash'))).toEqual([]);
});

it('leaves a session alone that is open elsewhere', async () => {
  const session = await written();
  const at = services();
  const lock = await at.locks.acquire(`${session.file}.lock`);
  expect(await trashSession(at, session)).toMatchObject({ error: { code: 'session_busy' } });
  expect(await listed()).toEqual([[ID, undefined]]);
  if (lock.ok) await lock.value();
  expect(await trashSession(at, session)).toMatchObject({ ok: true });
});

it('gives back the one that was deleted last, and never over another one', async () => {
  const clock = memoryClock(1_000_000_000_000);
  await trashSession(services(clock), await written('First'));
  await clock.advance(1);
  await trashSession(services(clock), await written('Second'));
  expect(await restoreSession(services(), ID)).toMatchObject({ ok: true });
  expect((await findSession(files, latheHome, ID))?.title).toBe('Second');
  expect(await restoreSession(services(), ID)).toMatchObject({ error: { code: 'exists' } });
  await trashSession(services(), await written('Third'));
  for (const wrong of ['nothing-here', '../../escape', ID.replace('1', '9')])
    expect(await restoreSession(services(), wrong)).toMatchObject({ error: { code: 'not_found' } });
});

it('forgets what was deleted a month ago', async () => {
  const clock = memoryClock(1_000_000_000_000);
  await trashSession(services(clock), await written());
  await writeFile(join(latheHome, 'trash', 'mine.txt'), 'kept');
  await clock.advance(29 * DAY_MS);
  await emptyTrash(services(clock));
  expect(await readdir(join(latheHome, 'trash'))).toHaveLength(2);
  await clock.advance(2 * DAY_MS);
  await emptyTrash(services(clock));
  expect(await readdir(join(latheHome, 'trash'))).toEqual(['mine.txt']);
});
