import { describe, expect, it } from 'vitest';
import {
  bounded,
  findingsText,
  lineText,
  MAX_SHOWN,
  nameAt,
} from '../../../src/main/engine/lsp/answer-text';
import { sectionOf } from '../../../src/main/engine/lsp/configuration';
import {
  type Diagnostic,
  MAX_PER_FILE,
  MAX_TOLD,
  newAmong,
  newsText,
  readDiagnostics,
} from '../../../src/main/engine/lsp/diagnostics';
import { isSamePath } from '../../../src/main/engine/lsp/documents';
import { createFrameReader, framed } from '../../../src/main/engine/lsp/framing';
import { readHover, readPlaces, readSymbols } from '../../../src/main/engine/lsp/results';

const range = (line: number) => ({
  start: { line, character: 2 },
  end: { line, character: 5 },
});

describe('messages', () => {
  const all = [{ id: 1, text: 'grün 🪨' }, { id: 2 }, { id: 3, text: 'x'.repeat(5000) }];
  const bytes = Buffer.from(all.map(framed).join(''));
  it.each([1, 2, 7, 100, 100_000])('come whole out of pieces of %d bytes', (size) => {
    const bodiesOf = createFrameReader();
    const found: unknown[] = [];
    for (let at = 0; at < bytes.length; at += size)
      found.push(...bodiesOf(bytes.subarray(at, at + size)).map((body) => JSON.parse(body)));
    expect(found).toEqual(all);
  });
  it('take further headers, in any letters', () => {
    const text = 'content-type: x\r\ncontent-length: 2\r\n\r\n{}';
    expect(createFrameReader()(Buffer.from(text))).toEqual(['{}']);
  });
});

it.each<[unknown, unknown]>([
  ['a', { b: { c: 1 }, 'd.e': 2 }],
  ['a.b', { c: 1 }],
  ['a.b.c', 1],
  ['x.y', 3],
  ['x', { y: 3, z: { w: 4 } }],
  ['', 'all'],
  [undefined, 'all'],
  ['none', null],
  ['constructor', null],
  ['a.b.toString', null],
])('the settings of the section %j are %j', (section, wanted) => {
  const settings = { a: { b: { c: 1 }, 'd.e': 2 }, 'x.y': 3, 'x.z.w': 4 };
  expect(sectionOf(settings, section)).toEqual(wanted === 'all' ? settings : wanted);
});

describe('faults', () => {
  const fault = (message: string, line = 1): Diagnostic => ({
    ...{ line, character: 1, severity: 'error', message, origin: '' },
  });
  it('are errors and warnings in order; what has no form is left out, what hides is marked', () => {
    const raw = [
      { range: range(4), severity: 2, message: 'late' },
      { range: range(3), severity: 3, message: 'a hint' },
      { range: range(2), message: 'two\nlines \u202e', source: 'ts', code: 7 },
      { message: 'nowhere' },
      null,
    ];
    expect(readDiagnostics(raw)).toEqual([
      { line: 3, character: 3, severity: 'error', message: 'two lines \uFFFD', origin: 'ts 7' },
      { line: 5, character: 3, severity: 'warning', message: 'late', origin: '' },
    ]);
    expect(readDiagnostics({})).toEqual([]);
  });
  it.each([
    ['nothing', [], ['a'], []],
    ['a line that moved', ['a@9'], ['a@1'], []],
    ['one more of the same', ['a', 'a@3'], ['a'], ['a@3']],
    ['another', ['a', 'b'], ['a'], ['b']],
    ['one that went and one that came', ['b'], ['a'], ['b']],
  ])('are new: %s', (_, now, before, wanted) => {
    const read = (words: readonly string[]) =>
      words.map((word) => fault(word[0] ?? '', Number(word.split('@')[1] ?? 1)));
    expect(newAmong(read(now), read(before))).toEqual(read(wanted));
  });
  it('are told up to a number for each file and for all', () => {
    const file = (name: string, count: number) => ({
      file: name,
      faults: Array.from({ length: count }, (_, n) => fault(`${n}`)),
    });
    expect(newsText([])).toBeNull();
    const text = newsText([file('a', 15), file('b', 10), file('c', 9), file('d', 9), file('e', 1)]);
    const told = text?.match(/^ {2}\d+:\d+ error/gm) ?? [];
    expect(told).toHaveLength(MAX_TOLD);
    expect(text?.split('\nb\n')[0]?.match(/error/g)).toHaveLength(MAX_PER_FILE);
    expect(text).toContain('(14 more are left out.)');
  });
});

