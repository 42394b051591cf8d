import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFileFinder } from '../../src/main/app/file-finder';
import type { Programs } from '../../src/main/engine/ports';
import { createNodePrograms } from '../../src/main/node/programs';
import { err, ok } from '../../src/shared/result';
import { tempFolder } from '../node/temp-folder';
import { memoryClock } from '../support/memory-clock';

const NEVER = new AbortController().signal;
const breathe = () => Promise.resolve();

/** A folder with these files, and a finder for it whose clock stands still. */
async function projectWith(files: Readonly<Record<string, string>>) {
  const project = await tempFolder();
  const add = async (name: string, content = '') => {
    await mkdir(dirname(join(project, name)), { recursive: true });
    await writeFile(join(project, name), content);
  };
  for (const [name, content] of Object.entries(files)) await add(name, content);
  const clock = memoryClock();
  const finder = createFileFinder({ programs: createNodePrograms(), clock, breathe });
  const find = async (text: string, filesOnly = false) => {
    const answer = await finder.find({ project, text, filesOnly }, NEVER);
    return answer.ok ? answer.value.found.map(({ path }) => path) : answer.error.message;
  };
  return { project, add, clock, find };
}

const FILES = {
  '.gitignore': 'node_modules\n*.log\n',
  '.env.example': '',
  '.git/config': '',
  'node_modules/dep/auth.ts': '',
  'src/auth.ts': '',
  'src/forms/login form.ts': '',
  'src/forms/Übersicht.md': '',
  'debug.log': '',
  'readme.md': '',
};

it('finds files and folders by parts of their paths, and leaves out what git ignores', async () => {
  const { project, find } = await projectWith(FILES);
  expect(await find('auth')).toEqual(['src/auth.ts']);
  expect((await find('forms'))[0]).toBe('src/forms/');
  const inForms = ['src/forms/login form.ts', 'src/forms/Übersicht.md'];
  expect([...(await find('forms', true))].sort()).toEqual(inForms);
  expect(await find('login form')).toEqual(['src/forms/login form.ts']);
  expect(await find('übers')).toEqual(['src/forms/Übersicht.md']);
  expect(await find('debug')).toEqual([]);
  expect(await find('config')).toEqual([]);
  await symlink('/etc', join(project, 'away'));
  expect(await find('passwd')).toEqual([]);
});

it('shows what is in the project itself while nothing is typed', async () => {
  const { find } = await projectWith(FILES);
  expect(await find('')).toEqual(['.env.example', '.gitignore', 'readme.md', 'src/']);
});

it('finds nothing in an empty folder, and says when a folder cannot be listed', async () => {
  const { find } = await projectWith({});
  expect(await find('a')).toEqual([]);
  const finder = createFileFinder({
    programs: createNodePrograms(),
    clock: memoryClock(),
    breathe,
  });
  const gone = await finder.find({ project: '/nowhere/at/all', text: '' }, NEVER);
  expect(gone).toMatchObject({ ok: false, error: { code: 'cannot_list' } });
});

it('lists a project anew when its index is old, and asks once for many questions', async () => {
  const { add, clock, find } = await projectWith(FILES);
  expect(await find('brandnew')).toEqual([]);
  await add('src/brandnew.ts');
  expect(await find('brandnew')).toEqual([]);
  await clock.advance(3_000);
  expect(await find('brandnew')).toEqual(['src/brandnew.ts']);
});

