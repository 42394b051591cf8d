import { appendFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readOtherPage } from '../../src/main/engine/sessions/other-log-page';
import { readOtherLine } from '../../src/main/engine/sessions/other-logs';
import { createNodeFiles } from '../../src/main/node/files';
import { createPlainScan } from '../../src/main/search/plain-scan';
import { createSearchIndex } from '../../src/main/search/search-index';
import type { OtherPageRequest } from '../../src/shared/session-search';
import { tempFolder } from '../node/temp-folder';
import { places, prompt, searchAll, started, writeLog } from './logs';

type Json = Readonly<Record<string, unknown>>;

const TIME = '2026-11-01T10:00:00.000Z';
const AT = Date.parse(TIME);
const common = { cwd: '/home/you/boat', sessionId: 's', timestamp: TIME, isSidechain: false };
const user = (content: unknown, more: Json = {}): Json => ({
  ...common,
  type: 'user',
  message: { role: 'user', content },
  ...more,
});
const assistant = (...content: readonly Json[]): Json => ({
  ...common,
  type: 'assistant',
  message: { role: 'assistant', content },
});
const LATER = '2026-11-02T10:00:00.000Z';
const item = (payload: Json, type = 'response_item'): Json => ({
  ...{ timestamp: LATER, type, payload },
});
const words = (text: string): Json => ({ type: 'text', text });

const jsonl = (lines: readonly Json[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('');

const CLAUDE = join('-home-you-boat', '0a1b.jsonl');
const CODEX = join('2026', '11', '02', 'rollout-2026-11-02-c3d4.jsonl');

/** Writes the log of another agent below a temporary folder. */
async function writeOther(folder: string, log: string, lines: readonly Json[]): Promise<string> {
  const file = join(folder, log === CODEX ? 'codex' : 'claude', log);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, jsonl(lines));
  return file;
}

const searches = (folder: string) => {
  const { index, ...folders } = places(folder);
  const made = createSearchIndex(folders, index, (path) => new DatabaseSync(path));
  onTestFinished(() => made.close());
  return made;
};

describe('a line of another agent', () => {
  it.each<[string, 'claude' | 'codex', unknown, readonly [string, string][]]>([
    ['words of a user', 'claude', user('mend the keel'), [['user', 'mend the keel']]],
    ['an answer', 'claude', assistant(words('It is mended.')), [['assistant', 'It is mended.']]],
    [
      'an answer with a call',
      'claude',
      assistant(words('I look.'), { type: 'tool_use', name: 'Read', input: { file_path: 'a.ts' } }),
      [
        ['assistant', 'I look.'],
        ['tool', 'Read {"file_path":"a.ts"}'],
      ],
    ],
    [
      'a result',
      'claude',
      user([{ type: 'tool_result', tool_use_id: 't', content: [words('no such file')] }]),
      [['tool', 'no such file']],
    ],
    ['what the program says', 'claude', user('<local-command>', { isMeta: true }), []],
    ['what a sub-agent said', 'claude', user('inner', { isSidechain: true }), []],
    ['what Lathe wrote there itself', 'claude', user('ours', { entrypoint: 'lathe' }), []],
    ['a kind it does not know', 'claude', { type: 'progress', data: {} }, []],
    [
      'words of a user',
      'codex',
      item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'row' }] }),
      [['user', 'row']],
    ],
    [
      'an answer',
      'codex',
      item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Ok.' }] }),
      [['assistant', 'Ok.']],
    ],
    [
      'facts in front of the words',
      'codex',
      item({
        ...{ type: 'message', role: 'user' },
        content: [{ type: 'input_text', text: '<environment_context>\n…' }],
      }),
      [],
    ],
    [
      'instructions of the folder in front of the words',
      'codex',
      item({
        ...{ type: 'message', role: 'user' },
        content: [
          { type: 'input_text', text: '# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\n…' },
          { type: 'input_text', text: 'row' },
        ],
      }),
      [['user', 'row']],
    ],
    [
      'what developers say',
      'codex',
      item({ type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'x' }] }),
      [],
    ],
    [
      'a call',
      'codex',
      item({ type: 'function_call', name: 'shell', arguments: '{"command":["ls"]}' }),
      [['tool', 'shell {"command":["ls"]}']],
    ],
    [
      'its output',
      'codex',
      item({ type: 'function_call_output', output: 'a.ts' }),
      [['tool', 'a.ts']],
    ],
    ['a list', 'codex', [], []],
  ])('gives %s (%s)', (_name, origin, line, expected) => {
    const read = readOtherLine(origin, JSON.stringify(line), 7);
    expect((read?.entries ?? []).map(({ who, text }) => [who, text])).toEqual(expected);
  });

  it('that is none is passed over', () => {
    expect(readOtherLine('claude', '{"type":"user"', 0)).toBeNull();
    expect(readOtherLine('codex', 'null', 0)).toBeNull();
  });
});

