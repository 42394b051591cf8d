import { lstatSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  addRule,
  createSettingsWriter,
  fileForDestination,
  withRule,
} from '../../../src/main/engine/settings/write';
import { createNodeFiles } from '../../../src/main/node/files';
import { createHome, type Home } from './support';

let at: Home;
beforeEach(() => {
  at = createHome();
});
afterEach(() => at.remove());

const add = (text: string, rule = 'Bash(npm test)') =>
  withRule(text, 'settings.json', 'allow', rule);
const value = (text: string) => {
  const result = add(text);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
};

test('an empty file becomes a small one', () => {
  expect(value('')).toBe(
    '{\n  "permissions": {\n    "allow": [\n      "Bash(npm test)"\n    ]\n  }\n}\n',
  );
});

test('comments, order, indentation and line ends stay', () => {
  const before =
    '{\r\n\t// mine\r\n\t"model": "opus",\r\n\t"permissions": {\r\n\t\t"allow": [\r\n\t\t\t"Read" // ok\r\n\t\t]\r\n\t}\r\n}\r\n';
  const after = value(before);
  expect(after).toContain('// mine');
  expect(after).toContain('"Read"');
  expect(after).toContain('// ok');
  expect(after.replaceAll('\r\n', '')).not.toContain('\n');
  expect(after).toContain('\t\t\t"Bash(npm test)"');
});

test('a rule that is there already changes nothing', () => {
  const text = '{"permissions":{"allow":["Bash(npm test)"]}}';
  expect(add(text)).toEqual({ ok: true, value: text });
});

test.each([
  ['{"permissions": {"allow": ["x"', 'line 1'],
  ['[]', 'an object is expected'],
  ['{"permissions": []}', 'permissions is not an object'],
  ['{"permissions": {"allow": "x"}}', 'permissions.allow is not a list'],
])('a file that cannot be understood is refused: %s', (text, expected) => {
  const result = add(text);
  expect(result).toMatchObject({ ok: false, error: { code: 'malformed_settings' } });
  expect(result.ok ? '' : result.error.message).toContain(expected);
  expect(result.ok ? '' : result.error.fix).toContain('settings.json');
});

test('the rule lands in the file of its destination and is read from there', async () => {
  const places = { project: at.project, configDir: at.configDir };
  const suggestion = { rule: 'Bash(npm test:*)', destination: 'localSettings' } as const;
  expect(await addRule(createSettingsWriter(createNodeFiles()), places, suggestion)).toMatchObject({
    ok: true,
  });
  const settings = await at.load(true);
  expect(settings.rules).toMatchObject([{ text: 'Bash(npm test:*)', source: 'localSettings' }]);
  expect(fileForDestination('session', places)).toBeNull();
});

test('a malformed file is left exactly as it was', async () => {
  const file = at.put('proj/.claude/settings.local.json', '{"permissions": {"deny": ["Bash(rm:*)"');
  const result = await createSettingsWriter(createNodeFiles()).addRule(file, 'allow', 'Read');
  expect(result.ok).toBe(false);
  expect(readFileSync(file, 'utf8')).toBe('{"permissions": {"deny": ["Bash(rm:*)"');
});

test('answers given at the same time are all saved, through a link too', async () => {
  const target = at.put('shared.json', '{}');
  const link = path.join(at.project, 'settings.local.json');
  symlinkSync(target, link);
  const writer = createSettingsWriter(createNodeFiles());
  const rules = Array.from({ length: 20 }, (_, i) => `Bash(echo ${i})`);
  await Promise.all(rules.map((rule) => writer.addRule(link, 'allow', rule)));
  expect(JSON.parse(readFileSync(target, 'utf8')).permissions.allow).toEqual(rules);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
});

test('a rule nobody could read is not saved; a disk that refuses is reported', async () => {
  const writer = createSettingsWriter(createNodeFiles());
  const file = path.join(at.project, '.claude', 'settings.local.json');
  expect(await writer.addRule(file, 'allow', 'Bash(')).toMatchObject({
    ok: false,
    error: { code: 'invalid_rule' },
  });
  writeFileSync(path.join(at.project, '.claude'), 'in the way');
  expect(await writer.addRule(file, 'allow', 'Read')).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining('was not saved') },
  });
});