describe('a huge project', () => {
  const COUNT = 100_000;
  const listing = new TextEncoder().encode(
    Array.from({ length: COUNT }, (_, n) => `./packages/p${n % 100}/src/file-${n}.ts\0`).join(''),
  );
  const huge = (truncated = false): Programs & { readonly runs: () => number } => {
    let runs = 0;
    return {
      ripgrep: 'rg',
      run: async () => {
        runs += 1;
        return ok({ exitCode: 0, stdout: listing, stderr: '', truncated });
      },
      runs: () => runs,
    };
  };

  it('is listed once for many questions, and other work runs in between', async () => {
    let pauses = 0;
    const programs = huge();
    const finder = createFileFinder({
      programs,
      clock: memoryClock(),
      breathe: async () => {
        pauses += 1;
      },
    });
    const ask = (text: string) => finder.find({ project: '/p', text }, NEVER);
    const [first, second] = await Promise.all([ask('file-99999'), ask('p7/')]);
    expect(programs.runs()).toBe(1);
    expect(pauses).toBeGreaterThan(3 * (COUNT / 10_000));
    expect(first).toMatchObject({
      ok: true,
      value: { found: [{ path: 'packages/p99/src/file-99999.ts' }], partial: false },
    });
    expect(second.ok && second.value.found[0]?.path).toBe('packages/p7/');
    expect(second.ok && second.value.found.length).toBe(60);
  });

  it('says so when not all of it could be listed', async () => {
    const finder = createFileFinder({ programs: huge(true), clock: memoryClock(), breathe });
    const answer = await finder.find({ project: '/p', text: 'file-1' }, NEVER);
    expect(answer).toMatchObject({ ok: true, value: { partial: true } });
  });

  it('stops looking when the question is taken back', async () => {
    const control = new AbortController();
    let pauses = 0;
    const finder = createFileFinder({
      programs: huge(),
      clock: memoryClock(),
      breathe: async () => {
        pauses += 1;
      },
    });
    await finder.find({ project: '/p', text: 'file' }, NEVER);
    pauses = 0;
    control.abort();
    await finder.find({ project: '/p', text: 'file' }, control.signal);
    expect(pauses).toBe(1);
  });

  it('waits a little for the new index of a small one, and answers from the old when that takes long', async () => {
    const clock = memoryClock();
    let slow = false;
    const stdout = new TextEncoder().encode('./src/file-42.ts\0');
    const finder = createFileFinder({
      programs: {
        ripgrep: 'rg',
        run: async () =>
          slow ? new Promise(() => {}) : ok({ exitCode: 0, stdout, stderr: '', truncated: false }),
      },
      clock,
      breathe,
    });
    await finder.find({ project: '/p', text: 'x' }, NEVER);
    slow = true;
    await clock.advance(10_000);
    const answer = finder.find({ project: '/p', text: 'file-42.ts' }, NEVER);
    while (clock.sleepers() === 0) await new Promise((resume) => setImmediate(resume));
    await clock.advance(250);
    const answered = await answer;
    expect(answered.ok && answered.value.found[0]?.path).toBe('src/file-42.ts');
  });

  it('goes on with a new list only when no key waits for its answer', async () => {
    const clock = memoryClock();
    const programs = huge();
    let pauses = 0;
    const finder = createFileFinder({
      programs,
      clock,
      breathe: () => {
        pauses += 1;
        return new Promise((resume) => setImmediate(resume));
      },
    });
    await finder.find({ project: '/p', text: 'file' }, NEVER);
    await clock.advance(10_000);
    await finder.find({ project: '/p', text: 'package' }, NEVER);
    pauses = 0;
    const answer = await finder.find({ project: '/p', text: 'src' }, NEVER);
    expect(programs.runs()).toBe(2);
    const searched = answer.ok ? answer.value.searched : 0;
    expect(pauses).toBeLessThanOrEqual(Math.ceil(searched / 5_000) + 1);
  });

  it('answers a key at once from the old index, and later ones from the new', async () => {
    const clock = memoryClock();
    const listing = (extra: readonly string[]) =>
      new TextEncoder().encode(
        [...Array.from({ length: 30_000 }, (_, at) => `./src/${at}.ts`), ...extra].join('\0') +
          '\0',
      );
    let next = Promise.resolve(listing([]));
    const finder = createFileFinder({
      programs: {
        ripgrep: 'rg',
        run: async () => ok({ exitCode: 0, stdout: await next, stderr: '', truncated: false }),
      },
      clock,
      breathe,
    });
    const found = async () => {
      const answer = await finder.find({ project: '/p', text: 'fresh' }, NEVER);
      return answer.ok ? answer.value.found.map(({ path }) => path) : answer.error;
    };
    expect(await found()).toEqual([]);
    const { promise, resolve } = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
    next = promise;
    await clock.advance(10_000);
    expect(await found()).toEqual([]);
    expect(clock.sleepers()).toBe(0);
    resolve(listing(['./src/fresh.ts']));
    await expect.poll(found).toEqual(['src/fresh.ts']);
  });

  it('keeps the order of the alphabet, however many there are', async () => {
    const names = Array.from({ length: 12_345 }, (_, at) => `./n${(at * 7919) % 12_345}`);
    const finder = createFileFinder({
      programs: {
        ripgrep: 'rg',
        run: async () =>
          ok({
            exitCode: 0,
            stdout: new TextEncoder().encode(`${names.join('\0')}\0`),
            stderr: '',
            truncated: false,
          }),
      },
      clock: memoryClock(),
      breathe,
    });
    const answer = await finder.find({ project: '/p', text: '' }, NEVER);
    const expected = names.map((name) => name.slice(2)).sort();
    expect(answer.ok && answer.value.found.map(({ path }) => path)).toEqual(expected.slice(0, 60));
    expect(answer.ok && answer.value.searched).toBe(names.length);
  });

  it('says why when the listing fails', async () => {
    const finder = createFileFinder({
      programs: {
        ripgrep: 'rg',
        run: async () => err({ code: 'timeout', message: 'It took longer than 30 s.' }),
      },
      clock: memoryClock(),
      breathe,
    });
    const answer = await finder.find({ project: '/p', text: '' }, NEVER);
    expect(answer).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('30 s') },
    });
  });
});

