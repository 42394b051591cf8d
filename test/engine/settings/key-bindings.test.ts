import { describe, expect, test } from 'vitest';
import { readKeyBindings, withKeyChanges } from '../../../src/main/engine/settings/key-bindings';

const FILE = '/home/ann/.claude/keybindings.json';

const TEXT = `{
  // mine
  "bindings": [
    { "context": "Chat", "bindings": { "enter": "chat:submit" } },
    {
      "context": "Lathe",
      "bindings": {
        "ctrl+y": "palette", // the old one
        "ctrl+j": null,
      },
    },
  ],
}
`;

test('entries are read with their lines', () => {
  expect(readKeyBindings(TEXT, FILE)).toEqual({
    file: FILE,
    bindings: [
      { context: 'Chat', key: 'enter', command: 'chat:submit', line: 4 },
      { context: 'Lathe', key: 'ctrl+y', command: 'palette', line: 8 },
      { context: 'Lathe', key: 'ctrl+j', command: null, line: 9 },
    ],
    problems: [],
  });
  expect(readKeyBindings('', FILE)).toEqual({ file: FILE, bindings: [], problems: [] });
});

test.each([
  ['{\n "bindings": {}\n}', 2],
  ['[]', 1],
  ['{"bindings": [\n 7,\n {"context": "Lathe", "bindings": {"f2": "files"}}]}', 2],
  ['{"bindings": [{"context": "Lathe", "bindings": {"f2": "files",\n "f3": 7}}]}', 2],
  ['{"bindings": [{"context": "Lathe", "bindings": {"f2": "files"}}]\n', 2],
])('what cannot be used is told with its line: %j', (text, line) => {
  const { problems, bindings } = readKeyBindings(text, FILE);
  expect(problems.map((one) => one.line)).toEqual([line]);
  const hasKey = text.includes('"f2"');
  expect(bindings.map(({ key }) => key)).toEqual(hasKey ? ['f2'] : []);
});

test('entries of a plain list are named, each with its line', () => {
  const { problems, bindings } = readKeyBindings('[\n{"key":"ctrl+k","command":"nope"},\n7]', FILE);
  expect(bindings).toEqual([]);
  expect(problems.map(({ line, message }) => `${line} ${message}`)).toEqual([
    expect.stringMatching(/^2 ctrl\+k for “nope” is ignored: entries stand in blocks/),
    expect.stringMatching(/^3 a key for nothing is ignored/),
  ]);
});

test.each<[string, readonly string[]]>([
  ['{"bindings": [],\n"binding": []}', ['2 binding: there is no such setting']],
  [
    '{"bindings": [{"context": "Lathe",\n"contxt": 1, "bindings": {}}]}',
    ['2 bindings.contxt: there is no such setting, so it is ignored; “context” may be meant'],
  ],
  ['{"bindings": [],\n"bindings": []}', ['2 bindings: the name stands here more than once']],
  [
    '{"bindings": [{"context": "Chat", "bindings": {"enter": "a\uFFFD"}}]}',
    ['1 : this is not UTF-8'],
  ],
  ['\uFEFF\uFEFF{"bindings": []}', ['1 : the file begins with more than one byte order mark']],
  ['{"$schema": "x", "$docs": "y", "bindings": []}', []],
  ['{"bindings": [{"context": "Chat", "bindings": {"f2": "a", "f2": "b"}}]}', []],
])('names that nobody reads are told with their line: %j', (text, expected) => {
  const { problems } = readKeyBindings(text, FILE);
  expect(problems.map(({ line, field, message }) => `${line} ${field}: ${message}`)).toEqual(
    expected.map((words) => expect.stringContaining(words)),
  );
});

describe('changes', () => {
  const changed = (text: string, ...changes: Parameters<typeof withKeyChanges>[2]) => {
    const done = withKeyChanges(text, FILE, changes);
    if (!done.ok) throw new Error(done.error.message);
    return done.value;
  };

  test('keep comments, other blocks and other programs’ entries', () => {
    const text = changed(
      TEXT,
      { context: 'Lathe', key: 'ctrl+j' },
      { context: 'Lathe', key: 'f2', command: 'files' },
      { context: 'LatheComposer', key: 'alt+enter', command: 'send' },
      { context: 'Lathe', key: 'ctrl+y', command: null },
    );
    expect(text).toContain('// mine');
    expect(text).toContain('// the old one');
    const { bindings, problems } = readKeyBindings(text, FILE);
    expect(problems).toEqual([]);
    expect(bindings.map(({ line: _, ...one }) => one)).toEqual([
      { context: 'Chat', key: 'enter', command: 'chat:submit' },
      { context: 'Lathe', key: 'ctrl+y', command: null },
      { context: 'Lathe', key: 'f2', command: 'files' },
      { context: 'LatheComposer', key: 'alt+enter', command: 'send' },
    ]);
  });

  test('make the file, its list and its block', () => {
    const change = { context: 'Lathe', key: 'f2', command: 'files' };
    for (const text of ['', '{}', '{"bindings": []}']) {
      const { bindings } = readKeyBindings(changed(text, change), FILE);
      expect(bindings).toMatchObject([change]);
    }
    expect(changed('{}', { context: 'Lathe', key: 'f2' })).toBe('{}');
  });

  test('never touch a file that cannot be understood', () => {
    const change = { context: 'Lathe', key: 'f2', command: 'files' };
    for (const text of ['{"bindings": [', '{"bindings": 7}', '[]'])
      expect(withKeyChanges(text, FILE, [change]).ok).toBe(false);
  });
});