it('the name of a file is one line of the news', () => {
  const faults = readDiagnostics([{ range: range(1), message: 'bad' }]);
  expect(newsText([{ file: 'a\nDo this.stone', faults }])?.split('\n')[1]).toBe('a Do this.stone');
});

it.each([
  ['c:\\p\\a.ts', 'C:\\p\\a.ts', true],
  ['/p/a.ts', '/p/a.ts', true],
  ['/p/a.ts', '/p/A.ts', false],
  ['c:\\p\\a.ts', 'd:\\p\\a.ts', false],
])('%s and %s are the same file: %s', (a, b, wanted) => expect(isSamePath(a, b)).toBe(wanted));

it('a text that is too long is cut at a line, or in one that is too long itself', () => {
  expect(bounded('line\n'.repeat(5_000)).text).toMatch(/^(line\n)+\(The rest is left out\.\)$/);
  expect(bounded(`\`\`\`ts\n${'x'.repeat(50_000)}`).text.length).toBeGreaterThan(19_000);
  // Looking for what hides in all of it would take long.
  expect(readHover({ contents: ['é'.repeat(1_000_000)] }).length).toBeLessThan(200_000);
});

describe('findings', () => {
  it('are places of any form, each once', () => {
    const uri = 'file:///p/a.ts';
    const all = [
      { uri, range: range(1) },
      { uri, range: range(1) },
      { targetUri: 'jdt://lib/String.class', targetRange: range(7) },
      { uri: 5 },
    ];
    expect(readPlaces(all)).toMatchObject([
      { path: '/p/a.ts', line: 2, character: 3 },
      { path: null, uri: 'jdt://lib/String.class', line: 8 },
    ]);
    expect(readPlaces(null)).toEqual([]);
    expect(readPlaces({ uri, range: range(0) })).toHaveLength(1);
  });
  it('are symbols, one in another', () => {
    const one = (name: string, kind: number, line: number, children: readonly unknown[] = []) => ({
      ...{ name, kind, range: range(line), selectionRange: range(line), children },
    });
    const found = readSymbols(
      [one('A', 5, 0, [one('b', 6, 1)]), one('c', 99, 4)],
      'file:///p/a.ts',
      true,
    );
    const shown = { findings: found, words: ['symbol', 'symbols'] as const, hidden: 0, ignored: 0 };
    expect(findingsText({ ...shown, nameOf: (path) => path.slice(3) }).text).toBe(
      '3 symbols:\na.ts\n  1:3 class A\n    2:3 method b\n  5:3 symbol c',
    );
  });
  it('are shown up to a number', () => {
    const findings = Array.from({ length: MAX_SHOWN + 5 }, (_, n) => ({
      ...{ path: '/a', uri: 'file:///a', line: n + 1, character: 1, label: '', depth: 0 },
    }));
    const words = ['reference', 'references'] as const;
    const told = findingsText({ findings, words, hidden: 0, ignored: 0, nameOf: (path) => path });
    expect(told.truncated).toBe(true);
    expect(told.text).toMatch(/^155 references:\n[\s\S]*\(5 more are left out\.\)$/);
  });
  it.each<[unknown, string]>([
    [{ contents: { kind: 'markdown', value: '**a**' } }, '**a**'],
    [{ contents: 'plain' }, 'plain'],
    [
      { contents: [{ language: 'go', value: 'func a()' }, 'doc', ''] },
      '```go\nfunc a()\n```\n\ndoc',
    ],
    [{ contents: [] }, ''],
    [null, ''],
  ])('are the text of a hover %#', (raw, wanted) => {
    expect(readHover(raw)).toBe(wanted);
  });
});

it.each([
  [1, 1, 'let'],
  [1, 4, 'let'],
  [1, 5, 'größe'],
  [1, 10, 'größe'],
  [1, 12, null],
  [9, 1, null],
])('the name at %d:%d is %j', (line, character, wanted) => {
  expect(nameAt('let größe = 1', line, character)).toBe(wanted);
});

it('a line behind the end of a file is told as such', () => {
  expect(lineText('a\nb', 9)).toBe('The file has 2 lines.');
});
