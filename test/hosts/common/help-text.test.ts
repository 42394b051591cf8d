import { expect, test } from 'vitest';
import { FLAGS } from '../../../src/main/hosts/common/command-line/flags';
import { HELP_TOPICS, helpText } from '../../../src/main/hosts/common/command-line/help-text';
import { parseCommandLine } from '../../../src/main/hosts/common/command-line/parse';
import { MCP_FLAGS } from '../../../src/main/hosts/common/command-line/parse-mcp';

const parse = (...words: readonly string[]) => parseCommandLine(words, '/base');

test.each<[string, readonly string[], object]>([
  ['help with a command', ['doctor', '--help'], { kind: 'help', topic: 'doctor' }],
  [
    'help with a command of several',
    ['sessions', 'export', '-h'],
    { kind: 'help', topic: 'sessions' },
  ],
  ['help with plugins', ['plugins', 'marketplace', '--help'], { kind: 'help', topic: 'plugin' }],
  ['help with servers', ['mcp', '--help'], { kind: 'help', topic: 'mcp' }],
  ['help with adding one', ['mcp', 'add', '--help'], { kind: 'help', topic: 'mcp' }],
  ['help with what is half typed', ['mcp', 'get', 'x', '-h'], { kind: 'help', topic: 'mcp' }],
  [
    'the help of a server',
    ['mcp', 'add', 'x', '--', 'npx', '-h'],
    { kind: 'mcp', act: { kind: 'add', name: 'x' } },
  ],
])('%s', (_, words, expected) => {
  expect(parse(...words)).toMatchObject({ ok: true, value: expected });
});

test('the help text names every flag', () => {
  const text = helpText();
  for (const { name } of FLAGS) expect(text).toContain(name);
});

test.each(HELP_TOPICS)('each line of the help with %s is a command', (topic) => {
  const lines = helpText(topic).matchAll(/^ {2}lathe (.*?)(?: {2,}.*)?$/gm);
  const typed = [...lines].map(([, words = '']) => words);
  expect(typed.length).toBeGreaterThan(0);
  for (const words of typed) {
    // The first of several ways, with something in each place.
    const line = words
      .replace(/\s?\[.*?\]/g, '')
      .replace(/(\S+?)\|\S+/g, '$1')
      .replace('<json>', '{"command":"x"}')
      .replace(/<[^>]*address>/, 'https://example.com')
      .replace(/<.*?>/g, 'x');
    expect(line).toMatch(new RegExp(`^${topic}`));
    expect(parse(...line.split(' ')), line).toMatchObject({ ok: true });
  }
  expect(helpText()).toContain(`lathe ${topic}`);
});

test('the help with servers names every flag of theirs', () => {
  const text = helpText('mcp');
  for (const name of Object.keys(MCP_FLAGS))
    expect(text).toMatch(new RegExp(`(^|\\s)${name}\\b`, 'm'));
});
