import { expect, test } from 'vitest';
import { readMcpLayer } from '../../../src/main/engine/settings/mcp-servers';
import { readSettings } from '../../../src/main/engine/settings/read';
import type { SettingsProblem } from '../../../src/shared/settings';

const told = (problems: readonly SettingsProblem[]): string[] =>
  problems.map(
    ({ line, message }) => `${line} ${message.replace(/^s\.json, line \d+: /, '').slice(0, 90)}`,
  );

const NONE = 'there is no such setting, so it is ignored';

test.each<[string, string, readonly string[]]>([
  [
    'a status line',
    '{"statusLine": {"type": "command", "command": "x",\n"paddding": 1}}',
    [`2 statusLine.paddding: ${NONE}`],
  ],
  [
    'an attribution',
    '{"attribution":\n{"comit": "x", "pr": ""}}',
    [`2 attribution.comit: ${NONE}; “commit” may be meant.`],
  ],
  [
    'an entry of a list',
    '{"allowedMcpServers": [{"serverName": "a"},\n{"serverUrl": "https://a.example", "x": 1}]}',
    [`2 allowedMcpServers.x: ${NONE}`],
  ],
  [
    'what only others use, with the rest of that',
    '{"theme": "dark", "statusLine": {"command": "x", "padding": 0}}',
    ['1 theme, statusLine.padding: Lathe does not use these settings; other programs may.'],
  ],
  ['a switch in the place of an object', '{"attribution": false}', []],
  ['what is whole', '{"statusLine": {"type": "command", "command": "x"}}', []],
  [
    'names that people choose',
    '{"skillOverrides": {"x": "off"}, "modelOverrides": {"a": "b"}, "enabledPlugins": {"a@b": true}}',
    [],
  ],
  [
    'sources of many kinds',
    '{"strictKnownMarketplaces": [{"source": "github", "repo": "a/b", "ref": "v1"}]}',
    [],
  ],
])('unknown names inside fields are told with their line: %s', (_, text, expected) => {
  const found = told(readSettings(text, 'managed', 's.json').problems);
  expect(found).toHaveLength(expected.length);
  for (const [at, words] of expected.entries()) expect(found[at]).toContain(words);
});

test.each<[string, string, readonly string[]]>([
  [
    'no list',
    '"drop"',
    [
      '1 mcpServers.a.tools: a list of objects, each with a name and a permission_policy, is expected.',
    ],
  ],
  [
    'a name alone',
    '["drop"]',
    ['1 mcpServers.a.tools: an object with a name and a permission_policy is expected.'],
  ],
  [
    'no name',
    '[{"permission_policy": "always_deny"}]',
    ['1 mcpServers.a.tools.name: the name of a tool in quotes is expected.'],
  ],
  [
    'a number for a name',
    '[{"name": 5, "permission_policy": "always_deny"}]',
    ['1 mcpServers.a.tools.name: the name of a tool in quotes is expected.'],
  ],
  [
    'a word that nobody knows',
    '[{"name": "drop", "permission_policy": "never"}]',
    [
      '1 mcpServers.a.tools.permission_policy: one of always_allow, always_ask, always_deny is expected; until then',
    ],
  ],
  [
    'another name for the policy',
    '[{"name": "drop", "policy": "always_deny"}]',
    [
      '1 mcpServers.a.tools.policy: there is no such field of a tool; it has name and permission_policy.',
    ],
  ],
  ['what is whole', '[{"name": "drop", "permission_policy": "always_deny"}, {"name": "b"}]', []],
  ['none', '[]', []],
])('entries of tools of a server that cannot be read are told: %s', (_, tools, expected) => {
  const text = `{"mcpServers": {"a": {"command": "x", "tools": ${tools}}}}`;
  const inFile = readMcpLayer(text, 'projectSettings', 's.json').problems;
  for (const problems of [inFile, readSettings(text, 'userSettings', 's.json').problems])
    expect(told(problems)).toEqual(
      expected.map((line) => expect.stringContaining(line.slice(0, 90))),
    );
});

test('unknown names of a sign-in are told', () => {
  const text =
    '{"mcpServers": {"a": {"type": "http", "url": "https://a.example", "oauth": {"clientID": "x"}}}}';
  const [line] = told(readMcpLayer(text, 'projectSettings', 's.json').problems);
  expect(line).toContain(`1 mcpServers.a.oauth.clientID: ${NONE}`);
});
