import { readFile, rename, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPlainScan } from '../../src/main/search/plain-scan';
import { createSearchIndex } from '../../src/main/search/search-index';
import { parseSearch } from '../../src/main/search/words';
import { tempFolder } from '../node/temp-folder';
import { runs } from '../support/runs';
import {
  answer,
  appendLog,
  itemsOf,
  logPath,
  places,
  prompt,
  searchAll,
  settled,
  started,
  textOf,
  titled,
  writeLog,
} from './logs';

function openIndex(folder: string) {
  const { index, ...folders } = places(folder);
  const opened: string[] = [];
  const search = createSearchIndex(folders, index, (path) => {
    opened.push(path);
    return new DatabaseSync(path);
  });
  onTestFinished(() => search.close());
  return { ...search, opened };
}

describe('the search index', () => {
  it('finds prompts, answers, calls and their results, newest first, with the title of their session', async () => {
    const folder = await tempFolder();
    await writeLog(folder, 'aaaa', [started(), prompt(10, 'Mend the lamp'), answer(40, 'A lamp.')]);
    await writeLog(folder, 'bbbb', [
      started('/other'),
      prompt(20, 'Hello'),
      settled(30, 'lamp.ts', 'no such file'),
      titled(50, 'Greetings'),
    ]);
    const found = await searchAll(openIndex(folder), 'lamp');
    expect(found).toMatchObject({ more: false, progress: null, note: null });
    expect(found.hits).toMatchObject([
      {
        sessionId: 'session-aaaa',
        itemId: 'm40:0',
        who: 'assistant',
        at: 40,
        title: 'Mend the lamp',
      },
      {
        sessionId: 'session-bbbb',
        itemId: 'c30',
        who: 'tool',
        project: '/other',
        title: 'Greetings',
      },
      { sessionId: 'session-aaaa', itemId: 'p10', who: 'user', project: '/project' },
    ]);
    expect(itemsOf(await searchAll(openIndex(folder), '"such file"'))).toEqual(['bbbb/c30']);
  });

  it('finds what stands far on in a long message', async () => {
    const folder = await tempFolder();
    const long = `${'sea '.repeat(200_000)}lighthouse`;
    await writeLog(folder, 'aaaa', [started(), prompt(10, long), answer(40, long)]);
    const found = await searchAll(openIndex(folder), 'lighthouse');
    expect(itemsOf(found)).toEqual(['aaaa/m40:0', 'aaaa/p10']);
    const [{ snippet } = { snippet: [] }] = found.hits;
    expect(snippet.map(({ text }) => text).join('')).toMatch(/^… sea .*sea lighthouse$/);
  });

  it('reads only what is new, and a log that was replaced from its beginning', async () => {
    const folder = await tempFolder();
    await writeLog(folder, 'aaaa', [started(), prompt(10, 'one lamp')]);
    const search = openIndex(folder);
    expect(itemsOf(await searchAll(search, 'lamp'))).toEqual(['aaaa/p10']);
    await appendLog(folder, 'aaaa', [answer(20, 'two lamps')]);
    expect(itemsOf(await searchAll(search, 'lamp'))).toEqual(['aaaa/m20:0', 'aaaa/p10']);
    // Longer than before, and another content.
    await writeLog(folder, 'aaaa', [
      started('/moved'),
      prompt(30, 'a candle'),
      answer(31, 'x'.repeat(900)),
    ]);
    expect(itemsOf(await searchAll(search, 'lamp'))).toEqual([]);
    expect((await searchAll(search, 'candle')).hits).toMatchObject([{ project: '/moved', at: 30 }]);
    await truncate(logPath(folder, 'aaaa'), textOf([started('/moved')]).length);
    expect(itemsOf(await searchAll(search, 'candle'))).toEqual([]);
  });

  it('takes a line in when it is whole, and passes over what is none', async () => {
    const folder = await tempFolder();
    const [head, last] = [
      textOf([started(), prompt(10, 'a lamp')]),
      textOf([answer(20, 'new lamp 漢字')]),
    ];
    await writeLog(folder, 'aaaa', []);
    const bytes = Buffer.from(`${head}not json\n{"at":1}\n\n${last}`);
    const search = openIndex(folder);
    for (const cut of [bytes.length - 1, bytes.length - 12, Buffer.from(head).length]) {
      await writeFile(logPath(folder, 'aaaa'), bytes.subarray(0, cut));
      expect(itemsOf(await searchAll(search, 'lamp')), `${cut}`).toEqual(['aaaa/p10']);
    }
    await writeFile(logPath(folder, 'aaaa'), bytes);
    expect(itemsOf(await searchAll(search, 'lamp'))).toEqual(['aaaa/m20:0', 'aaaa/p10']);
  });

  it('forgets sessions whose logs are gone, and leaves out what is no session', async () => {
    const folder = await tempFolder();
    await writeLog(folder, 'aaaa', [started(), prompt(10, 'a lamp')]);
    await writeLog(folder, 'bbbb', [prompt(11, 'a lamp without a beginning')]);
    await writeFile(
      logPath(folder, 'aaaa').replace('session-aaaa', '.hidden'),
      textOf([started()]),
    );
    const search = openIndex(folder);
    expect(itemsOf(await searchAll(search, 'lamp'))).toEqual(['aaaa/p10']);
    await rm(logPath(folder, 'aaaa'));
    expect(itemsOf(await searchAll(search, 'lamp'))).toEqual([]);
  });

  it('reads a line longer than a part, and a log of many parts', async () => {
    const folder = await tempFolder();
    const long = `needle ${'hay '.repeat(800_000)}`;
    const many = Array.from({ length: 40 }, (_, i) => answer(100 + i, `${'hay '.repeat(20_000)} `));
    await writeLog(folder, 'aaaa', [started(), prompt(10, long), ...many, answer(900, 'pin')]);
    const search = openIndex(folder);
    expect(itemsOf(await searchAll(search, 'needle'))).toEqual(['aaaa/p10']);
    expect(itemsOf(await searchAll(search, 'pin'))).toEqual(['aaaa/m900:0']);
  });

  it.each<[string, (index: string) => Promise<unknown>]>([
    ['deleted', (index) => rm(index)],
    [
      'replaced by something else',
      (index) => writeFile(`${index}.x`, 'no database').then(() => rename(`${index}.x`, index)),
    ],
    [
      'of another version',
      async (index) => {
        const db = new DatabaseSync(index);
        db.exec('PRAGMA user_version = 99; DROP TABLE entry');
        db.close();
      },
    ],
    [
      'without one of its tables',
      async (index) => {
        const db = new DatabaseSync(index);
        db.exec('DROP TABLE words');
        db.close();
      },
    ],
  ])('is made anew when it was %s', async (_, harm) => {
    const folder = await tempFolder();
    await writeLog(folder, 'aaaa', [started(), prompt(10, 'a lamp')]);
    const first = openIndex(folder);
    await searchAll(first, 'lamp');
    await harm(places(folder).index);
    expect(itemsOf(await searchAll(openIndex(folder), 'lamp'))).toEqual(['aaaa/p10']);
    expect(itemsOf(await searchAll(first, 'lamp'))).toEqual(['aaaa/p10']);
  });

  it('is made anew when its bytes are damaged, wherever', async () => {
    const folder = await tempFolder();
    const lines = Array.from({ length: 400 }, (_, i) => prompt(10 + i, `lamp ${i} and the rest`));
    await writeLog(folder, 'aaaa', [started(), ...lines]);
    const { index } = places(folder);
    const search = openIndex(folder);
    await searchAll(search, 'lamp');
    search.close();
    const sound = await readFile(index);
    for (const page of [0, 1, 2, 3, 5, 8]) {
      const broken = Buffer.from(sound);
      broken.fill(0xa5, page * 4096, page * 4096 + 4096);
      await writeFile(index, broken);
      // Of what was found before damage is noticed nothing is kept: each log is read again.
      await utimes(logPath(folder, 'aaaa'), page + 1, page + 1);
      const again = openIndex(folder);
      const found = itemsOf(await searchAll(again, 'lamp'));
      again.close();
      expect(found, `page ${page}`).toEqual(['aaaa/p409', 'aaaa/p408', 'aaaa/p407']);
    }
  });

  it('is kept for the user alone', async () => {
    const folder = await tempFolder();
    await writeLog(folder, 'aaaa', [started()]);
    await searchAll(openIndex(folder), 'x');
    const { mode } = await stat(places(folder).index.replace('/sessions.db', ''));
    expect(mode & 0o077).toBe(0);
  });

  it('may be used by two processes at once', async () => {
    const folder = await tempFolder();
    for (const name of ['aaaa', 'bbbb', 'cccc'])
      await writeLog(folder, name, [started(), prompt(10, `lamp of ${name}`)]);
    const [one, two] = [openIndex(folder), openIndex(folder)];
    const [a, b] = await Promise.all([searchAll(one, 'lamp'), searchAll(two, 'lamp')]);
    expect(itemsOf(a).toSorted()).toEqual(['aaaa/p10', 'bbbb/p10', 'cccc/p10']);
    expect(itemsOf(b).toSorted()).toEqual(itemsOf(a).toSorted());
  });

  it('gives some of each session, and says when there are more', async () => {
    const folder = await tempFolder();
    for (let i = 0; i < 45; i += 1) {
      const lines = Array.from({ length: 5 }, (_, n) => prompt(1000 * i + n + 10, 'lamp'));
      await writeLog(folder, `s${1000 + i}`, [started(), ...lines]);
    }
    const found = await searchAll(openIndex(folder), 'lamp');
    expect([found.hits.length, found.more]).toEqual([120, true]);
    expect(new Set(found.hits.map(({ sessionId }) => sessionId)).size).toBe(40);
  });
});

