import { symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHome, type Home } from './support';

let home: Home;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.remove());

const messages = async () => (await home.load(true)).problems.map(({ message }) => message);

const bytes = (text: string) => Buffer.from(text, 'latin1');
const PROJECT = 'PROJECT';

test.each<[string, string, readonly string[]]>([
  [
    'an unknown name',
    '{"mcpServers": {"a": {"command": "x",\n"argz": []}}}',
    ['line 2: mcpServers.a.argz: there is no such setting, so it is ignored; “args” may be meant.'],
  ],
  [
    'an unknown name in the project',
    '{"projects": {"PROJECT": {"mcpServers":\n{"a": {"command": "x", "argz": []}}}}}',
    ['line 2: mcpServers.a.argz: there is no such setting'],
  ],
  [
    'a server twice',
    '{"mcpServers": {"a": {"command": "x"},\n"a": {"command": "y"}}}',
    ['line 2: mcpServers.a: the name stands here more than once; the last one counts.'],
  ],
  [
    'a field of a server twice',
    '{"mcpServers": {"a": {"command": "x",\n"command": "y"}}}',
    ['line 2: mcpServers.a.command: the name stands here more than once'],
  ],
  [
    'all servers twice',
    '{"mcpServers": {"a": {"command": "x"}},\n"mcpServers": {}}',
    ['line 2: mcpServers: the name stands here more than once'],
  ],
  [
    'the project twice',
    '{"projects": {"PROJECT": {"mcpServers": {}},\n"PROJECT": {}}}',
    ['line 2: PROJECT: the name stands here more than once'],
  ],
  [
    'bytes that are no text in a server',
    '{"mcpServers": {"a":\n{"command": "x\xff"}}}',
    ['line 2: this is not UTF-8 text. No server of it is started.'],
  ],
  ['a file that is cut off before its servers', '{"history": ["a",\n"b', ['line 2: ']],
  ['bytes that are nothing at all', '\xff\xfe\xfd', ['line 1: ']],
  [
    'two byte order marks',
    '\xef\xbb\xbf\xef\xbb\xbf{"mcpServers": {}}',
    ['line 1: the file begins with more than one byte order mark'],
  ],
  ['an empty file', '', ['line 1: the file is empty']],
  ['a file of others without a server', '{"history": ["\xff", "\xff"], "history": [], "x": 1}', []],
  [
    'servers of other folders',
    '{"projects": {"/elsewhere": {"mcpServers": {"a": {"argz": 1}}}}}',
    [],
  ],
  ['what is whole', '{"mcpServers": {"a": {"command": "x", "args": []}}, "numStartups": 3}', []],
])('~/.claude.json: %s', async (_, text, expected) => {
  const file = path.join(home.home, '.claude.json');
  writeFileSync(file, bytes(text.replaceAll(PROJECT, home.project)));
  const found = await messages();
  expect(found).toHaveLength(expected.length);
  for (const [at, words] of expected.entries())
    expect(found[at]).toContain(`${file}, ${words.replaceAll(PROJECT, home.project)}`);
});

test.each(['.claude.json', 'proj/.mcp.json'])('%s that links to nothing is told', async (name) => {
  const file = path.join(home.home, name);
  expect(await messages()).toEqual([]);
  symlinkSync(path.join(home.home, 'gone.json'), file);
  const [message, ...more] = await messages();
  expect(more).toEqual([]);
  expect(message).toContain(`${file}: it is a link to nothing.`);
});
