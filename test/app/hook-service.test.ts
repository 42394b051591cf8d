import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHookService, type HookService } from '../../src/main/app/hook-service';
import type { ProjectRegistry } from '../../src/main/app/project-registry';
import { createSettingsWriter } from '../../src/main/engine/settings/write';
import { createNodeFiles } from '../../src/main/node/files';
import type { ListedHook } from '../../src/shared/hooks';
import { projectBookIn } from '../support/project-registry';

let root: string;
let projects: readonly string[];
let book: ProjectRegistry;
let desk: HookService;
const files = createNodeFiles();

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'lathe-hooks-')));
  projects = [join(root, 'one'), join(root, 'two')];
  for (const folder of [...projects, join(root, 'config')])
    await mkdir(join(folder, '.claude'), { recursive: true });
  await write(join(root, 'managed.json'), hook('managed.sh'));
  await write(userFile(), hook('mine.sh'));
  await write(folderFile(), hook('theirs.sh'));
  book = projectBookIn(root);
  for (const project of projects) {
    await book.open(project);
    await book.trust(project, true);
  }
  const writer = createSettingsWriter(files);
  desk = createHookService({ projects: book, writer, configDir: join(root, 'config') });
});
afterEach(() => rm(root, { recursive: true, force: true }));

const write = (file: string, settings: object) =>
  writeFile(file, JSON.stringify(settings, null, 2));
const hook = (command: string) => ({
  hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] },
});
const userFile = () => join(root, 'config', 'settings.json');
const folderFile = () => join(one(), '.claude', 'settings.json');
const one = () => projects[0] ?? '';
const shown = (project = one()) =>
  book.list().find(({ path }) => path === project)?.hooks?.list ?? [];
const named = (run: string): ListedHook => {
  const found = shown().find((listed) => listed.run === run);
  if (!found) throw new Error(`no hook ${run}`);
  return found;
};
const running = (project = one()) =>
  book.settings(project)?.hooks.flatMap(({ run, off }) => (off === null ? run : []));

test('"run no hooks" holds in every open folder at once, except for managed hooks', async () => {
  expect(running()).toEqual(['managed.sh', 'theirs.sh', 'mine.sh']);
  expect((await desk.setDisabled(one(), true)).ok).toBe(true);
  for (const project of projects) expect(running(project)).toEqual(['managed.sh']);
  expect(book.list().map(({ hooks }) => hooks?.disabled)).toEqual([true, true]);
  await desk.setDisabled(one(), false);
  expect(running()).toEqual(['managed.sh', 'theirs.sh', 'mine.sh']);
});

test('a hook that is removed from a trusted folder is gone, and the folder stays trusted', async () => {
  expect((await desk.remove(one(), named('theirs.sh'))).ok).toBe(true);
  expect(running()).toEqual(['managed.sh', 'mine.sh']);
  expect(book.isTrusted(one())).toBe(true);
});

test('a hook of the user that is removed is gone everywhere', async () => {
  expect((await desk.remove(one(), named('mine.sh'))).ok).toBe(true);
  for (const project of projects) expect(running(project)).not.toContain('mine.sh');
});

test('trust does not follow a hook that a stranger put in meanwhile', async () => {
  const theirs = named('theirs.sh');
  const two = { hooks: { Stop: [...hook('theirs.sh').hooks.Stop, ...hook('evil.sh').hooks.Stop] } };
  await write(folderFile(), two);
  await desk.remove(one(), theirs);
  expect(book.isTrusted(one())).toBe(false);
  expect(running()).toEqual(['managed.sh', 'mine.sh']);
});

test('managed hooks stay, and so does what is no longer where it was', async () => {
  expect(await desk.remove(one(), named('managed.sh'))).toMatchObject({
    error: { code: 'read_only' },
  });
  const before = await readFile(userFile(), 'utf8');
  expect(await desk.remove(one(), { ...named('mine.sh'), line: 99 })).toMatchObject({
    error: { code: 'gone' },
  });
  expect(await readFile(userFile(), 'utf8')).toBe(before);
  expect(await desk.remove(join(root, 'three'), named('mine.sh'))).toMatchObject({
    error: { code: 'not_open' },
  });
});

test('secrets in headers do not reach the window, and long texts are cut', async () => {
  const headers = { Authorization: 'Bearer secret' };
  const http = { type: 'http', url: 'http://localhost:1/x', headers };
  await write(userFile(), {
    hooks: {
      Stop: [{ hooks: [http] }],
      PreToolUse: [{ hooks: [{ type: 'command', command: 'x'.repeat(9000) }] }],
    },
  });
  await book.refresh(one());
  expect(JSON.stringify(shown())).not.toContain('secret');
  const long = shown().find(({ event }) => event === 'PreToolUse') as ListedHook;
  expect(long.run.length).toBeLessThan(2100);
  expect((await desk.remove(one(), long)).ok).toBe(true);
  expect(shown().map(({ run }) => run)).not.toContain(long.run);
});
