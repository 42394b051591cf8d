import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  debugWish,
  latheHomeOf,
  prepareLatheHome,
  startFolder,
  withTakenVariables,
} from '../../../src/main/hosts/common/app-environment';
import {
  debugVariable,
  electronObstacle,
  findElectron,
  pluginFoldersIn,
  pluginVariable,
} from '../../../src/main/hosts/common/desktop';
import { plainKeyFile } from '../../../src/main/hosts/common/key-file';
import { openStaticFiles } from '../../../src/main/hosts/common/page-files';
import { browserArguments, browserCandidates } from '../../../src/main/hosts/web/app-window';
import { endingLine } from '../../../src/main/hosts/web/serve';
import { createNodeFiles } from '../../../src/main/node/files';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lathe-places-'));
});
afterEach(() => rm(folder, { recursive: true }));

test.each([
  [{}, '/home/ann/.lathe'],
  [{ LATHE_HOME: '/data/l' }, '/data/l'],
  [{ LATHE_HOME: '' }, '/home/ann/.lathe'],
  [{ LATHE_HOME: 'l' }, '/home/ann/l'],
])('the home with %j is %s', (env, home) => {
  expect(latheHomeOf(env, '/home/ann')).toBe(home);
});

test.each<[NodeJS.ProcessEnv, { debug: boolean; debugFile?: string }, object | undefined]>([
  [{}, { debug: false }, undefined],
  [{}, { debug: true }, {}],
  [{}, { debug: true, debugFile: '/d.log' }, { file: '/d.log' }],
  [{ LATHE_DEBUG: 'on' }, { debug: false }, {}],
  [{ LATHE_DEBUG: '0' }, { debug: false }, undefined],
  [{ LATHE_DEBUG: 'off' }, { debug: true }, {}],
  [{ LATHE_DEBUG: 'd.log' }, { debug: false }, { file: '/srv/d.log' }],
  [{ LATHE_DEBUG: '/e.log' }, { debug: true, debugFile: '/d.log' }, { file: '/d.log' }],
])('with %j and %j the debug log is %j', (env, flags, wish) => {
  expect(debugWish(env, '/srv', flags)).toEqual(wish);
});

test('the desktop app gets the wish by its environment', () => {
  const command = { kind: 'open', demo: false, port: 0, openWindow: true } as const;
  expect(debugVariable({ ...command, debug: false })).toEqual({});
  expect(debugVariable({ ...command, debug: true })).toEqual({ LATHE_DEBUG: '1' });
  expect(debugVariable({ ...command, debug: true, debugFile: '/d' })).toEqual({
    LATHE_DEBUG: '/d',
  });
});

test('a process with windows gets the folders of plugins by its environment', () => {
  const env = pluginVariable({ pluginFolders: ['/a b', '/c'] });
  expect(pluginFoldersIn(env)).toEqual(['/a b', '/c']);
  expect(pluginVariable({})).toEqual({});
  expect(pluginFoldersIn({ LATHE_PLUGIN_DIRS: 'relative' })).toEqual([]);
});

test.each<[string, Record<string, string>, string, Record<string, string>]>([
  ['nothing was taken', { A: '1' }, '', { A: '1' }],
  [
    'the command line passed them on',
    { LATHE_START_NODE_OPTIONS: '--a b', LATHE_START_NODE_EXTRA_CA_CERTS: '' },
    '',
    { NODE_OPTIONS: '--a b' },
  ],
  [
    'the system keeps them',
    { A: '1' },
    'A=1\0NODE_OPTIONS=--max=2\0NODE_EXTRA_CA_CERTS=/c a.pem\0',
    { A: '1', NODE_OPTIONS: '--max=2', NODE_EXTRA_CA_CERTS: '/c a.pem' },
  ],
  [
    'they are still there',
    { NODE_OPTIONS: '--now' },
    'NODE_OPTIONS=--then\0',
    { NODE_OPTIONS: '--now' },
  ],
  ['others stay gone', {}, 'LD_PRELOAD=x\0OTHER_NODE_OPTIONS=y\0', {}],
])('what Electron took is given back to terminals: %s', (_, env, started, expected) => {
  expect(withTakenVariables(env, started)).toEqual(expected);
});

test('the home is made for this user only, and an unusable one is said', async () => {
  const home = join(folder, 'a', 'home');
  expect(prepareLatheHome(home)).toMatchObject({ ok: true });
  expect((await stat(join(home, 'run'))).mode & 0o777).toBe(0o700);
  await writeFile(join(folder, 'file'), '');
  expect(prepareLatheHome(join(folder, 'file'))).toMatchObject({
    ok: false,
    error: { code: 'lathe_home', fix: expect.stringContaining('LATHE_HOME') },
  });
});

test.each<[string, NodeJS.ProcessEnv, string, string]>([
  ['npm in the package', { npm_lifecycle_event: 'lathe', INIT_CWD: '/p' }, '/lathe', '/p'],
  ['a child of Lathe elsewhere', { npm_lifecycle_event: 'lathe', INIT_CWD: '/p' }, '/q', '/q'],
  ['no npm', { INIT_CWD: '/p' }, '/lathe', '/lathe'],
  ['an old npm', { npm_lifecycle_event: 'lathe' }, '/lathe', '/lathe'],
])('the start folder with %s', (_, env, cwd, expected) => {
  expect(startFolder(env, cwd, '/lathe')).toBe(expected);
});