describe('the logs of other agents', () => {
  it('are found beside those of Lathe, say whose they are, and stay as they were', async () => {
    const folder = await tempFolder();
    await writeLog(folder, 'aaaa', [started(), prompt(10, 'Mend the lamp')]);
    const claude = await writeOther(folder, CLAUDE, [
      user('Mend the lamp of the boat'),
      assistant(words('The lamp is mended.')),
    ]);
    await writeOther(folder, CODEX, [
      item({ id: 'c3d4', cwd: '/home/you/harbour' }, 'session_meta'),
      item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'A lamp' }] }),
    ]);
    const before = [await readFile(claude, 'utf8'), (await stat(claude)).mtimeMs];
    const index = searches(folder);
    const { hits } = await searchAll(index, 'lamp');
    expect(hits.filter(({ other }) => other === undefined)).toMatchObject([
      { sessionId: 'session-aaaa' },
    ]);
    expect(hits.filter(({ other }) => other !== undefined)).toMatchObject([
      {
        ...{ other: { origin: 'codex', log: CODEX }, project: '/home/you/harbour' },
        ...{ title: 'A lamp', at: Date.parse(LATER), who: 'user' },
      },
      { other: { origin: 'claude', log: CLAUDE }, project: '/home/you/boat', who: 'assistant' },
      { title: 'Mend the lamp of the boat', itemId: '0', who: 'user' },
    ]);
    expect(await searchAll(createPlainScan(places(folder), null), 'lamp')).toEqual(
      await searchAll(index, 'lamp'),
    );
    expect([await readFile(claude, 'utf8'), (await stat(claude)).mtimeMs]).toEqual(before);
    expect(await readdir(dirname(claude))).toHaveLength(1);
  });

  it('are not searched where a user does not want that, and nothing of them is kept', async () => {
    const folder = await tempFolder();
    await writeLog(folder, 'aaaa', [started(), prompt(10, 'Mend the lamp')]);
    await writeOther(folder, CLAUDE, [user('Mend the lamp of the boat')]);
    const index = searches(folder);
    const scan = createPlainScan(places(folder), null);
    expect((await searchAll(index, 'lamp')).hits).toHaveLength(2);
    const own = [{ sessionId: 'session-aaaa' }];
    expect((await searchAll(index, 'lamp', true)).hits).toMatchObject(own);
    expect((await searchAll(scan, 'lamp', true)).hits).toMatchObject(own);
    const kept = new DatabaseSync(places(folder).index);
    onTestFinished(() => kept.close());
    expect(kept.prepare('SELECT origin FROM log').all()).toEqual([{ origin: null }]);
    expect((await searchAll(index, 'lamp')).hits).toHaveLength(2);
  });

  it('are read on where they grew, by their names, and without what sub-agents said', async () => {
    const folder = await tempFolder();
    const file = await writeOther(folder, CLAUDE, [user('a keel')]);
    await writeFile(join(dirname(file), 'agent-1.jsonl'), jsonl([user('a keel of another')]));
    await writeFile(join(dirname(file), 'notes.txt'), 'a keel');
    const index = searches(folder);
    expect((await searchAll(index, 'keel')).hits).toHaveLength(1);
    await appendFile(file, jsonl([{ type: 'summary', summary: 'About boats' }, user('keel two')]));
    expect((await searchAll(index, 'keel')).hits).toMatchObject([
      { title: 'About boats' },
      { title: 'About boats' },
    ]);
  });

  it('cost nothing where there are none', async () => {
    const folder = await tempFolder();
    await writeLog(folder, 'aaaa', [started(), prompt(10, 'Mend the lamp')]);
    expect((await searchAll(searches(folder), 'lamp')).hits).toHaveLength(1);
  });
});

