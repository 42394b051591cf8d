import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type DebugLog, type DebugLogOptions, openDebugLog } from '../../src/main/node/debug-log';
import { tempFolder } from './temp-folder';

const AT = Date.UTC(2026, 10, 22, 11, 29, 8, 123);

/** Opens a log in a fresh folder; `failures` fills with what the user is told. */
async function open(options: Partial<DebugLogOptions> = {}) {
  const folder = join(await tempFolder(), 'logs');
  const failures: string[] = [];
  const opened = openDebugLog({
    folder,
    clock: { date: () => AT },
    pid: 77,
    onFailure: (why) => failures.push(why),
    ...options,
  });
  return { folder, failures, opened, log: opened.ok ? opened.value : null };
}

const linesOf = async (path: string): Promise<Record<string, unknown>[]> =>
  (await readFile(path, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

it('writes records and texts at once, for its owner only', async () => {
  const { folder, log } = await open();
  expect(log?.path).toBe(join(folder, 'debug-2026-11-22T11-29-08-123Z-77.log'));
  const path = log?.path ?? '';
  log?.record('sent', { request: 1, words: 'Grüße\n' });
  expect(await linesOf(path)).toEqual([
    { at: '2026-11-22T11:29:08.123Z', what: 'sent', request: 1, words: 'Grüße\n' },
  ]);
  const kept = log?.keep('{"model":"m"}') ?? '';
  expect(kept).toBe(join(`${path}.texts`, '0001.json'));
  expect(await readFile(kept, 'utf8')).toBe('{"model":"m"}');
  expect(await Promise.all([folder, path, `${path}.texts`, kept].map(modeOf))).toEqual([
    0o700, 0o600, 0o700, 0o600,
  ]);
});

it('begins a new file when one is full, and keeps the one before it', async () => {
  const { log } = await open({ limits: { fileBytes: 200 } });
  for (let n = 0; n < 10; n += 1) log?.record('n', { n, filler: 'x'.repeat(40) });
  const path = log?.path ?? '';
  expect((await stat(path)).size).toBeLessThanOrEqual(200);
  const numbers = [...(await linesOf(`${path}.1`)), ...(await linesOf(path))].map(({ n }) => n);
  expect(numbers).toEqual([8, 9].slice(-numbers.length));
  expect(numbers.at(-1)).toBe(9);
});

it('cuts a long text, and removes the oldest when all together are too long', async () => {
  const { log } = await open({ limits: { textChars: 10, textsChars: 25 } });
  for (let n = 0; n < 4; n += 1) log?.keep(`${n}`.repeat(100));
  const folder = `${log?.path}.texts`;
  const names = (await readdir(folder)).sort();
  expect(names).toEqual(['0003.json', '0004.json']);
  expect(await readFile(join(folder, '0004.json'), 'utf8')).toBe('3333333333');
});

it('removes the logs of old runs with all that belongs to them, and nothing else', async () => {
  const folder = await tempFolder();
  const run = (day: number) => `debug-2026-11-0${day}T00-00-00-000Z-1.log`;
  for (const day of [1, 2, 3]) {
    await writeFile(join(folder, run(day)), '');
    await writeFile(join(folder, `${run(day)}.1`), '');
    await mkdir(join(folder, `${run(day)}.texts`));
  }
  await writeFile(join(folder, 'mine.log'), '');
  const { log } = await open({ folder, limits: { runs: 1 } });
  expect((await readdir(folder)).sort()).toEqual(
    [
      run(3),
      `${run(3)}.1`,
      `${run(3)}.texts`,
      log?.path.slice(folder.length + 1),
      'mine.log',
    ].sort(),
  );
});

it('adds to a file of the user, and says why it cannot be opened', async () => {
  const file = join(await tempFolder(), 'deep', 'my.log');
  for (let n = 0; n < 2; n += 1) (await open({ file })).log?.record('start', { n });
  expect((await linesOf(file)).map(({ n }) => n)).toEqual([0, 1]);
  const { opened } = await open({ file: join(file, 'below') });
  expect(opened).toEqual({ ok: false, error: expect.stringContaining('is a file') });
});

it.runIf(process.platform === 'linux')('tells once that the disk is full', async () => {
  const full = join(await tempFolder(), 'full');
  await symlink('/dev/full', full);
  const { log, failures } = await open({ file: full });
  const write = (to: DebugLog | null) => to?.record('x', {});
  write(log);
  write(log);
  expect(log?.keep('x')).toBeNull();
  expect(failures).toEqual([expect.stringContaining('No space left')]);
});
