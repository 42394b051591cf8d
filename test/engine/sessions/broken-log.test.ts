import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEventLog, encodeLine } from '../../../src/main/engine/event-log';
import type { FileFault, Files } from '../../../src/main/engine/ports';
import { findSession, listSessions } from '../../../src/main/engine/sessions/list';
import { parseLog } from '../../../src/main/engine/sessions/load';
import { forkLog, resumeLog, startLog } from '../../../src/main/engine/sessions/open-log';
import { sessionPaths } from '../../../src/main/engine/sessions/paths';
import { createNodeFiles } from '../../../src/main/node/files';
import { createNodeLocks } from '../../../src/main/node/locks';
import { err, ok } from '../../../src/shared/result';
import { countingIds, memoryClock } from '../../support/memory-clock';

const SESSION = { sessionId: 'session-0001', project: '/p' };
const SESSION_FACTS = { id: SESSION.sessionId, project: SESSION.project };
const title = (text: string) =>
  encodeLine({ at: 1, event: { type: 'title_changed', title: text } });
const LATER = '{"at":2,"event":{"type":"from_the_future","x":[1]}}';

let latheHome: string;
let files: Files;
let file: string;
beforeEach(async () => {
  latheHome = await mkdtemp(join(tmpdir(), 'lathe-broken-log-'));
  files = createNodeFiles();
  file = sessionPaths(latheHome, SESSION.project, SESSION.sessionId).file;
});
afterEach(() => rm(latheHome, { recursive: true, force: true }));

const world = () => ({
  files,
  clock: memoryClock(),
  ids: countingIds(),
  locks: createNodeLocks(),
  latheHome,
});

/** Makes a session whose log ends with these bytes. */
async function withEnd(end: string | Uint8Array): Promise<Buffer> {
  const started = await startLog(world(), { ...SESSION, demo: false });
  if (!started.ok) throw new Error(started.error.message);
  await started.value.log.close();
  await started.value.release();
  const before = await readFile(file);
  await writeFile(file, Buffer.concat([before, Buffer.from(title('one')), Buffer.from(end)]));
  return before;
}

/** Resumes it, adds a title, and closes it again. */
async function goOn() {
  const opened = await resumeLog(world(), { ...SESSION, file });
  if (!opened.ok) throw new Error(opened.error.message);
  const { log, release, problems } = opened.value;
  const notices = log.transcript().active.filter(({ kind }) => kind === 'divider');
  const named = log.transcript().title;
  log.append({ type: 'title_changed', title: 'two' });
  await log.close();
  await release();
  return { notices, named, told: problems.map(({ message }) => message) };
}

const lines = async () => parseLog(await readFile(file));
const titles = async () =>
  (await lines()).lines.flatMap(({ event }) =>
    event.type === 'title_changed' ? [event.title] : [],
  );