describe('a page of another agent’s log', () => {
  const read = async (folder: string, request: Partial<OtherPageRequest>) => {
    const page = await readOtherPage(createNodeFiles(), places(folder).others, {
      ...{ origin: 'claude', log: CLAUDE, place: 'around', at: 0 },
      ...request,
    });
    return page.ok ? page.value : page.error.code;
  };
  const ids = (page: Awaited<ReturnType<typeof read>>): readonly number[] =>
    typeof page === 'string' ? [] : page.messages.map(({ itemId }) => Number(itemId));

  it('is the whole of a short log', async () => {
    const folder = await tempFolder();
    const file = await writeOther(folder, CLAUDE, [user('mend “it”'), assistant(words('Done.'))]);
    const { size } = await stat(file);
    const page = await read(folder, {});
    expect(page).toMatchObject({ start: 0, end: size, size });
    expect(page).toMatchObject({
      messages: [
        { itemId: '0', who: 'user', at: AT, text: 'mend “it”', isCut: false },
        { who: 'assistant', text: 'Done.' },
      ],
    });
  });

  it('leads through a long log both ways, and misses no message', async () => {
    const folder = await tempFolder();
    const lines = Array.from({ length: 400 }, (_, n) => user(`message ${n} ${'é'.repeat(3_000)}`));
    const file = await writeOther(folder, CLAUDE, lines);
    const { size } = await stat(file);
    const all: number[] = [];
    let at = 0;
    while (at < size) {
      const page = await read(folder, { place: 'from', at });
      if (typeof page === 'string') throw new Error(page);
      all.push(...ids(page));
      expect(page.end).toBeGreaterThan(at);
      at = page.end;
    }
    expect(all).toHaveLength(400);
    const back: number[] = [];
    for (let end = size; end > 0; ) {
      const page = await read(folder, { place: 'before', at: end });
      if (typeof page === 'string') throw new Error(page);
      back.unshift(...ids(page));
      expect(page.start).toBeLessThan(end);
      end = page.start;
    }
    expect(back).toEqual(all);
    const first = await read(folder, { place: 'before', at: all[1] ?? 0 });
    expect(first).toMatchObject({ start: 0, end: all[1], size });
    const middle = all[200] ?? 0;
    const around = await read(folder, { at: middle });
    expect(ids(around)).toContain(middle);
    expect(ids(around).length).toBeLessThan(200);
  });

  it('has the message that was found, however long it and the one before are', async () => {
    const folder = await tempFolder();
    const before = [user('begin'), user('x'.repeat(200_000)), user('short')];
    const lines = [...before, user('x'.repeat(1_500_000)), user('behind')];
    await writeOther(folder, CLAUDE, lines);
    const at = jsonl(before).length;
    expect(ids(await read(folder, { at }))).toContain(at);
  });

  it('is of that folder only, and none where the log is gone', async () => {
    const folder = await tempFolder();
    await writeOther(folder, CLAUDE, [user('x')]);
    await writeFile(join(folder, 'secret.jsonl'), jsonl([user('x')]));
    await writeFile(join(folder, 'claude', 'settings.json'), '{}');
    for (const log of ['../secret.jsonl', join(folder, 'secret.jsonl'), 'settings.json', 'a.jsonl'])
      expect(await read(folder, { log })).toBe('gone');
    expect(await read(folder, { origin: 'codex' })).toBe('gone');
  });
});
