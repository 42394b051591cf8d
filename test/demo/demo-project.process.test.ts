import { execFile } from 'node:child_process';
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { prepareDemoProject } from '../../src/main/demo/demo-project';
import { readTestCounts } from '../../src/main/demo/history';
import {
  CLOCK,
  DEPARTURES,
  FAILING_TEST,
  judgeClock,
  MISTAKE,
  REPAIR,
  SMALLER_REPAIR,
  SUSPECT,
  TEST_COMMAND,
} from '../../src/main/demo/sample';
import { SAMPLE } from './projects';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'lathe demo ü '));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const place = () => join(home, 'demo', 'sample-project');

describe('the copy of the sample project', () => {
  test('is made where there is none, whole and without leftovers', async () => {
    expect(await prepareDemoProject(SAMPLE, place())).toEqual({ ok: true, value: place() });
    const names = await readdir(SAMPLE, { recursive: true });
    expect(names).toContain('dot-gitignore');
    expect((await readdir(place(), { recursive: true })).sort()).toEqual(
      names.map((name) => name.replace(/^dot-/, '.')).sort(),
    );
    expect(await readFile(join(place(), CLOCK))).toEqual(await readFile(join(SAMPLE, CLOCK)));
    expect(await readdir(join(home, 'demo'))).toEqual(['sample-project']);
  });

  test('is used again while it is unchanged', async () => {
    await prepareDemoProject(SAMPLE, place());
    expect(await prepareDemoProject(SAMPLE, place())).toEqual({ ok: true, value: place() });
  });

  test.each([
    ['a changed file', () => appendFile(join(place(), CLOCK), '// mine')],
    [
      'a file of one length with other bytes',
      async () => {
        const file = join(place(), CLOCK);
        await writeFile(file, (await readFile(file, 'utf8')).replace('time - now', 'now - time'));
      },
    ],
    ['a new file', () => writeFile(join(place(), 'notes.txt'), 'mine')],
    ['a missing file', () => rm(join(place(), 'README.md'))],
  ])('leaves %s alone and makes a numbered copy', async (_what, change) => {
    await prepareDemoProject(SAMPLE, place());
    await change();
    const before = await readdir(place());
    expect(await prepareDemoProject(SAMPLE, place())).toEqual({ ok: true, value: `${place()}-2` });
    expect(await readdir(place())).toEqual(before);
    expect(await prepareDemoProject(SAMPLE, place())).toEqual({ ok: true, value: `${place()}-2` });
  });

  test('is made once when asked for twice at the same moment', async () => {
    const made = await Promise.all([1, 2, 3].map(() => prepareDemoProject(SAMPLE, place())));
    expect(made).toEqual(Array(3).fill({ ok: true, value: place() }));
    expect(await readdir(join(home, 'demo'))).toEqual(['sample-project']);
  });

  test('a file in the way is not touched', async () => {
    await writeFile(join(home, 'x'), 'mine');
    expect(await prepareDemoProject(SAMPLE, join(home, 'x'))).toEqual({
      ok: true,
      value: join(home, 'x-2'),
    });
    expect(await readFile(join(home, 'x'), 'utf8')).toBe('mine');
  });

  test('says what went wrong when it cannot be made', async () => {
    await writeFile(join(home, 'file'), '');
    const made = await prepareDemoProject(SAMPLE, join(home, 'file', 'below', 'it'));
    expect(made).toMatchObject({
      ok: false,
      error: { code: 'demo_copy_failed', fix: expect.any(String) },
    });
    expect(await prepareDemoProject(join(home, 'none'), place())).toMatchObject({ ok: false });
  });
});

describe('what the script knows of the sample', () => {
  const read = (path: string) => readFile(join(SAMPLE, path), 'utf8');

  test('is what the files say', async () => {
    const clock = await read(CLOCK);
    expect(clock.split(MISTAKE)).toHaveLength(2);
    expect(clock).toContain(`function ${SUSPECT}(time, now)`);
    expect(await read(DEPARTURES)).toContain(SUSPECT);
    expect(await read(FAILING_TEST)).toContain('before midnight');
    expect(JSON.parse(await read('package.json'))).toMatchObject({
      scripts: { test: expect.any(String) },
    });
    expect(TEST_COMMAND).toBe('npm test');
    expect(judgeClock(clock)).toBe('mistaken');
    expect(judgeClock('return 42;')).toBe('unknown');
  });

  test.each([
    ['as shipped', MISTAKE, { passed: 3, failed: 1 }],
    ['with the repair', REPAIR, { passed: 4, failed: 0 }],
    ['with the smaller repair', SMALLER_REPAIR, { passed: 4, failed: 0 }],
  ])('is true: its tests %s', async (_what, line, counts) => {
    await prepareDemoProject(SAMPLE, place());
    const clock = (await read(CLOCK)).replace(MISTAKE, line);
    await writeFile(join(place(), CLOCK), clock);
    expect(judgeClock(clock)).toBe(line === MISTAKE ? 'mistaken' : 'repaired');
    const argv = ['--test', '--test-reporter=spec', FAILING_TEST];
    const env = { PATH: process.env['PATH'] ?? '' };
    const run = promisify(execFile)(process.execPath, argv, { cwd: place(), env });
    const output = await run.then(
      (r) => r.stdout,
      (e: { stdout: string }) => e.stdout,
    );
    expect(readTestCounts(output)).toEqual(counts);
  });
});

test.each([
  ['plain', 'ℹ pass 20\nℹ fail 1\n', { passed: 20, failed: 1 }],
  [
    'coloured, with carriage returns',
    '\x1b[34mℹ pass 20\x1b[39m\r\n\x1b[34mℹ fail 0\x1b[39m\r\n',
    { passed: 20, failed: 0 },
  ],
  ['TAP', '# pass 2\n# fail 0', { passed: 2, failed: 0 }],
  ['the last of two runs', 'ℹ pass 1\nℹ fail 1\nℹ pass 2\nℹ fail 0\n', { passed: 2, failed: 0 }],
  ['a run that is not over', '✔ the 06:10 ferry\n', null],
  ['words that only look like it', 'ℹ pass the salt\nfail 3\n', null],
])('reads counts: %s', (_what, output, counts) => expect(readTestCounts(output)).toEqual(counts));