describe('THREATS 18: a torn last line', () => {
  it.each<[string, string | Uint8Array]>([
    ['half a record', '{"at":1,"event":{"type":"user_mess'],
    [
      'bytes in the middle of a character',
      Buffer.from('{"at":1,"event":{"t":"ü', 'utf8').subarray(0, -1),
    ],
    ['zeros', '\0'.repeat(4096)],
    ['something else', 'rm -rf'],
  ])('is told, and its bytes are kept beside: %s', async (_, end) => {
    await withEnd(end);
    const { told, notices, named } = await goOn();
    expect(named).toBe('one');
    expect(told).toEqual([
      expect.stringMatching(/is torn \(\d+ bytes\).*kept in .*\.jsonl\.torn beside it\./),
    ]);
    expect(notices).toMatchObject([{ level: 'warning', code: 'session_file' }]);
    expect(await readFile(`${file}.torn`)).toEqual(Buffer.from(end));
    expect((await lines()).badLines).toEqual([]);
    expect(await titles()).toEqual(['one', 'two']);
    expect((await goOn()).told).toEqual([]);
  });

  it('does not replace what was kept before', async () => {
    await withEnd('{"one');
    await goOn();
    await writeFile(file, Buffer.concat([await readFile(file), Buffer.from('{"two')]));
    await goOn();
    expect(await readFile(`${file}.torn`, 'utf8')).toBe('{"one');
    expect(await readFile(`${file}.torn-2`, 'utf8')).toBe('{"two');
  });

  it('loses nothing of a line that was written right behind it', async () => {
    await withEnd(`{"at":1,"event":{"type":"user_mess${title('behind')}`);
    const { told, named } = await goOn();
    expect(named).toBe('behind');
    expect(told).toEqual([expect.stringMatching(/1 line .*line 3/)]);
    expect(await titles()).toEqual(['one', 'behind', 'two']);
  });

  it('that is whole but for its end counts, and nothing is told', async () => {
    await withEnd(title('late').trimEnd());
    const { told, named } = await goOn();
    expect({ told, named }).toEqual({ told: [], named: 'late' });
    expect(await titles()).toEqual(['one', 'late', 'two']);
  });

  it('stays where it is when there is no room beside, and what follows can be read', async () => {
    await withEnd('{"half');
    const full: FileFault = { code: 'no_space', path: file, message: 'The disk is full.' };
    files = { ...files, write: async () => err(full) };
    const { told } = await goOn();
    expect(told).toEqual([expect.stringContaining('It stays where it was.')]);
    expect(await readFile(file, 'utf8')).toContain('{"half\n');
    expect(await titles()).toEqual(['one', 'two']);
  });
});

describe('records of later versions', () => {
  it('are kept, and nothing is told', async () => {
    await withEnd(`${LATER}\n${title('three')}`);
    const { told, notices, named } = await goOn();
    expect({ told, notices, named }).toEqual({ told: [], notices: [], named: 'three' });
    expect(await readFile(file, 'utf8')).toContain(`${LATER}\n`);
  });

  it('are whole where only the end of the last line is missing', async () => {
    await withEnd(LATER);
    const { told, notices } = await goOn();
    expect({ told, notices }).toEqual({ told: [], notices: [] });
    expect(await readFile(file, 'utf8')).toContain(`${LATER}\n`);
  });

  it('go along into a copy, at their places', async () => {
    await withEnd(`${LATER}\n${title('three')}${LATER}\n`);
    const copy = await forkLog(world(), { ...SESSION, file }, 'session-0002');
    if (!copy.ok) throw new Error(copy.error.message);
    await copy.value.log.close();
    await copy.value.release();
    const text = await readFile(join(dirname(file), 'session-0002.jsonl'), 'utf8');
    expect(text.split('\n').slice(1)).toEqual([
      title('one').trimEnd(),
      LATER,
      title('three').trimEnd(),
      LATER,
      '',
    ]);
  });
});

it.each([
  ['is torn', (start: string) => start.slice(0, -9)],
  ['is gone', () => ''],
  ['became zeros', (start: string) => '\0'.repeat(start.length)],
])(
  'a session whose first line %s is listed, found and opened, and is whole again from then on',
  async (_, damage) => {
    const before = await withEnd('');
    const [start = ''] = before.toString().split('\n', 1);
    await writeFile(file, `${damage(start)}\n${title('one').repeat(3)}`);
    expect(await findSession(files, latheHome, SESSION.sessionId)).toBeNull();
    const own = await findSession(files, latheHome, SESSION.sessionId, [SESSION.project]);
    expect(own).toMatchObject({ title: 'one', project: SESSION.project, createdAt: 1 });
    expect(await listSessions(files, latheHome, SESSION.project)).toEqual([own]);
    expect(await listSessions(files, latheHome, '/q')).toEqual([]);

    const { named, told } = await goOn();
    expect(named).toBe('one');
    expect(told).toEqual([expect.stringMatching(/^The beginning .* is lost/)]);
    expect(/1 line .*\(line 1\)/.test(told[0] ?? '')).toBe(damage(start) !== '');
    const found = await findSession(files, latheHome, SESSION.sessionId);
    expect(found).toMatchObject({ title: 'two', project: SESSION.project, createdAt: 1 });
    expect((await readFile(file, 'utf8')).startsWith(`${damage(start)}\n`)).toBe(true);
  },
);