it('finds the same key by key as at once, forth and back, files only or not, and what was added meanwhile', async () => {
  const { add, clock, find } = await projectWith(FILES);
  const { find: fresh } = await projectWith({ ...FILES, 'src/formula.ts': '' });
  const typed = ['f', 'fo', 'for', 'form', 'fo', 'form', 'src/f', 'src/fo'];
  for (const text of typed) {
    const { find: once } = await projectWith(FILES);
    expect(await find(text)).toEqual(await once(text));
    expect(await find(text, true)).toEqual(await once(text, true));
  }
  await add('src/formula.ts');
  await clock.advance(60_000);
  await find('fo');
  expect(await find('form')).toEqual(await fresh('form'));
});

it('a listing in which nothing came or went is not worked out again, in whatever order it comes', async () => {
  const names = Array.from({ length: 20_000 }, (_, at) => `./src/part-${at % 90}/file-${at}.ts`);
  let listing = names;
  let breaths = 0;
  const programs: Programs = {
    ...createNodePrograms(),
    run: async () => {
      const stdout = new TextEncoder().encode(`${listing.join('\0')}\0`);
      return ok({ stdout, truncated: false, exitCode: 0, stderr: '' });
    },
  };
  const clock = memoryClock();
  const counted = async () => {
    breaths += 1;
  };
  const finder = createFileFinder({ programs, clock, breathe: counted });
  const find = async (text: string) => {
    breaths = 0;
    const answer = await finder.find({ project: '/p', text }, NEVER);
    return answer.ok ? answer.value.found.map(({ path }) => path) : [];
  };
  expect(await find('file-19999')).toEqual(['src/part-19/file-19999.ts']);
  await clock.advance(3_000);
  listing = names.toReversed();
  expect(await find('file-19999.ts')).toEqual(['src/part-19/file-19999.ts']);
  // Only the bytes were looked at: what was worked out, and what fitted before, still holds.
  expect(breaths).toBeLessThan(3);
  await clock.advance(3_000);
  listing = [...names.slice(1), './src/part-19/file-19999.tsx'];
  expect(await find('file-19999.ts')).toContain('src/part-19/file-19999.tsx');
  expect(breaths).toBeGreaterThan(5);
});
