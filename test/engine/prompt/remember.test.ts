import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMemoryService, type MemoryService } from '../../../src/main/app/memory-service';
import { routeInput } from '../../../src/main/engine/input/commands';
import { noteFolder } from '../../../src/main/engine/prompt/auto-memory';
import type { EffectiveSettings } from '../../../src/main/engine/settings/effective';
import { loadSettings } from '../../../src/main/engine/settings/load';
import { createNodeFiles } from '../../../src/main/node/files';
import { memoryLine } from '../../../src/shared/memory';

const files = createNodeFiles();
const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 21);
let home: string;
let project: string;
let memory: MemoryService;
let settings: EffectiveSettings;

const put = (file: string, text: string) => {
  const path = join(home, file);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
};

const look = async (trusted = true) => {
  settings = await loadSettings({
    files,
    project,
    home,
    configDir: join(home, '.claude'),
    managedFile: null,
    trusted,
    commandLine: { allowedTools: [], disallowedTools: [], addDirectories: [] },
  });
  const listed = await memory.list(project);
  if (!listed.ok) throw new Error(listed.error.message);
  return listed.value;
};

beforeEach(async () => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'lathe-memory-')));
  project = join(home, 'proj');
  mkdirSync(project);
  const configDir = join(home, '.claude');
  memory = createMemoryService({
    services: {
      ...{ files, home, configDir, managedMemory: null },
      clock: { date: () => NOW },
      latheHome: join(home, '.lathe'),
    },
    settings: (path) => (path === project ? settings : null),
  });
  await look();
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

test.each<[string, string | null]>([
  ['# always use tabs', 'always use tabs'],
  ['#no space', 'no space'],
  ['## a heading', null],
  ['#!/bin/sh', null],
  ['# a title\nand more', null],
  ['#', null],
  ['use # here', null],
])('a line that keeps something in mind: %j', (text, kept) => {
  expect(memoryLine(text)).toBe(kept);
  const commands = new Set<string>();
  expect(routeInput(text, { commands, shell: false, memory: true })).toEqual(
    kept === null ? { kind: 'prompt' } : { kind: 'command', name: 'remember', args: kept },
  );
  // Words that a program passes on are nobody's wish to keep something.
  expect(routeInput(text, { commands, shell: false })).toEqual({ kind: 'prompt' });
});

test('a memory is added at the end of the file of its place, and what stands there stays', async () => {
  put('proj/AGENTS.md', '# House rules');
  expect(await memory.add(project, 'project', 'use tabs')).toEqual({
    ok: true,
    value: join(project, 'AGENTS.md'),
  });
  await memory.add(project, 'project', 'no spaces');
  expect(readFileSync(join(project, 'AGENTS.md'), 'utf8')).toBe(
    '# House rules\n\n- use tabs\n- no spaces\n',
  );
  await memory.add(project, 'local', 'mine');
  await memory.add(project, 'user', 'everywhere');
  expect(readFileSync(join(project, 'CLAUDE.local.md'), 'utf8')).toBe('- mine\n');
  expect(readFileSync(join(home, '.claude', 'CLAUDE.md'), 'utf8')).toBe('- everywhere\n');
  expect((await look()).files.map(({ path }) => path)).toEqual([
    join(home, '.claude', 'CLAUDE.md'),
    join(project, 'AGENTS.md'),
    join(project, 'CLAUDE.local.md'),
  ]);
});

test('nothing is written through a link that leads out, nor into a folder that nobody trusts', async () => {
  put('secret.md', 'mine');
  symlinkSync(join(home, 'secret.md'), join(project, 'CLAUDE.md'));
  expect(await memory.add(project, 'project', 'x')).toMatchObject({ error: { code: 'leads_out' } });
  expect(readFileSync(join(home, 'secret.md'), 'utf8')).toBe('mine');
  await look(false);
  expect(await memory.add(project, 'local', 'x')).toMatchObject({ ok: false });
  expect(await memory.add(project, 'user', 'x')).toMatchObject({ ok: true });
});

test('the view says what is loaded, how large, and what was left out and why', async () => {
  put('.claude/settings.json', JSON.stringify({ claudeMdExcludes: ['**/vendor.md'] }));
  put('proj/CLAUDE.md', 'See @vendor.md, @gone.md and @loop.md');
  put('proj/vendor.md', 'theirs');
  put('proj/loop.md', 'back to @CLAUDE.md');
  put('proj/.claude/rules/css.md', '---\npaths: "*.css"\n---\nUse tokens.');
  const { files: loaded, leftOut } = await look();
  expect(loaded).toMatchObject([
    { path: join(project, 'CLAUDE.md'), kind: 'project' },
    { path: join(project, 'loop.md'), kind: 'import', importedBy: join(project, 'CLAUDE.md') },
    { path: join(project, '.claude/rules/css.md'), globs: ['*.css'] },
  ]);
  expect(loaded.every(({ tokens }) => tokens > 0)).toBe(true);
  expect(leftOut.map(({ message }) => message)).toEqual([
    expect.stringContaining('the import @gone.md names no file'),
    expect.stringContaining('leads back to a file that imports this one'),
    expect.stringContaining('vendor.md: left out: claudeMdExcludes in settings names it'),
  ]);
});