describe('a session of which too much is lost to name it', () => {
  const lost = (start: string): readonly (readonly [string, string | Uint8Array])[] => [
    ['is empty', ''],
    ['became zeros', '\0'.repeat(4096)],
    ['is something else', 'rm -rf\n{"at":1}\n[]\n'],
    ['is one long line without an end', '{"at":1,"event":{'.repeat(10_000)],
    ['has unreadable lines behind its first', `${start}\n{"at":1,"ev\n`],
    ['ends in the middle of its second line', `${start}\n{"at":1,"event":{"type":"user_me`],
  ];
  it.each(lost('x').map(([name], index) => [name, index] as const))(
    'is listed, opened with a notice and stays listed: its file %s',
    async (_, index) => {
      const [start = ''] = (await withEnd('')).toString().split('\n', 1);
      const bytes = Buffer.from(lost(start)[index]?.[1] ?? '');
      await writeFile(file, bytes);
      const listed = () => listSessions(files, latheHome, SESSION.project);
      const damaged = [{ ...SESSION_FACTS, title: 'Damaged session' }];
      expect(await listed()).toMatchObject(damaged);
      expect(await findSession(files, latheHome, SESSION.sessionId, ['/p'])).toMatchObject({
        title: 'Damaged session',
      });

      const opened = await resumeLog(world(), { ...SESSION, file });
      if (!opened.ok) throw new Error(opened.error.message);
      // Whatever is wrong with it: one notice, which names the file once.
      const notices = opened.value.log.transcript().active;
      expect(notices).toMatchObject([{ level: 'warning', code: 'session_file' }]);
      expect(JSON.stringify(notices).split(file)).toHaveLength(2);
      await opened.value.log.close();
      await opened.value.release();
      const torn = await readFile(`${file}.torn`).catch(() => Buffer.of());
      const kept = Buffer.concat([await readFile(file), torn]).toString('latin1');
      for (const line of bytes.toString('latin1').split('\n')) expect(kept).toContain(line);
      expect(await listed()).toMatchObject(damaged);
    },
  );

  it('does not make one of a session in which nothing was said', async () => {
    await writeFile(file, await withEnd(''));
    await writeFile(join(dirname(file), 'notes.jsonl'), 'no log');
    expect(await listSessions(files, latheHome, SESSION.project)).toEqual([]);
  });
});

it('a folder in the place of a log is listed behind all others, and who opens it is told', async () => {
  await withEnd('');
  const folder = join(dirname(file), 'session-0009.jsonl');
  await mkdir(folder);
  const [one, other] = await listSessions(files, latheHome, SESSION.project);
  expect(one).toMatchObject({ title: 'one' });
  expect(other).toMatchObject({ id: 'session-0009', title: 'Damaged session' });
  expect(await findSession(files, latheHome, 'session-0009', ['/p'])).toEqual(other);
  expect(
    await resumeLog(world(), { ...SESSION, sessionId: 'session-0009', file: folder }),
  ).toMatchObject({
    ok: false,
    error: { code: 'is_directory', message: `${folder} is a folder, not a file.` },
  });
});

it('a title that is longer than what lists read of a log is found, and cut', async () => {
  await withEnd('');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('"one"', `"${'T'.repeat(70_000)}"`));
  const [listed] = await listSessions(files, latheHome, SESSION.project);
  expect(listed?.title).toBe(`${'T'.repeat(199)}…`);
});

