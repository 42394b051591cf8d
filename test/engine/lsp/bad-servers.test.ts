import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MAX_UNREAD } from '../../../src/main/engine/lsp/connection';
import { framed, MAX_MESSAGE_BYTES } from '../../../src/main/engine/lsp/framing';
import {
  createLanguageServers,
  type LanguageServers,
} from '../../../src/main/engine/lsp/language-servers';
import type { LanguageServerSetting } from '../../../src/main/engine/settings/plugins/language-servers';
import { createNodeFiles } from '../../../src/main/node/files';
import { countingIds, memoryClock } from '../../support/memory-clock';
import { type ScriptedServer, scriptedServer, setting } from './scripted-server';

let project: string;
let server: ScriptedServer;
let servers: LanguageServers;
let told: string[];
let clock: ReturnType<typeof memoryClock>;

beforeEach(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'lathe-lsp-')));
  writeFileSync(join(project, 'a.stone'), 'one\n');
  server = scriptedServer();
  told = [];
  clock = memoryClock();
});
afterEach(async () => {
  await servers.close();
  expect(server.running()).toBe(0);
  rmSync(project, { recursive: true, force: true });
});

function openWith(changed: Partial<LanguageServerSetting> = {}) {
  const wanted = [setting(changed)];
  servers = createLanguageServers({
    ...{ clock, ids: countingIds(), files: createNodeFiles(), commands: server.commands },
    ...{ platform: process.platform, version: '1', project, folders: () => [] },
    wanted: () => wanted,
    env: async () => ({ PATH: '/nowhere' }),
    tell: (text) => void told.push(text),
  });
  return servers;
}

/** Starts the server as a question about the file does. */
async function ready(): Promise<string> {
  const found = await servers.serverOf(join(project, 'a.stone'));
  if (found === null || typeof found === 'string') return String(found);
  const began = await found.ready(true);
  return began.ok ? 'running' : began.error;
}
const states = () => servers.views().map(({ state }) => state);

it('a program that is not there is told once, and looked for again when it is asked', async () => {
  openWith({ command: 'stonels' });
  expect(await ready()).toBe('stonels is not on the PATH. Install it; its plugin may say how.');
  expect(await ready()).toContain('stonels is not on the PATH');
  expect(states()).toEqual(['failed']);
  expect(told).toEqual([
    'The language server toy:stone: stonels is not on the PATH. Install it; its plugin may say how.',
  ]);
  expect(server.starts).toEqual([]);
});

it('variables that are not set keep it from starting, and are named', async () => {
  openWith({ args: [`\${STONE_HOME}/x`, `\${CLAUDE_PROJECT_DIR}`, `\${A:-b}`] });
  expect(await ready()).toBe('These variables are not set for it: STONE_HOME.');
});

it('one that never answers initialize is given up at its limit, with what it printed', async () => {
  openWith({ startupTimeout: 5_000, maxRestarts: 0 });
  delete server.answers['initialize'];
  server.printed = 'loading\nlicence is missing\n';
  const began = ready();
  await expect.poll(() => clock.sleepers()).toBe(1);
  await clock.advance(5_000);
  expect(await began).toBe(
    'it did not start: It did not answer within 5 s. It is not started again, as its plugin says. It printed:\nloading\nlicence is missing',
  );
  expect(states()).toEqual(['failed']);
  expect(server.running()).toBe(0);
});

it('one that crashes is started again, a counted number of times, and told of twice', async () => {
  openWith({ maxRestarts: 2 });
  for (let n = 0; n < 3; n++) {
    expect(await ready()).toBe('running');
    server.crash('It ended with exit code 7.');
    await expect.poll(states).toEqual(['failed']);
  }
  expect(states()).toEqual(['failed']);
  expect(await ready()).toBe(
    'It ended with exit code 7. It was started again 2 times, and is not any more.',
  );
  expect(server.starts).toHaveLength(3);
  expect(told).toHaveLength(2);
});

it.each([
  [
    'a message that is not JSON',
    'Content-Length: 5\r\n\r\n{{{{{',
    'It sent a message that is not JSON',
  ],
  ['no message at all', 'x'.repeat(100_000), 'What it prints is no message of the protocol'],
  ['a header without a length', 'Hello: 1\r\n\r\n', 'What it prints is no message of the protocol'],
  [
    'a message without an end',
    `Content-Length: ${MAX_MESSAGE_BYTES + 1}\r\n\r\n`,
    'It sent a message of more than 32 MiB',
  ],
])('%s ends it', async (_, text, why) => {
  openWith({ maxRestarts: 0 });
  expect(await ready()).toBe('running');
  server.print(text);
  await expect.poll(states).toEqual(['failed']);
  expect(server.running()).toBe(0);
  expect(told.join()).toContain(why);
});

const frames = (count: number, message: (n: number) => unknown) =>
  Array.from({ length: count }, (_, n) => framed(message(n))).join('');

it('what it floods with is taken in as it comes, and waits in no queue', async () => {
  openWith();
  expect(await ready()).toBe('running');
  const found = await servers.serverOf(join(project, 'a.stone'));
  const value = (n: number) => ({ kind: n === 0 ? 'begin' : 'report', title: `step ${n}` });
  const message = (n: number) => ({ method: '$/progress', params: { token: 1, value: value(n) } });
  server.print(frames(5_000, message));
  expect(Object(found).running().working()).toBe('step 4999');
});

