import { parse } from 'jsonc-parser';
import { expect, test } from 'vitest';
import {
  asUpdate,
  PermissionUpdate,
  refusalOf,
  withUpdate,
} from '../../../src/main/engine/settings/permission-update';

const update = (given: object): PermissionUpdate =>
  PermissionUpdate.parse({ destination: 'localSettings', ...given });
const rules = (type: string, behavior: string, ...texts: string[]) =>
  update({
    type,
    behavior,
    rules: texts.map((text) => asUpdate({ rule: text, destination: 'session' }).rules[0]),
  });

const BEFORE = `{
  // mine
  "model": "opus",
  "permissions": {
    "allow": ["Bash(ls)", "Read"], // kept
    "deny": ["Bash(rm *)"]
  }
}
`;
const after = (given: PermissionUpdate, text = BEFORE): string => {
  const changed = withUpdate(text, 'settings.json', given);
  return changed.ok ? changed.value : changed.error.message;
};

const BOTH = ['Bash(ls)', 'Read'];
const DENIED = ['Bash(rm *)'];
test.each([
  [
    rules('addRules', 'allow', 'Bash(ls)', 'Bash(npm test)'),
    { allow: [...BOTH, 'Bash(npm test)'] },
  ],
  [rules('addRules', 'ask', 'WebFetch'), { ask: ['WebFetch'] }],
  [rules('replaceRules', 'allow', 'Read'), { allow: ['Read'] }],
  [rules('replaceRules', 'deny', 'Bash(dd *)'), { deny: [...DENIED, 'Bash(dd *)'] }],
  [rules('removeRules', 'allow', 'Bash(ls)', 'Bash(no)'), { allow: ['Read'] }],
  [update({ type: 'setMode', mode: 'manual' }), { defaultMode: 'default' }],
  [
    update({ type: 'addDirectories', directories: ['../lib'] }),
    { additionalDirectories: ['../lib'] },
  ],
  [update({ type: 'removeDirectories', directories: ['/x'] }), {}],
])('%j is written; comments and the rest stay', (given, permissions) => {
  const text = after(given);
  expect(parse(text)).toEqual({
    model: 'opus',
    permissions: { allow: BOTH, deny: DENIED, ...permissions },
  });
  for (const comment of ['// mine', '// kept']) expect(text).toContain(comment);
});

test('writes a file that is not there yet, and refuses one it cannot read', () => {
  expect(JSON.parse(after(rules('addRules', 'allow', 'Bash(npm test)'), ''))).toEqual({
    permissions: { allow: ['Bash(npm test)'] },
  });
  expect(after(rules('addRules', 'allow', 'Read'), '{"permissions": [')).toContain(
    'Nothing was saved',
  );
});

test.each([
  [rules('addRules', 'allow', 'Bash(npm test)'), null],
  [rules('addRules', 'deny', 'Bash(rm *)'), null],
  [rules('removeRules', 'allow', 'Bash(rm *)'), null],
  [rules('replaceRules', 'deny', 'Bash(rm *)'), null],
  [rules('removeRules', 'deny', 'Bash(rm *)'), 'only you can take deny rules back'],
  [rules('removeRules', 'ask', 'Bash(rm *)'), 'only you can take ask rules back'],
  [rules('addRules', 'allow', 'Bash()'), 'nothing in its parentheses'],
  [update({ type: 'setMode', mode: 'bypassPermissions' }), 'only you can choose the mode'],
  [update({ type: 'setMode', mode: 'auto' }), 'only you can choose the mode auto'],
  [update({ type: 'setMode', mode: 'acceptEdits' }), null],
  [update({ type: 'addDirectories', directories: ['/x'] }), null],
])('%j is refused because of %j', (given, why) => {
  if (why === null) expect(refusalOf(given)).toBeNull();
  else expect(refusalOf(given)).toContain(why);
});

test('what is offered is what a hook can send back', () => {
  for (const rule of ['Bash(npm test (fast))', 'Read', 'mcp__server__tool']) {
    const offered = asUpdate({ rule, destination: 'localSettings' });
    expect(PermissionUpdate.parse(offered)).toEqual(offered);
    expect(JSON.parse(after(offered, ''))).toEqual({ permissions: { allow: [rule] } });
  }
});
