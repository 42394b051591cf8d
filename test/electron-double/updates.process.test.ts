import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { soon } from '../support/soon';
import { createElectronDouble } from './double/electron-double';
import { type RunningApp, runBuiltApp } from './double/run-built-app';

/** The packaged app, the real electron-updater in it, and a feed on this machine. */
let feed: Server;
let asked: string[];
let resources: string;
let running: RunningApp | null = null;

beforeEach(async () => {
  asked = [];
  feed = createServer((request, response) => {
    asked.push(request.url?.replace(/\?.*/, '') ?? '');
    const file = 'Lathe-9.9.9.AppImage';
    const newest = { version: '9.9.9', files: [{ url: file, sha512: 'abc', size: 3 }] };
    response.end(JSON.stringify({ ...newest, path: file, sha512: 'abc' }));
  });
  await new Promise<void>((resolve) => {
    feed.listen(0, '127.0.0.1', resolve);
  });
  resources = await mkdtemp(join(tmpdir(), 'lathe-resources-'));
  const { port } = feed.address() as AddressInfo;
  const config = `provider: generic\nurl: http://127.0.0.1:${port}/\n`;
  await writeFile(join(resources, 'app-update.yml'), config);
  Reflect.set(process, 'resourcesPath', resources);
  vi.stubEnv('APPIMAGE', join(resources, 'Lathe.AppImage'));
});
afterEach(async () => {
  await running?.stop();
  running = null;
  vi.unstubAllEnvs();
  Reflect.deleteProperty(process, 'resourcesPath');
  feed.closeAllConnections();
  await new Promise((resolve) => feed.close(resolve));
  await rm(resources, { recursive: true, force: true });
});

const state = (updates: boolean) => ({
  'state.json': JSON.stringify({
    preferences: { theme: 'system', zoom: 1, layout: {}, desktop: { updates } },
    ...{ recents: [], connection: 'environment' },
  }),
});

const linux = process.platform === 'linux';

test.runIf(linux)(
  'a packaged app with a feed tells of a new version and fetches nothing',
  async () => {
    const double = createElectronDouble({ packaged: true });
    double.answers.box = 1;
    running = await runBuiltApp(double, { words: ['--new-window'] });
    await soon(() =>
      expect(double.dialogs.map(({ message }) => message)).toEqual(['Lathe 9.9.9 is available.']),
    );
    expect(asked).toEqual(['/latest-linux.yml']);
    const help = double.menu().flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []));
    expect(help.map(({ label }) => label)).toContain('Check for Updates…');
  },
);

test.runIf(linux)('who does not want that is not looked for, until asked', async () => {
  const double = createElectronDouble({ packaged: true });
  double.answers.box = 1;
  running = await runBuiltApp(double, { found: state(false) });
  await soon(() => expect(double.started()).toBe(true));
  expect(asked).toEqual([]);
  const help = double.menu().flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []));
  help
    .find(({ label }) => label === 'Check for Updates…')
    ?.click?.({} as never, undefined, {} as never);
  await soon(() =>
    expect(double.dialogs.map(({ message }) => message)).toEqual(['Lathe 9.9.9 is available.']),
  );
  expect(asked).toEqual(['/latest-linux.yml']);
});