it('one that asks without an end is ended', async () => {
  openWith({ maxRestarts: 0 });
  expect(await ready()).toBe('running');
  server.print(frames(5_000, (id) => ({ id, method: 'workspace/configuration', params: {} })));
  await expect.poll(states).toEqual(['failed']);
  expect(told.join()).toContain('It asked too much at once');
});

it('one that does not read what it is sent is ended', async () => {
  openWith({ maxRestarts: 0 });
  expect(await ready()).toBe('running');
  server.reads = false;
  const found = await servers.serverOf(join(project, 'a.stone'));
  const text = 'x'.repeat(MAX_UNREAD / 4);
  for (let n = 0; n < 4; n++) Object(found).running()?.notify('textDocument/didChange', { text });
  await expect.poll(states).toEqual(['failed']);
  expect(told.join()).toContain('It does not read what it is sent');
});

it('what it tells of itself is kept up to a length', async () => {
  openWith({ settings: { stone: 1 } });
  expect(await ready()).toBe('running');
  const found = await servers.serverOf(join(project, 'a.stone'));
  const progress = (token: string, title: string) =>
    server.send('$/progress', { token, value: { kind: 'begin', title } });
  progress('t'.repeat(1_000), 'first');
  progress('t', 'second');
  expect(Object(found).running().working()).toBe('second');
  server.send('workspace/configuration', { items: new Array(5_000).fill({}) }, 7);
  await expect.poll(() => server.given.get(7)).toHaveLength(200);
});

it('one that has begun at the moment its session closes is ended', async () => {
  openWith();
  let closed: Promise<void> | null = null;
  server.answers['initialize'] = () => ({ capabilities: {} });
  server.hears = (method) => {
    if (method === 'initialized') closed = servers.close();
  };
  await ready();
  await closed;
  expect(server.running()).toBe(0);
});

it('lines before the first header are passed over', async () => {
  openWith();
  server.answers['initialize'] = () => {
    server.print('Starting…\n');
    return { capabilities: {} };
  };
  expect(await ready()).toBe('running');
});

it('one that counts characters in another way than it was offered is not used', async () => {
  openWith({ maxRestarts: 0 });
  server.answers['initialize'] = () => ({ capabilities: { positionEncoding: 'utf-8' } });
  expect(await ready()).toContain('it counts characters as utf-8, not as it was offered.');
});

it('one that does not leave is ended when its time is over', async () => {
  openWith({ shutdownTimeout: 1_000 });
  expect(await ready()).toBe('running');
  delete server.answers['shutdown'];
  const closed = servers.close();
  await expect.poll(() => clock.sleepers()).toBeGreaterThan(0);
  await clock.advance(1_000);
  await closed;
  expect(server.running()).toBe(0);
});

it('it is asked to leave before it is ended', async () => {
  openWith();
  expect(await ready()).toBe('running');
  await servers.close();
  expect(server.heard.slice(-2)).toEqual([
    ['shutdown', null],
    ['exit', null],
  ]);
});

it('what it asks is answered, and files are never changed by it', async () => {
  openWith({ settings: { 'stone.size': 3, rock: { hard: true } } });
  expect(await ready()).toBe('running');
  const ask = async (method: string, params: unknown) => {
    const id = 100 + server.given.size;
    server.send(method, params, id);
    await expect.poll(() => server.given.has(id)).toBe(true);
    return server.given.get(id);
  };
  const items = [{ section: 'stone' }, { section: 'rock.hard' }, { section: 'sand' }, {}];
  expect(await ask('workspace/configuration', { items })).toEqual([
    { size: 3 },
    true,
    null,
    { 'stone.size': 3, rock: { hard: true } },
  ]);
  expect(await ask('workspace/applyEdit', { edit: {} })).toMatchObject({ applied: false });
  expect(await ask('window/workDoneProgress/create', { token: 1 })).toBeNull();
  expect(await ask('workspace/workspaceFolders', {})).toMatchObject([{ uri: `file://${project}` }]);
  expect(await ask('nobody/knows', {})).toBeNull();
  const found = await servers.serverOf(join(project, 'a.stone'));
  const working = () => Object(found).running()?.working();
  server.send('$/progress', { token: 1, value: { kind: 'begin', title: 'Indexing' } });
  server.send('$/progress', { token: 1, value: { kind: 'report', percentage: 40 } });
  await expect.poll(working).toBe('Indexing 40 %');
  server.send('$/progress', { token: 1, value: { kind: 'end' } });
  await expect.poll(working).toBeNull();
});

it('a user sees what became of it, and can have it begin anew', async () => {
  openWith({ maxRestarts: 0, args: ['--token', 'abc'] });
  server.answers['initialize'] = () => ({
    capabilities: {},
    serverInfo: { name: 'Stone LS', version: '1.2' },
  });
  const [view] = servers.views();
  expect(view).toMatchObject({ name: 'toy:stone', state: 'idle', languages: ['.stone'] });
  expect(view?.target).not.toContain('abc');
  expect(await ready()).toBe('running');
  expect(servers.views()).toMatchObject([{ state: 'connected', program: 'Stone LS 1.2' }]);
  server.crash('It ended with exit code 7.');
  await expect.poll(states).toEqual(['failed']);
  expect(servers.restart('other')).toBe(false);
  expect(servers.restart('toy:stone')).toBe(true);
  expect(states()).toEqual(['idle']);
  expect(await ready()).toBe('running');
});
