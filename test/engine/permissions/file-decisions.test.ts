import { execFileSync } from 'node:child_process';
import { linkSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { decide } from '../../../src/main/engine/permissions/decide';
import { isReadRestricted } from '../../../src/main/engine/permissions/decide-file';
import { mayCoverBelow } from '../../../src/main/engine/permissions/rule-match';
import { createRuleSet } from '../../../src/main/engine/permissions/rule-set';
import { readRules } from '../../../src/main/engine/permissions/rules';
import type { PermissionMode } from '../../../src/shared/permission';
import { createFixture, type RuleTexts, rulesOf } from './support/judge';
import { type Expected, sharedFixture } from './support/table';

const fixture = sharedFixture();

type Case = readonly [Expected, string, string, RuleTexts?, PermissionMode?];
const NO_SECRETS: RuleTexts = { deny: ['Read(./secrets/**)'] };

const CASES: readonly Case[] = [
  ['allow', 'Read', 'a.txt'],
  ['allow', 'Grep', '.'],
  ['allow', 'Read', 'inlink.txt'],
  ['ask', 'Read', '../outside.txt'],
  ['ask', 'Read', '~/.ssh/id_rsa'],
  ['ask', 'Read', '../proj-evil/x.txt'],
  ['ask', 'Read', 'key'],
  ['ask', 'Read', 'chain1'],
  ['ask', 'Read', 'escape/passwd'],
  ['ask', 'Read', '/dev/tty'],
  ['ask', 'Grep', '/etc'],
  ['ask', 'Read', '\\\\server\\share\\x'],
  ['ask', 'Edit', 'a.txt'],
  ['allow', 'Edit', 'a.txt', {}, 'acceptEdits'],
  ['allow', 'Write', 'src/new/file.ts', {}, 'acceptEdits'],
  ['ask', 'Write', '../outside.txt', {}, 'acceptEdits'],
  ['ask', 'Write', '~/notes.txt', {}, 'acceptEdits'],
  ['ask', 'Write', 'chain1', {}, 'acceptEdits'],
  ['ask', 'Write', 'dangling', {}, 'acceptEdits'],
  ['ask', 'Write', 'escape/x', {}, 'acceptEdits'],
  ['ask', 'Write', '.bashrc', {}, 'acceptEdits'],
  ['ask', 'Write', '.git/hooks/pre-commit', {}, 'acceptEdits'],
  ['ask', 'Write', 'gitlink/hooks/pre-commit', {}, 'acceptEdits'],
  ['ask', 'Write', '.GIT/config', {}, 'acceptEdits'],
  ['ask', 'Write', '.git./config', {}, 'acceptEdits'],
  ['ask', 'Write', '.git /config', {}, 'acceptEdits'],
  ['ask', 'Write', '.g\u200cit/config', {}, 'acceptEdits'],
  ['ask', 'Write', '.git::$INDEX_ALLOCATION/config', {}, 'acceptEdits'],
  ['ask', 'Write', '.bashrc::$DATA', {}, 'acceptEdits'],
  ['ask', 'Write', 'GIT~1/config', {}, 'acceptEdits'],
  ['ask', 'Write', 'GITCON~1', {}, 'acceptEdits'],
  ['ask', 'Write', '.\uff47it/config', {}, 'acceptEdits'],
  ['allow', 'Write', 'notes~1', {}, 'acceptEdits'],
  ['allow', 'Write', 'a:b.txt', {}, 'acceptEdits'],
  ['allow', 'Write', '...', {}, 'acceptEdits'],
  [
    'ask',
    'Write',
    '.claude/settings.json',
    { allow: ['Edit(/.claude/**)', 'Edit'] },
    'acceptEdits',
  ],
  ['allow', 'Write', '.claude/worktrees/a/x.ts', {}, 'acceptEdits'],
  ['ask', 'Write', '.claude/worktrees/a/.claude/settings.json', {}, 'acceptEdits'],
  ['ask', 'Write', '.mcp.json', {}, 'bypassPermissions'],
  ['ask', 'Write', 'pyrightconfig.json', {}, 'acceptEdits'],
  ['allow', 'Write', '../outside.txt', {}, 'bypassPermissions'],
  ['deny', 'Edit', 'a.txt', { allow: ['Edit'] }, 'plan'],
  ['allow', 'Read', 'a.txt', {}, 'plan'],
  ['deny', 'Edit', 'a.txt', {}, 'dontAsk'],
  ['deny', 'Read', 'secrets/a.txt', NO_SECRETS],
  ['deny', 'Read', 'src/../secrets/a.txt', NO_SECRETS, 'bypassPermissions'],
  ['deny', 'Grep', 'secrets', NO_SECRETS],
  ['deny', 'Glob', 'secrets/deep', NO_SECRETS],
  ['allow', 'Read', 'vendor/pkg/secrets/a.txt', NO_SECRETS],
  ['deny', 'Read', 'secrets/a.txt', { deny: ['Read(.\\secrets\\**)'] }],
  ['deny', 'Edit', 'secrets/a.txt', { deny: ['Edit(secrets\\a.txt)'] }, 'acceptEdits'],
  ['allow', 'Read', 'a.txt', { deny: ['Read(.\\secrets\\**)'] }],
  ['ask', 'Edit', 'secrets/a.txt', { allow: ['Edit(secrets\\a.txt)'] }],
  ['allow', 'Grep', '.', NO_SECRETS],
  ['deny', 'Read', 'envlink', { deny: ['Read(./.env)'] }],
  ['deny', 'Read', 'packages/api/.env', { deny: ['Read(.env)'] }],
  ['deny', 'Read', '~/.ssh/id_rsa', { deny: ['Read(~/.ssh/**)'] }],
  ['deny', 'Read', 'key', { deny: ['Read(~/.ssh/**)'] }],
  ['deny', 'Read', 'a.txt', { deny: ['Read'], allow: ['Read'] }],
  ['deny', 'Read', 'a.txt', { deny: ['Read(../x)'] }],
  ['deny', 'Write', 'src/x', { deny: ['Edit(/src/**)'] }, 'bypassPermissions'],
  ['ask', 'Edit', 'src/app.ts', { ask: ['Edit(./src/**)'] }, 'bypassPermissions'],
  ['allow', 'Edit', 'src/app.ts', { allow: ['Edit(src/**)'] }],
  ['ask', 'Edit', 'vendor/pkg/src/x', { allow: ['Edit(src/**)'] }],
  ['allow', 'Read', '~/notes/a.txt', { allow: ['Read(~/notes/**)'] }],
  ['allow', 'Grep', '~/notes', { allow: ['Read(~/notes/**)'] }],
  ['ask', 'Read', 'key', { allow: ['Read(./**)'] }],
  ['allow', 'Read', 'key', { allow: ['Read(./**)', 'Read(~/.ssh/id_rsa)'] }],
  ['allow', 'Read', '/etc/hosts', { allow: ['Read(//etc/hosts)'] }],
  ['ask', 'Edit', '/etc/hosts', { allow: ['Read(//etc/hosts)'] }],
  ['ask', 'Read', 'loopa'],
  ['ask', 'Read', 'loopa', { allow: ['Read'] }, 'bypassPermissions'],
  ['ask', 'Read', 'a\0b'],
  ['ask', 'Read', '~root/.bashrc'],
  ['ask', 'Read', 'C:\\Windows\\win.ini'],
  ['ask', 'Read', 'C:/Windows/win.ini'],
  ['ask', 'Write', '..\\..\\evil', {}, 'acceptEdits'],
  ['allow', 'Read', 'src/$userId.tsx'],
  ['allow', 'Read', 'backup~'],
  ['allow', 'Read', 'src/app.ts/'],
  ['deny', 'Read', 'secrets/a.txt/', NO_SECRETS],
  ['deny', 'Read', 'cafe\u0301.txt', { deny: ['Read(./caf\u00e9.txt)'] }],
  ['deny', 'Read', 'caf\u00e9.txt', { deny: ['Read(./cafe\u0301.txt)'] }],
  ['allow', 'Read', 'sample.env', { deny: ['Read(*.env)', 'Read(!sample.env)'] }],
  ['deny', 'Read', 'packages/api/x.env', { deny: ['Read(*.env)', 'Read(!sample.env)'] }],
  ['deny', 'Read', 'sample.env', { deny: ['Read(!sample.env)', 'Read(*.env)'] }],
  ['deny', 'Read', 'secrets/a.txt', { deny: ['Read(secrets/**)', 'Read(!secrets/a.txt)'] }],
  ['deny', 'Read', '~/notes/a.txt', { deny: ['Read(~/notes/**)', 'Read(!~/notes/a.txt)'] }],
  ['deny', 'Read', 'sample.env', { deny: ['Read(*.env)'], ask: ['Read(!sample.env)'] }],
  ['allow', 'Read', 'a.txt', { deny: ['Read(!a.txt)'] }],
  ['allow', 'Edit', 'b.md', { ask: ['Edit(*.md)', 'Edit(!b.md)'] }, 'acceptEdits'],
  ['deny', 'Edit', '.env', { deny: ['Read(./.env)'] }, 'acceptEdits'],
  ['deny', 'Write', 'envlink', { deny: ['Read(./.env)'] }, 'bypassPermissions'],
  ['deny', 'Write', 'secrets/new.txt', NO_SECRETS, 'acceptEdits'],
  ['allow', 'NotebookEdit', '.env', { deny: ['Read(./.env)'] }, 'acceptEdits'],
  ['ask', 'Write', 'docs/b.md', { allow: ['Write(docs/**)'] }],
  ['allow', 'Write', 'docs/b.md', { allow: ['Write'] }],
  ['ask', 'Write', '.devcontainer.json', {}, 'acceptEdits'],
  ['ask', 'Read', 'file:///etc/passwd'],
  ['deny', 'NotebookEdit', 'a.ipynb', { deny: ['Edit(*.ipynb)'] }, 'acceptEdits'],
  ['ask', 'Read', '/proc/self/environ'],
  ['deny', 'Read', '/proc/self/cwd', { deny: ['Read(//proc/**)'] }],
  ['ask', 'Read', '/dev/fd/0'],
  ['allow', 'Read', 'x'.repeat(300)],
  ['allow', 'Read', 'a'.repeat(40), { deny: ['Read(**/*a*a*a*a*a*a*a*a*a*a*b)'] }],
];

const ROWS = CASES.map(([expected, tool, asked, rules = {}, mode = 'default']) => ({
  expected,
  tool,
  asked,
  rules,
  mode,
}));

test.each(ROWS)('$expected: $tool $asked with $rules in $mode', async (row) => {
  const { expected, tool, asked, rules, mode } = row;
  const decision = await fixture().file(tool, asked, rules, mode);
  expect(decision.behavior, decision.why.join(' | ')).toBe(expected);
  expect(decision.reason).not.toBe('');
});

test('a rule for one name of a file holds for its other names', async () => {
  // The disk changes here, and the shared fixture looks once.
  const changing = createFixture();
  onTestFinished(changing.remove);
  const at = (name: string) => path.join(changing.project, name);
  linkSync(at('secrets/a.txt'), at('other-name.txt'));
  const judge = async (name: string, rules: RuleTexts) =>
    (await changing.file('Read', name, rules)).behavior;
  expect(await judge('other-name.txt', {})).toBe('allow');
  expect(await judge('other-name.txt', NO_SECRETS)).toBe('deny');
  expect(await judge('other-name.txt', { ask: ['Read(./secrets/**)'] })).toBe('ask');
  expect(await judge('other-name.txt', { deny: ['Read(./src/**)'] })).toBe('allow');
  expect(await judge('secrets/a.txt', { deny: ['Read(./other-name.txt)'] })).toBe('deny');
  const edit = await changing.file('Edit', 'other-name.txt', NO_SECRETS, 'acceptEdits');
  expect(edit.behavior).toBe('allow');
});

test.each([
  '.git/hooks/pre-commit',
  '.claude/settings.local.json',
  '.mcp.json',
  '.bashrc',
  '.envrc',
])(
  'THREATS 7: no mode and no rule lets %s be written unasked, however it is spelled',
  async (guarded) => {
    const spellings = [
      guarded,
      `src/../${guarded}`,
      guarded.toUpperCase(),
      `${guarded}.`,
      `./${guarded}/`,
    ];
    const modes = ['default', 'acceptEdits', 'bypassPermissions', 'dontAsk', 'plan'] as const;
    const allow = ['Edit', 'Write', 'Edit(**)', `Edit(/${guarded})`, `Edit(//**)`];
    for (const spelling of spellings)
      for (const mode of modes) {
        const decision = await fixture().file('Write', spelling, { allow }, mode);
        expect([spelling, mode, decision.behavior]).not.toContain('allow');
      }
  },
);

test('a rule keeps its grip when the working directory moves', async () => {
  const { context, project } = fixture();
  const rules = createRuleSet(readRules(rulesOf(NO_SECRETS)));
  const path = `${project}/secrets/a.txt`;
  const moved = { ...context, cwd: `${project}/src` };
  expect(isReadRestricted({ path, realPath: path }, rules, moved)).toBe(true);
});

test.each<[Expected, 'read' | 'edit', string, RuleTexts]>([
  ['deny', 'read', 'prod.json', { deny: ['Read(//p/repo/app/prod.json)'] }],
  ['deny', 'edit', 'prod.json', { deny: ['Read(//p/repo/app/prod.json)'] }],
  ['deny', 'read', 'conf/prod.json', { deny: ['Read(/conf/**)'] }],
  ['deny', 'read', 'conf/prod.json', { deny: ['Read(./conf/prod.json)'] }],
  ['ask', 'read', 'conf/prod.json', { ask: ['Read(/conf/**)'] }],
  // The project is a folder of its repository, and the worktree has all of it.
  ['deny', 'read', 'app/conf/prod.json', { deny: ['Read(/conf/**)'] }],
  ['deny', 'read', 'app/prod.json', { deny: ['Read(//p/repo/app/prod.json)'] }],
  ['allow', 'read', 'other/conf/prod.json', { deny: ['Read(/conf/**)'] }],
  ['allow', 'read', 'prod.json', { deny: ['Read(//p/repo/prod.json)'] }],
  ['ask', 'edit', 'src/a.ts', { allow: ['Edit(/src/**)'] }],
])('a denial holds in a worktree: %s %s %s', (expected, access, name, rules) => {
  const project = '/p/repo/app';
  const at = `${project}/.claude/worktrees/try/${name}`;
  const request = {
    kind: 'file' as const,
    tool: access === 'edit' ? 'Write' : 'Read',
    access,
    path: at,
    realPath: at,
    identity: null,
  };
  const cwd = `${project}/.claude/worktrees/try/deep`;
  const context = { ...fixture().context, project, cwd, workingDirectories: [project] };
  expect(decide(request, rulesOf(rules), 'default', context).behavior).toBe(expected);
});

test('a search in a worktree reaches what is denied in the project', async () => {
  const { context, project } = fixture();
  const cwd = `${project}/.claude/worktrees/try/deep`;
  const [rule] = readRules(rulesOf({ deny: [`Read(/${project}/conf/x)`] }));
  if (rule === undefined) throw new Error('no rule');
  const below = (folder: string) => mayCoverBelow(rule, folder, { ...context, cwd });
  const at = `${project}/.claude/worktrees/try`;
  expect([at, `${at}/conf`, `${at}/src`].map(below)).toEqual([true, true, false]);
});

test('letter case matters only where the disk minds it', () => {
  const { context, project } = fixture();
  const rules = createRuleSet(readRules(rulesOf(NO_SECRETS)));
  const path = `${project}/SECRETS/a.txt`;
  const restricted = (caseInsensitive: boolean) =>
    isReadRestricted({ path, realPath: path }, rules, { ...context, caseInsensitive });
  expect([restricted(false), restricted(true)]).toEqual([false, true]);
});

test.each<[Expected, 'read' | 'edit', string, string, RuleTexts?, PermissionMode?]>([
  ['allow', 'edit', '/s/scratch/try.py', '/s/scratch/try.py'],
  ['allow', 'edit', '/s/scratch/try.py', '/s/scratch/try.py', {}, 'dontAsk'],
  ['allow', 'read', '/s/scratch/deep/a', '/s/scratch/deep/a'],
  ['ask', 'edit', '/s/scratch-evil/x', '/s/scratch-evil/x'],
  ['ask', 'edit', '/s/scratch/link', '/etc/passwd'],
  ['ask', 'edit', '/s/tasks/x.output', '/s/tasks/x.output'],
  ['deny', 'edit', '/s/scratch/a', '/s/scratch/a', { deny: ['Edit(//s/**)'] }],
  ['ask', 'edit', '/s/scratch/a', '/s/scratch/a', { ask: ['Edit'] }],
  ['deny', 'edit', '/s/scratch/a', '/s/scratch/a', {}, 'plan'],
])(
  'scratch folder: %s %s %s → %s',
  (expected, access, path, realPath, rules = {}, mode = 'default') => {
    const request = {
      kind: 'file' as const,
      tool: access === 'edit' ? 'Write' : 'Read',
      access,
      path,
      realPath,
      identity: null,
    };
    const context = { ...fixture().context, ownFolders: ['/s'], scratchFolders: ['/s/scratch'] };
    expect(decide(request, rulesOf(rules), mode, context).behavior).toBe(expected);
  },
);

test.each<[string, string, string, string, PermissionMode?, RuleTexts?]>([
  ['allow', 'edit', '/h/.claude/m/topic.md', '/h/.claude/m/topic.md'],
  ['allow', 'edit', '/h/.claude/m/MEMORY.md', '/h/.claude/m/MEMORY.md', 'dontAsk'],
  ['allow', 'read', '/h/.claude/m/MEMORY.md', '/h/.claude/m/MEMORY.md'],
  ['ask', 'edit', '/h/.claude/m/run.sh', '/h/.claude/m/run.sh'],
  ['ask', 'edit', '/h/.claude/m/deep/a.md', '/h/.claude/m/deep/a.md'],
  ['ask', 'edit', '/h/.claude/settings.json', '/h/.claude/settings.json'],
  ['ask', 'edit', '/h/.claude/m/link.md', '/h/.claude/settings.json'],
  ['ask', 'edit', '/h/.claude/m/../CLAUDE.md', '/h/.claude/CLAUDE.md'],
  ['deny', 'edit', '/h/.claude/m/topic.md', '/h/.claude/m/topic.md', 'plan'],
  ['deny', 'edit', '/h/.claude/m/a.md', '/h/.claude/m/a.md', 'default', { deny: ['Edit(//h/**)'] }],
  ['ask', 'edit', '/h/.claude/m/a.md', '/h/.claude/m/a.md', 'default', { ask: ['Write'] }],
])('notes: %s %s %s → %s', (expected, access, path, realPath, mode = 'default', rules = {}) => {
  const request = {
    kind: 'file' as const,
    tool: access === 'edit' ? 'Write' : 'Read',
    access: access === 'edit' ? ('edit' as const) : ('read' as const),
    path,
    realPath,
    identity: null,
  };
  const notes = { noteFolders: ['/h/.claude/m'], ownNotes: '/h/.claude/m' };
  const context = { ...fixture().context, ...notes };
  expect(decide(request, rulesOf(rules), mode, context).behavior).toBe(expected);
});

test('a pipe in the project is asked about: reading it could wait for ever', async () => {
  execFileSync('mkfifo', [path.join(fixture().project, 'pipe')]);
  for (const tool of ['Read', 'Write'])
    for (const mode of ['default', 'acceptEdits', 'bypassPermissions'] as const)
      expect((await fixture().file(tool, 'pipe', {}, mode)).behavior, tool).toBe('ask');
});
