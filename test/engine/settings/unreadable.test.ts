import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decide } from '../../../src/main/engine/permissions/decide';
import type { PermissionRequest } from '../../../src/main/engine/permissions/request';
import { touchesIn } from '../../../src/main/engine/permissions/shell-paths';
import { createHome, type Home } from './support';

let home: Home;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.remove());

const SETTINGS = { permissions: { deny: ['Bash(evil:*)', 'Read(secret.txt)', 'mcp__s__t'] } };
const JSON_TEXT = JSON.stringify(SETTINGS);
const PADDING = ' '.repeat(8 * 1024 * 1024);

/** A call of each kind that the denials above forbid, and that bypass mode would let pass. */
async function behaviors(): Promise<readonly string[]> {
  const settings = await home.load(true);
  const { project } = home;
  const context = {
    cwd: project,
    home: home.home,
    project,
    workingDirectories: [project],
    caseInsensitive: false,
  };
  const words = ['evil', 'x'];
  const command = {
    words,
    text: 'evil x',
    start: 0,
    end: 6,
    writes: [],
    reads: [],
    assignments: [],
  };
  const secret = path.join(project, 'secret.txt');
  const analysis = { ok: true, commands: [command], changesDirectory: false } as const;
  const requests: PermissionRequest[] = [
    {
      kind: 'shell',
      tool: 'Bash',
      command: 'evil x',
      cwd: project,
      analysis,
      touches: touchesIn(analysis, context),
      realPaths: {},
    },
    { kind: 'file', tool: 'Read', access: 'read', path: secret, realPath: secret, identity: null },
    { kind: 'tool', tool: 'mcp__s__t', readOnly: true },
  ];
  return requests.map(
    (request) => decide(request, settings.rules, 'bypassPermissions', context).behavior,
  );
}

const utf16 = (text: string, big: boolean, mark: boolean): Buffer => {
  const bytes = Buffer.from(`${mark ? '\uFEFF' : ''}${text}`, 'utf16le');
  return big ? bytes.swap16() : bytes;
};

