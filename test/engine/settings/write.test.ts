import { lstatSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withListed, withoutListed } from '../../../src/main/engine/settings/permission-update';
import {
  addRule,
  createSettingsWriter,
  fileForDestination,
} from '../../../src/main/engine/settings/write';
import { createNodeFiles } from '../../../src/main/node/files';
import { createHome, type Home } from './support';

let at: Home;
beforeEach(() => {
  at = createHome();
});
afterEach(() => at.remove());

const add = (text: string, rule = 'Bash(npm test)') =>
  withListed(text, 'settings.json', 'allow', rule);
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
    error: { message: expect.stringContaining('were not changed') },
  });
});

const remove = (text: string, rule: string) => {
  const result = withoutListed(text, 'settings.json', 'deny', rule);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
};
const deny = (list: string) => `{\n  "permissions": {\n    "deny": ${list}\n  }\n}\n`;

test.each([
  ['the first', '["A", "B", "C"]', 'A', '["B", "C"]'],
  ['one between', '["A", "B", "C"]', 'B', '["A", "C"]'],
  ['the last', '["A","B","C"]', 'C', '["A","B"]'],
  ['the only one', '["A"]', 'A', '[]'],
  ['before a trailing comma', '["A",\r\n"B",\r\n]', 'B', '["A",\r\n]'],
  ['wherever it stands twice', '["A", "B", "A"]', 'A', '["B"]'],
  ['the last of a list in lines', '[\n      "A",\n      "B"\n    ]', 'B', '[\n      "A"\n    ]'],
  ['one that is not there', '["A"]', 'X', '["A"]'],
])('a rule is taken out: %s', (_, before, rule, after) => {
  expect(remove(deny(before), rule)).toBe(deny(after));
});

test('every comment stays when a rule goes, also between it and its comma', () => {
  const list =
    '[\n      // one\n      "A", // of A\n      /* two */ "B" /* of B */, // after B\n      // three\n      "C" // of C\n    ]';
  for (const rule of ['A', 'B', 'C']) {
    const after = remove(deny(list), rule);
    const parsed: unknown = parse(after, [], { allowTrailingComma: true });
    expect(parsed).toEqual({
      permissions: { deny: ['A', 'B', 'C'].filter((other) => other !== rule) },
    });
    for (const comment of list.match(/\/\/.*|\/\*.*?\*\//g) ?? []) expect(after).toContain(comment);
  }
});

test('a removed rule and an added one cancel out, whatever else the list holds', () => {
  const item = fc.constantFrom('Bash(a)', 'Bash(b, c)', 'Read(//x/"y")', '// no comment', 'é');
  fc.assert(
    fc.property(
      fc.uniqueArray(item, { maxLength: 4 }),
      fc.constantFrom(undefined, 1, 2, '\t'),
      (rules, indent) => {
        const text = JSON.stringify({ permissions: { deny: rules, allow: rules } }, null, indent);
        const added = withListed(text, 'f', 'deny', 'Bash(new)');
        const back = added.ok ? withoutListed(added.value, 'f', 'deny', 'Bash(new)') : added;
        expect(JSON.parse(back.ok ? back.value : '')).toEqual(JSON.parse(text));
        for (const rule of rules) {
          const without = withoutListed(text, 'f', 'deny', rule);
          expect(JSON.parse(without.ok ? without.value : '')).toEqual({
            permissions: { deny: rules.filter((other) => other !== rule), allow: rules },
          });
        }
      },
    ),
  );
});

test('a file that cannot be understood keeps its deny rules: nothing is taken out', () => {
  const result = withoutListed('{"permissions": {"deny": ["A"', 'settings.json', 'deny', 'A');
  expect(result).toMatchObject({ ok: false, error: { code: 'malformed_settings' } });
});

test('a file that is no UTF-8 text is left as it is: a change would lose bytes of it', async () => {
  const file = path.join(at.home, 'latin.json');
  const bytes = Buffer.from('{"name": "\xe9"}', 'latin1');
  writeFileSync(file, bytes);
  const done = await createSettingsWriter(createNodeFiles()).addRule(file, 'allow', 'Read');
  expect(done).toMatchObject({ ok: false, error: { code: 'malformed_settings' } });
  expect(readFileSync(file).equals(bytes)).toBe(true);
});
