import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventLog } from '../../../src/main/engine/event-log';
import { listSessions } from '../../../src/main/engine/sessions/list';
import { type OpenLog, resumeLog, startLog } from '../../../src/main/engine/sessions/open-log';
import { sessionPaths } from '../../../src/main/engine/sessions/paths';
import { createNodeFiles } from '../../../src/main/node/files';
import type { Result } from '../../../src/shared/result';
import { createTestLocks } from '../../support/locks';
import { countingIds, memoryClock } from '../../support/memory-clock';

const sessionId = '00000000-0000-4000-8000-000000000001';
const project = '/project';
const files = createNodeFiles();
const locks = createTestLocks();
let latheHome = '';
beforeEach(async () => {
  latheHome = await mkdtemp(join(tmpdir(), 'lathe-title-'));
});
afterEach(async () => {
  await locks.release();
  await rm(latheHome, { recursive: true, force: true });
});

const services = () => ({ files, locks, latheHome, clock: memoryClock(), ids: countingIds() });
const file = () => sessionPaths(latheHome, project, sessionId).file;

const opened = (log: Result<OpenLog>): OpenLog => {
  if (!log.ok) throw new Error(log.error.message);
  return log.value;
};
const open = async () => opened(await startLog(services(), { sessionId, project, demo: false }));
const again = async () => opened(await resumeLog(services(), { file: file(), sessionId, project }));
async function close({ log, release }: OpenLog): Promise<void> {
  await log.close();
  await release();
}

/** Says so many lines of 3 kB, in characters of three bytes each. */
async function talk(log: EventLog, lines: number): Promise<void> {
  for (let line = 0; line < lines; line++) {
    log.append({
      ...{ type: 'user_message', id: `u${line}` },
      content: [{ type: 'text', text: '修'.repeat(1_000) }],
    });
    // Each by itself, as they come.
    await log.flush();
  }
}

const listed = async () => (await listSessions(files, latheHome, project)).map((s) => s.title);
const titleLines = async () =>
  (await readFile(file(), 'utf8')).split('\n').filter((line) => line.includes('title_changed'));

describe('the title of a long session in the list', () => {
  it('is the one given in its middle, at every moment and after a restart', async () => {
    const first = await open();
    first.log.append({ type: 'title_changed', title: 'first words' });
    await talk(first.log, 60);
    first.log.append({ type: 'title_changed', title: 'Harbour' });
    for (let part = 0; part < 10; part++) {
      await talk(first.log, 9);
      expect(await listed()).toEqual(['Harbour']);
    }
    expect((await titleLines()).length).toBeLessThan(12);
    await close(first);
    const second = await again();
    await talk(second.log, 40);
    expect(await listed()).toEqual(['Harbour']);
    second.log.append({ type: 'title_changed', title: 'Lights' });
    await talk(second.log, 60);
    expect(await listed()).toEqual(['Lights']);
    await close(second);
  });

  it('is the one given behind a line that is longer than what lists read', async () => {
    const long = await open();
    long.log.append({ type: 'title_changed', title: 'first words' });
    await talk(long.log, 60);
    long.log.append({ type: 'title_changed', title: 'Harbour' });
    long.log.append({
      ...{ type: 'user_message', id: 'long' },
      content: [{ type: 'text', text: 'x'.repeat(500_000) }],
    });
    await long.log.flush();
    expect(await listed()).toEqual(['Harbour']);
    await close(long);
  });

  it('brings along its colour, also one that came later and was another before', async () => {
    const long = await open();
    long.log.append({ type: 'title_changed', title: 'first words' });
    long.log.append({ type: 'color_changed', color: 'green' });
    await talk(long.log, 60);
    const colors = async () =>
      (await listSessions(files, latheHome, project)).map(({ color }) => color);
    for (const color of ['red', 'blue', null] as const) {
      long.log.append({ type: 'color_changed', color });
      await talk(long.log, 60);
      expect(await colors()).toEqual([color ?? undefined]);
      expect(await listed()).toEqual(['first words']);
    }
    await close(long);
    const { log } = await again();
    expect(log.transcript()).toMatchObject({ title: 'first words' });
    await log.close();
  });

  it('is written once when it was given at the beginning', async () => {
    const plain = await open();
    plain.log.append({ type: 'title_changed', title: 'first words' });
    await talk(plain.log, 100);
    expect(await listed()).toEqual(['first words']);
    expect(await titleLines()).toHaveLength(1);
    await close(plain);
  });
});