test('an import from outside waits for a yes, which is remembered for this project alone', async () => {
  put('team/style.md', 'the style');
  put('proj/CLAUDE.md', 'See @../team/style.md');
  const path = join(home, 'team', 'style.md');
  const before = await look();
  expect(before.outside).toEqual([
    { path, importedBy: join(project, 'CLAUDE.md'), allowed: false },
  ]);
  expect(before.leftOut[0]?.message).toContain('is left out until you allow it in /memory');
  expect(await memory.allowImport(project, join(home, 'other.md'), true)).toMatchObject({
    error: { code: 'not_imported' },
  });
  expect(await memory.allowImport(project, path, true)).toEqual({ ok: true, value: null });
  const after = await look();
  expect(after.files.map((file) => file.path)).toContain(path);
  expect(after.leftOut).toEqual([]);
  const kept = JSON.parse(readFileSync(join(home, '.lathe', 'imports.json'), 'utf8'));
  expect(kept.projects).toEqual({ [project]: [path] });
  await memory.allowImport(project, path, false);
  expect((await look()).files.map((file) => file.path)).not.toContain(path);
});

test('MEM-002: what lies outside is not read without a yes, wherever an import leads', async () => {
  put('.ssh/id_rsa', 'the key');
  put('secret', 'the secret');
  put('proj/CLAUDE.md', '@/etc/shadow\n@~/.ssh/id_rsa\n@../secret\n');
  const { files: loaded, outside, leftOut } = await look();
  expect(loaded.map(({ path }) => path)).toEqual([join(project, 'CLAUDE.md')]);
  expect(outside.map(({ path }) => path)).toEqual(
    expect.arrayContaining([join(home, '.ssh', 'id_rsa'), join(home, 'secret')]),
  );
  expect(outside.every(({ allowed }) => !allowed)).toBe(true);
  expect(leftOut.length).toBeGreaterThanOrEqual(2);
});

test('the memory page lists notes of the project, newest first, as long as they count', async () => {
  const folder = `.claude/projects/${project.replace(/[^A-Za-z0-9]/g, '-')}/memory`;
  const note = (file: string, text: string, days: number) => {
    put(file, text);
    utimesSync(join(home, file), (NOW - days * DAY) / 1000, (NOW - days * DAY) / 1000);
  };
  note(`${folder}/MEMORY.md`, '- [deploy](deploy.md)', 0);
  note(`${folder}/deploy.md`, '---\ndescription: How to ship\n---\nlong', 2);
  note(`${folder}/deep/a b.md`, '# About the parser\n\nmore', 1);
  note('proj/.claude/memories/team.md', 'The team meets.', 0);
  note('proj/MEMORY.md', '\uFEFF- Ports start at 4000\r\n', 9);
  note('outside.md', 'From outside', 0);
  symlinkSync(join(home, 'outside.md'), join(project, '.claude', 'memories', 'link.md'));
  symlinkSync(join(project, '.claude'), join(project, '.claude', 'memories', 'loop'));
  const told = (overview: Awaited<ReturnType<typeof look>>) =>
    overview.notes.map(({ path, description, age }) => [path.split('/').at(-1), description, age]);
  expect(told(await look())).toEqual([
    ['team.md', 'The team meets.', 'saved today'],
    ['a b.md', 'About the parser', 'saved yesterday'],
    ['deploy.md', 'How to ship', 'saved 2 days ago'],
    ['MEMORY.md', 'Ports start at 4000', 'saved 9 days ago'],
  ]);
  expect((await look()).files.map(({ kind }) => kind)).toEqual(['auto']);
  expect(told(await look(false)).map(([name]) => name)).toEqual(['a b.md', 'deploy.md']);
  put('.claude/settings.json', JSON.stringify({ autoMemoryEnabled: false }));
  expect(await look()).toMatchObject({ notes: [], files: [] });
});

test.each<[string, Partial<EffectiveSettings>, readonly string[]]>([
  ['usually', {}, ['MEMORY.md', 'boats.md']],
  ['none when a user turned them off', { autoMemory: false }, []],
  ['none in the simple mode', { simple: true }, []],
  ['none without the files of the user', { sources: ['project'] }, []],
])('notes of agents: %s', async (_, chosen, expected) => {
  const at = noteFolder(join(home, '.claude'), project);
  put(relative(home, join(at, 'MEMORY.md')), 'the index');
  put(relative(home, join(at, 'boats.md')), 'about boats');
  await look();
  settings = { ...settings, ...chosen };
  const listed = await memory.list(project);
  const found = listed.ok ? [...listed.value.files, ...listed.value.notes] : [];
  expect(found.map(({ path }) => basename(path))).toEqual(expected);
});
