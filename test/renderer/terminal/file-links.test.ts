import { Terminal } from '@xterm/headless';
import type { ILink, Terminal as PageTerminal } from '@xterm/xterm';
import { expect, test } from 'vitest';
import {
  type FileReference,
  fileLinks,
  fileReferences,
} from '../../../src/renderer/terminal/file-links';

test.each<[string, string, readonly FileReference[]]>([
  ['tsc', 'src/a.ts(12,5): error TS2322', [{ path: 'src/a.ts', line: 12, column: 5 }]],
  ['tsc --pretty', 'src/a.ts:12:5 - error', [{ path: 'src/a.ts', line: 12, column: 5 }]],
  ['gcc', 'main.c:3:1: warning: x', [{ path: 'main.c', line: 3, column: 1 }]],
  ['grep -n', './lib/b.py:7:import os', [{ path: './lib/b.py', line: 7 }]],
  ['grep -n of a number', 'b.py:7:12:30', [{ path: 'b.py', line: 7, column: 12 }]],
  ['node', '    at load (/srv/app/x.mjs:10:3)', [{ path: '/srv/app/x.mjs', line: 10, column: 3 }]],
  ['python', '  File "/srv/a b/x.py", line 4, in f', [{ path: '/srv/a b/x.py', line: 4 }]],
  ['rustc', '  --> src/main.rs:4:9', [{ path: 'src/main.rs', line: 4, column: 9 }]],
  ['go', '\tpkg/x_test.go:88: got 1', [{ path: 'pkg/x_test.go', line: 88 }]],
  ['vitest', ' ❯ test/ä/日本.test.ts:1:2', [{ path: 'test/ä/日本.test.ts', line: 1, column: 2 }]],
  [
    'Windows',
    String.raw`C:\src\a.cs(1,2): error`,
    [{ path: String.raw`C:\src\a.cs`, line: 1, column: 2 }],
  ],
  ['home', '~/notes.md:5', [{ path: '~/notes.md', line: 5 }]],
  ['make', 'Makefile:12: *** missing', [{ path: 'Makefile', line: 12 }]],
  [
    'two',
    'a.ts:1 b.ts:2',
    [
      { path: 'a.ts', line: 1 },
      { path: 'b.ts', line: 2 },
    ],
  ],
  ['an address', 'http://localhost:5173/ https://x.dev:443', []],
  ['a host', 'localhost:3000 127.0.0.1:80', []],
  ['the time', '10:41:07 [vite] hmr', []],
  ['a share of another machine', String.raw`\\evil\share\a.ts:1 //evil/share/a.ts:1`, []],
  ['line 0', 'a.ts:0', []],
  ['no line', 'src/a.ts src/b.ts:', []],
  ['a ratio', 'a:1 b:2 3.5:1', []],
  ['a very long line', `${'x'.repeat(2_000)} a.ts:1`, []],
])('%s', (_what, text, expected) => {
  expect(fileReferences(text).map(({ from: _, to: _to, ...file }) => file)).toEqual(expected);
});

test('much that looks like a path is searched in no time', () => {
  for (const part of ['a/', 'a.', ':1', 'a:', '(1,', 'File "'])
    expect(fileReferences(part.repeat(1_000).slice(0, 2_000)).length).toBeLessThan(1_000);
});

/** The links of a row of what was printed in 20 columns. */
async function linksIn(output: string, row: number) {
  const terminal = new Terminal({ allowProposedApi: true, cols: 20, rows: 6 });
  await new Promise<void>((resolve) => terminal.write(output, resolve));
  const opened: FileReference[] = [];
  const provider = fileLinks(terminal as unknown as PageTerminal, {
    activate: (_, file) => opened.push(file),
    hover: () => undefined,
    leave: () => undefined,
  });
  let links: readonly ILink[] = [];
  provider.provideLinks(row, (found) => {
    links = found ?? [];
  });
  return { links, opened };
}

test('a link covers its cells, also behind wide characters and over wrapped rows', async () => {
  const { links } = await linksIn('漢字 a.ts:7 x', 1);
  expect(links.map(({ range }) => range)).toEqual([
    { start: { x: 6, y: 1 }, end: { x: 11, y: 1 } },
  ]);
  const long = 'see src/a-rather-long-name/file.ts:12:34.';
  for (const row of [1, 2, 3]) {
    const wrapped = await linksIn(`${long}\r\nnext`, row);
    expect(wrapped.links.map(({ range }) => range)).toEqual([
      { start: { x: 5, y: 1 }, end: { x: 20, y: 2 } },
    ]);
    wrapped.links[0]?.activate({} as MouseEvent, '');
    expect(wrapped.opened).toEqual([
      { path: 'src/a-rather-long-name/file.ts', line: 12, column: 34 },
    ]);
  }
  expect((await linksIn(`${long}\r\nnext`, 4)).links).toEqual([]);
});