test('the stored key is in a file of mode 0600, and can be forgotten', async () => {
  const store = plainKeyFile(createNodeFiles(), folder);
  expect(await store.get()).toBeNull();
  expect(await store.clear()).toMatchObject({ ok: true });
  await store.set({ key: 'sk-1', baseUrl: 'https://x.example' });
  expect((await stat(join(folder, 'key.json'))).mode & 0o777).toBe(0o600);
  expect(await plainKeyFile(createNodeFiles(), folder).get()).toEqual({
    key: 'sk-1',
    baseUrl: 'https://x.example',
  });
  await store.set({ key: 'sk-2' });
  expect(await store.get()).toEqual({ key: 'sk-2' });
  await store.clear();
  expect(await store.get()).toBeNull();
  expect(store.describe()).toContain('not encrypted');
});

test('a broken key file is no key, and a folder that is gone is said without the key', async () => {
  await writeFile(join(folder, 'key.json'), '{"key": 7');
  expect(await plainKeyFile(createNodeFiles(), folder).get()).toBeNull();
  await writeFile(join(folder, 'file'), '');
  const lost = await plainKeyFile(createNodeFiles(), join(folder, 'file', 'home')).set({
    key: 'sk-secret',
  });
  expect(lost).toMatchObject({ ok: false, error: { code: 'key_store' } });
  expect(JSON.stringify(lost)).not.toContain('sk-secret');
});

test('static files are exactly those that were there', async () => {
  await writeFile(join(folder, 'index.html'), 'hi');
  const files = await openStaticFiles(folder);
  await writeFile(join(folder, 'later.js'), '');
  expect(new TextDecoder().decode((await files.get('/'))?.body)).toBe('hi');
  expect(await files.get('/later.js')).toBeNull();
  expect(await files.get('/constructor')).toBeNull();
  expect(await (await openStaticFiles(join(folder, 'none'))).get('/')).toBeNull();
});

test('Electron is found by what its installer leaves, and only if it can start here', async () => {
  const installed = join(folder, 'node_modules', 'electron');
  const path = join(installed, 'dist', 'electron');
  await mkdir(dirname(path), { recursive: true });
  expect(await findElectron(folder)).toBeNull();
  await writeFile(join(installed, 'path.txt'), 'electron\n');
  expect(await findElectron(folder)).toBeNull();
  await writeFile(path, '');
  // A program that cannot be run is none.
  if (process.platform !== 'win32') expect(await findElectron(folder)).toBeNull();
  await chmod(path, 0o755);
  expect(await findElectron(folder)).toEqual({ path, words: [folder] });
  const desk = { platform: 'linux', env: { DISPLAY: ':0' }, superuser: false } as const;
  const program = { path: '/e', words: [] };
  expect(electronObstacle(program, desk)).toBeNull();
  expect(electronObstacle(null, desk)).toMatch(/downloaded/);
  expect(electronObstacle(program, { ...desk, env: {} })).toMatch(/no display/);
  expect(electronObstacle(program, { ...desk, superuser: true })).toMatch(/superuser/);
  expect(electronObstacle(program, { ...desk, platform: 'darwin', env: {} })).toBeNull();
});

test.each<[NodeJS.Platform, NodeJS.ProcessEnv, string]>([
  ['linux', { PATH: '/usr/bin:relative:/snap/bin' }, '/usr/bin/chromium'],
  ['darwin', {}, '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
  ['win32', { ProgramFiles: 'C:\\P' }, 'C:\\P\\Microsoft\\Edge\\Application\\msedge.exe'],
])('browsers on %s', (platform, env, expected) => {
  const candidates = browserCandidates({ platform, env });
  expect(candidates).toContain(expected);
  expect(candidates.some((path) => path.includes('relative') || path.includes('undefined'))).toBe(
    false,
  );
});

test('the app window has a profile of its own and keeps its sandbox but for the superuser', () => {
  const usual = browserArguments('http://127.0.0.1:1/#ticket=t', '/profile', false);
  expect(usual).toContain('--app=http://127.0.0.1:1/#ticket=t');
  expect(usual).toContain('--user-data-dir=/profile');
  expect(usual).not.toContain('--no-sandbox');
  expect(browserArguments('u', '/p', true)).toContain('--no-sandbox');
});

test.each([
  [{ queries: 0, tasks: [], shells: 0, pinned: [], leftovers: 0, unsaved: [] }, 'Stopping.'],
  [
    { queries: 0, tasks: [], shells: 0, pinned: ['dev', 'db'], leftovers: 0, unsaved: [] },
    'Stopping. Goes on: dev, db.',
  ],
  [
    { queries: 1, tasks: ['a', 'b'], shells: 1, pinned: [], leftovers: 3, unsaved: [] },
    'Stopping; this ends 1 query, 2 tasks, 1 shell, 3 processes of an earlier run.',
  ],
  [
    { queries: 0, tasks: [], shells: 0, pinned: [], leftovers: 0, unsaved: ['Fix it', 'Tests'] },
    'Stopping. Not saved so far, and tried once more: Fix it, Tests.',
  ],
])('what stopping ends: %j', (running, expected) => {
  expect(endingLine(running)).toBe(expected);
});

test('the key file is replaced, never written in place', async () => {
  const store = plainKeyFile(createNodeFiles(), folder);
  await store.set({ key: 'one' });
  const before = await stat(join(folder, 'key.json'));
  await store.set({ key: 'two' });
  expect((await stat(join(folder, 'key.json'))).ino).not.toBe(before.ino);
  expect(await readFile(join(folder, 'key.json'), 'utf8')).toContain('two');
});