const WORDS = [
  'lamp',
  'lamps',
  'Lämp',
  'a',
  'the',
  '漢字',
  '漢',
  'src/main',
  'parse_line',
  '"',
  '*',
  'x1',
  'Ωmega',
  '…',
  'café',
];
const phrase = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 })
  .map((all) => all.join(' '));

describe('index and plain scan', () => {
  it('find the same, whatever is said, added and searched for', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(5), phrase), { minLength: 1, maxLength: 30 }),
        fc.nat(30),
        fc.array(fc.oneof(phrase, fc.string({ unit: 'binary', maxLength: 12 })), {
          minLength: 1,
          maxLength: 6,
        }),
        async (said, half, searches) => {
          const folder = await tempFolder();
          const index = openIndex(folder);
          const scan = createPlainScan(places(folder), null);
          for (let n = 0; n < 6; n += 1) await writeLog(folder, `s${n}000`, [started(`/p${n}`)]);
          for (const part of [said.slice(0, half), said.slice(half)]) {
            for (let n = 0; n < 6; n += 1) {
              const lines = part.flatMap(([session, text]) => {
                if (session !== n) return [];
                const at = 10 + said.findIndex((one) => one[1] === text && one[0] === n) * 7;
                return [[prompt, answer][at % 2]?.(at, text) ?? prompt(at, text)];
              });
              if (lines.length > 0) await appendLog(folder, `s${n}000`, lines);
            }
            for (const search of searches.filter((text) => parseSearch(text) !== null)) {
              const [a, b] = [await searchAll(index, search), await searchAll(scan, search)];
              const sorted = (hits: typeof a.hits) =>
                hits.map((hit) => JSON.stringify(hit)).toSorted();
              expect(sorted(a.hits)).toEqual(sorted(b.hits));
            }
          }
        },
      ),
      { numRuns: runs(16) },
    );
  });
});