it.each([
  ['half a record', `{"at":1,"ev\n${title('three')}`],
  ['zeros between others', `${'\0'.repeat(4096)}\n${title('three')}`],
  ['zeros at the end', `${'\0'.repeat(4096)}\n`],
])('lines that stay unreadable are told once, and the notice stays: %s', async (_, end) => {
  await withEnd(end);
  for (let opened = 1; opened <= 3; opened += 1) {
    const { told, notices } = await goOn();
    expect(told).toEqual(opened === 1 ? [expect.stringMatching(/1 line .*line 3/)] : []);
    expect(notices).toMatchObject([
      { level: 'warning', code: 'session_file', text: expect.stringMatching(/1 line .*line 3/) },
    ]);
  }
  // One that came later is told with those before.
  await writeFile(file, `${await readFile(file, 'utf8')}[]\n${title('four')}`);
  expect((await goOn()).told).toEqual([expect.stringMatching(/2 lines .*line 3, \d/)]);
  expect((await goOn()).told).toEqual([]);
});

it('a log is read the same in pieces of any size', async () => {
  const text = `${title('ü'.repeat(3_000_000))}${title('two')}${'x'.repeat(5_000_000)}\n${title('three')}`;
  await withEnd(text);
  expect((await goOn()).told).toEqual([expect.stringMatching(/1 line .*line 5/)]);
  expect((await titles()).slice(-2)).toEqual(['three', 'two']);
  expect(await readdir(dirname(file))).not.toContain('session-0001.jsonl.torn');
});

it('a full disk keeps everything in memory, and takes it when there is room, also in a session that rests', async () => {
  const clock = memoryClock();
  let room = false;
  let written = '';
  const full: FileFault = {
    code: 'no_space',
    path: file,
    message: 'There is no space left on the disk.',
  };
  const log = createEventLog({
    sessionId: 's',
    epoch: 'e',
    clock,
    file: {
      append: async (data) => {
        if (!room) return err(full);
        written += data;
        return ok(null);
      },
      close: async () => {},
    },
  });
  for (let n = 0; n < 100; n++)
    log.append({ type: 'title_changed', title: `${n}${'x'.repeat(200_000)}` });
  await log.flush();
  await clock.advance(60_000);
  const told = () =>
    log.transcript().active.flatMap((item) => (item.kind === 'divider' ? [item.text] : []));
  expect(told()).toEqual([expect.stringContaining('no space left')]);
  room = true;
  await clock.advance(5_000);
  await log.flush();
  const kept = parseLog(new TextEncoder().encode(written));
  const numbers = kept.lines.flatMap(({ event }) =>
    event.type === 'title_changed' ? [Number.parseInt(event.title, 10)] : [],
  );
  expect(numbers).toEqual(Array.from({ length: 100 }, (_, n) => n));
  expect(kept.badLines).toEqual([]);
  expect(told()).toHaveLength(2);
  expect(told()[1]).toContain('nothing of it is missing');
  expect(clock.sleepers()).toBe(0);
  await log.close();
});

it('a full disk costs no more with each line that waits, and takes what there is room for', async () => {
  const clock = memoryClock();
  let room = 0;
  let asked = 0;
  let written = '';
  const full: FileFault = { code: 'no_space', path: file, message: 'Full.' };
  const log = createEventLog({
    sessionId: 's',
    epoch: 'e',
    clock,
    file: {
      append: async (data) => {
        asked += data.length;
        if (data.length > room) return err(full);
        room -= data.length;
        written += data;
        return ok(null);
      },
      close: async () => {},
    },
  });
  const LINE = 100_000;
  const LINES = 200;
  for (let n = 0; n < LINES; n++) {
    log.append({ type: 'title_changed', title: `${n} ${'x'.repeat(LINE)}` });
    await log.flush();
  }
  expect(asked).toBeLessThan(LINES * 12 * LINE);
  room = 5 * 1024 * 1024;
  await clock.advance(5_000);
  expect(written.length).toBeGreaterThan(4_000_000);
  room = Number.MAX_SAFE_INTEGER;
  await clock.advance(5_000);
  await log.flush();
  const numbers = parseLog(new TextEncoder().encode(written)).lines.flatMap(({ event }) =>
    event.type === 'title_changed' ? [Number.parseInt(event.title, 10)] : [],
  );
  expect(numbers).toEqual(Array.from({ length: LINES }, (_, n) => n));
  await log.close();
});