describe('THREATS 4: a settings file that cannot be read loses no denial', () => {
  const cases: readonly (readonly [string, string | Buffer])[] = [
    ['over 8 MiB', `${PADDING}${JSON_TEXT}`],
    ['UTF-16 with a mark', utf16(JSON_TEXT, false, true)],
    ['UTF-16, high byte first, with a mark', utf16(JSON_TEXT, true, true)],
    ['UTF-16 without a mark', utf16(JSON_TEXT, false, false)],
    ['UTF-16, high byte first, without a mark', utf16(JSON_TEXT, true, false)],
    ['UTF-32', Buffer.from([...JSON_TEXT].flatMap((c) => [c.charCodeAt(0), 0, 0, 0]))],
    ['Latin-1 in a rule', Buffer.from(JSON_TEXT.replace('secret', 's\u00e9cret'), 'latin1')],
    ['single quotes', JSON_TEXT.replaceAll('"', "'")],
    ['typographic quotes', JSON_TEXT.replace(/"([^"]*)"/g, '“$1”')],
    ['no quotes around names', JSON_TEXT.replace(/"(permissions|deny)"/g, '$1')],
    ['single quotes around rules', JSON_TEXT.replaceAll('"Bash(evil:*)"', "'Bash(evil:*)'")],
    ['a rule without quotes', JSON_TEXT.replace('"Bash(evil:*)"', 'Bash(evil:*)')],
    ['cut off in the list', JSON_TEXT.slice(0, 30)],
    ['cut off before the list', `{"model": "opus", "permis`],
    ['a conflict of git', `<<<<<<< HEAD\n${JSON_TEXT}\n=======\n${JSON_TEXT}\n>>>>>>> x\n`],
    ['YAML', 'permissions:\n  deny:\n    - Bash(evil:*)\n'],
    ['UTF-7', JSON_TEXT.replaceAll('"', '+ACI-').replaceAll('{', '+AHs-')],
    ['TOML', '[permissions]\ndeny = ["Bash(evil:*)"]\n'],
    ['a second object', `{"model": "opus"}\n${JSON_TEXT}`],
    ['nested too deeply', `{"a":${'['.repeat(200_000)}`],
    ['nested too deeply, and whole', `{"x":${'{"x":'.repeat(3_000)}1${'}'.repeat(3_001)}`],
    ['a pointer of Git LFS', 'version https://git-lfs.github.com/spec/v1\nsize 1\n'],
    ['a number', '42'],
    [
      'several rules in one of the list',
      '{"permissions": {"deny": ["Bash(worse:*), Bash(evil:*), Read(secret.txt), mcp__s__t"]}}',
    ],
    ['denials under another word', JSON_TEXT.replace('deny', 'denied')],
    ['denials under the name of a flag', JSON_TEXT.replace('deny', 'disallowedTools')],
    [
      'a name with a dot, at the top',
      JSON.stringify({ 'permissions.deny': SETTINGS.permissions.deny }),
    ],
    ['a list of objects', '{"permissions": {"deny": [{"tool": "Bash"}]}}'],
    ['an object as the list', '{"permissions": {"deny": {"Bash(evil:*)": true}}}'],
    ['permissions as a list', '{"permissions": ["Bash(evil:*)"]}'],
    ['several rules in one text', '{"permissions": {"deny": "Bash(evil:*), Bash(worse:*)"}}'],
    ['a rule without a name', '{"permissions": {"deny": ["(evil:*)"]}}'],
    ['a comment that does not end', `/* mine\n${JSON_TEXT}`],
    ['a comment whose beginning looks like its end', `/*/ ${JSON_TEXT}`],
  ];

  test.each(cases)('%s', async (_, content) => {
    const file = home.put('proj/.claude/settings.json', '');
    writeFileSync(file, content);
    for (const behavior of await behaviors()) expect(behavior).not.toBe('allow');
  });

  test.each([
    ['the user', '.claude/settings.json'],
    ['the machine', 'etc/managed-settings.json'],
    ['the machine, beside', 'etc/managed-settings.d/a.json'],
    ['the project', 'proj/.claude/settings.local.json'],
  ])('whoever wrote it: %s', async (_, file) => {
    home.put(file, `${PADDING}{}`);
    expect(await behaviors()).toEqual(['ask', 'ask', 'ask']);
  });

  test('a folder in its place, and a file that may not be read', async () => {
    const at = home.put('proj/.claude/settings.json', '{}');
    rmSync(at);
    mkdirSync(at);
    expect(await behaviors()).toEqual(['ask', 'ask', 'ask']);
    rmSync(at, { recursive: true });
    writeFileSync(at, JSON_TEXT);
    chmodSync(at, 0);
    for (const behavior of await behaviors()) expect(behavior).not.toBe('allow');
  });

  test('a link to nothing in its place, or in that of its folder', async () => {
    const at = home.put('proj/.claude/settings.json', '{}');
    rmSync(at);
    symlinkSync('/nowhere/settings.json', at);
    expect(await behaviors()).toEqual(['ask', 'ask', 'ask']);
    rmSync(path.dirname(at), { recursive: true });
    expect(await behaviors()).toEqual(['allow', 'allow', 'allow']);
    symlinkSync('/nowhere', path.dirname(at));
    expect(await behaviors()).toEqual(['ask', 'ask', 'ask']);
  });

  test.each([
    ['the project’s', 'proj/.claude'],
    ['the user’s', '.claude'],
    ['the machine’s', 'etc/managed-settings.d'],
  ])('a file, or a link to nothing, in the place of a folder: %s', async (_, name) => {
    const at = path.join(home.home, name);
    rmSync(at, { recursive: true, force: true });
    expect(await behaviors()).toEqual(['allow', 'allow', 'allow']);
    writeFileSync(home.put(name, ''), '../shared/.claude');
    expect(await behaviors()).toEqual(['ask', 'ask', 'ask']);
    const { problems } = await home.load(true);
    expect(problems[0]?.message).toContain(`${at} is a file, and a folder is expected.`);
    rmSync(at);
    symlinkSync('/nowhere', at);
    expect(await behaviors()).toEqual(['ask', 'ask', 'ask']);
  });

  test.each([
    'proj/.claude/Settings.json',
    'proj/.claude/settings.local.JSON',
    'proj/.claude/settings.jsonc',
    '.claude/settings.json5',
    'etc/Managed-settings.json',
    'etc/Managed-settings.d/a.json',
    '.Claude/settings.json',
    'proj/.CLAUDE/settings.local.json',
  ])('under a name that nobody reads: %s', async (name) => {
    home.put(name, JSON_TEXT);
    for (const behavior of await behaviors()) expect(behavior).not.toBe('allow');
    const { problems } = await home.load(true);
    const wrong = /C(?:laude|LAUDE)|\.d\//.test(name) ? path.dirname(name) : name;
    // Where letter case means nothing, it is read.
    if (problems.length > 0)
      expect(problems[0]?.message).toContain(
        `${path.join(home.home, wrong)} is there, and its name`,
      );
  });

  test('a folder of such a name without settings in it is another one', async () => {
    home.put('proj/.Claude/skills/x/SKILL.md', 'Do it.');
    expect(await behaviors()).toEqual(['allow', 'allow', 'allow']);
  });

  test('it says which file, and that everything asks until then', async () => {
    const file = home.put('proj/.claude/settings.json', JSON_TEXT.replaceAll('"', "'"));
    const { problems } = await home.load(true);
    expect(problems[0]).toMatchObject({ file, level: 'error' });
    expect(problems[0]?.message).toContain('Lathe asks before every call');
  });
});

test.each([
  ['nothing there', null],
  ['an empty file', ''],
  ['nothing but comments', '// "deny": ["Bash(evil:*)"]\n/* none */\n'],
  ['comments that name the marks of others', '/* a /* b */\n// see /* here\n'],
  ['text in a rule that only looks like another', '{"permissions": {"deny": ["Bash(a (b) c)"]}}'],
  ['something behind the end', '{"permissions": {"deny": ["Bash(x)"]}} x'],
  ['a missing comma elsewhere', '{"model": "opus" "permissions": {"deny": ["Bash(x)"]}}'],
  [
    'a fault beside denials that are whole',
    '{"env": {"A" "b"}, "permissions": {"deny": ["Bash(x)"]}}',
  ],
])('a file whose denials are all known asks for nothing else: %s', async (_, content) => {
  if (content !== null) home.put('proj/.claude/settings.json', content);
  expect(await behaviors()).toEqual(['allow', 'allow', 'allow']);
});
