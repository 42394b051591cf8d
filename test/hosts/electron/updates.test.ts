import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  createUpdates,
  installQuestion,
  loadUpdater,
  type Updater,
} from '../../../src/main/hosts/electron/updates';
import type { WhatRuns } from '../../../src/shared/what-runs';
import { onPlatform } from '../../electron-double/double/platform';
import { tempFolder } from '../../node/temp-folder';

/** The questions of the dialogs, and the buttons the user chose, in order. */
const system = vi.hoisted(() => {
  // Files share modules, and another one may have loaded these with an Electron of its own.
  vi.resetModules();
  return {
    asked: [] as { message: string; detail: string; buttons: string[] }[],
    choices: [] as number[],
    exits: [] as number[],
    errors: [] as string[],
  };
});

vi.mock('electron', () => ({
  app: {
    isPackaged: false,
    getVersion: () => '1.0.0',
    exit: (code: number) => system.exits.push(code),
  },
  dialog: {
    showErrorBox: (_: string, why: string) => system.errors.push(why),
  },
}));

beforeEach(() => {
  vi.useFakeTimers();
  for (const list of [system.asked, system.choices, system.exits, system.errors]) list.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
});

const NOTHING: WhatRuns = {
  ...{ queries: 0, tasks: [], shells: 0 },
  ...{ pinned: [], leftovers: 0, unsaved: [] },
};

/** Updates over a feed whose newest version is `newest`; an error is what asking for it meets. */
function withFeed(newest: string | Error, shown = Promise.resolve()) {
  const acts: string[] = [];
  let onError = (_: Error): void => {};
  const updater = {
    autoDownload: true,
    autoInstallOnAppQuit: true,
    logger: console,
    checkForUpdates: async () => {
      acts.push('check');
      if (newest instanceof Error) throw newest;
      const updateInfo = { version: newest, releaseNotes: '<p>Faster &amp; <b>calmer</b></p>' };
      return { isUpdateAvailable: newest !== '1.0.0', updateInfo };
    },
    downloadUpdate: async () => {
      acts.push('download');
      return [];
    },
    quitAndInstall: () => acts.push('install'),
    once: (_: 'error', listener: typeof onError) => {
      onError = listener;
    },
  };
  const updates = createUpdates({
    loading: Promise.resolve(updater as unknown as Updater),
    shown,
    ask,
    running: () => NOTHING,
    quit: () => acts.push('quit'),
  });
  return { updates, updater, acts, fail: (error: Error) => onError(error) };
}

const ask = async (question: object): Promise<number> => {
  system.asked.push(question as (typeof system.asked)[number]);
  return system.choices.shift() ?? 1;
};

const settle = () => vi.advanceTimersByTimeAsync(0);

test('without a feed packed with the app, nothing is loaded or looked for', async () => {
  expect(loadUpdater()).toBeNull();
  const updates = createUpdates({
    loading: null,
    shown: Promise.resolve(),
    ask,
    running: () => NOTHING,
    quit: () => {},
  });
  updates.follow(true);
  updates.look();
  await vi.advanceTimersByTimeAsync(49 * 60 * 60 * 1000);
  expect(updates.available).toBe(false);
  expect(system.asked).toEqual([]);
});

test('what runs from the sources follows no feed, whatever lies beside Electron', async () => {
  const folder = await tempFolder();
  await writeFile(join(folder, 'app-update.yml'), 'provider: generic\n');
  Reflect.set(process, 'resourcesPath', folder);
  onTestFinished(() => void Reflect.deleteProperty(process, 'resourcesPath'));
  expect(loadUpdater()).toBeNull();
});

test('a new version is told, and neither fetched nor installed without a word', async () => {
  const { updates, updater, acts } = withFeed('1.1.0');
  updates.follow(true);
  await settle();
  expect(acts).toEqual(['check']);
  expect(updater).toMatchObject({ autoDownload: false, autoInstallOnAppQuit: false });
  expect(system.asked).toMatchObject([{ message: 'Lathe 1.1.0 is available.' }]);
  expect(system.asked[0]?.detail).toContain('You have 1.0.0.');
  expect(system.asked[0]?.detail).not.toContain('<');
  expect(updates.install()).toBe(false);
});

test('it is looked for when there is a window to tell of it, and not if that is no longer wanted', async () => {
  const appeared = Promise.withResolvers<void>();
  const { updates, acts } = withFeed('1.1.0', appeared.promise);
  updates.follow(true);
  await settle();
  expect(acts).toEqual([]);
  appeared.resolve();
  await settle();
  expect(acts).toEqual(['check']);
  updates.follow(false);
  updates.follow(true);
  updates.follow(false);
  await settle();
  expect(acts).toEqual(['check']);
});

test('it is looked for once a day; what was declined is not offered again, unless asked for', async () => {
  const { updates, acts } = withFeed('1.1.0');
  updates.follow(true);
  await vi.advanceTimersByTimeAsync(49 * 60 * 60 * 1000);
  expect(acts).toEqual(['check', 'check', 'check']);
  expect(system.asked).toHaveLength(1);
  updates.look();
  await settle();
  expect(system.asked).toHaveLength(2);
  updates.follow(false);
  const before = acts.length;
  await vi.advanceTimersByTimeAsync(49 * 60 * 60 * 1000);
  expect(acts).toHaveLength(before);
});

test.each<[NodeJS.Platform, number]>([
  ['linux', 60_000],
  // Squirrel unpacks and verifies only now.
  ['darwin', 600_000],
])(
  'it is fetched, and installed when everything has ended, both on demand: %s',
  async (platform, lastResort) => {
    onTestFinished(onPlatform(platform));
    const { updates, acts } = withFeed('1.1.0');
    system.choices.push(0, 0);
    updates.look();
    await settle();
    expect(acts).toEqual(['check', 'download', 'quit']);
    expect(updates.install()).toBe(true);
    expect(acts.at(-1)).toBe('install');
    // It ends the app by itself; should it fail, the app does not stay behind without a window.
    expect(system.exits).toEqual([]);
    await vi.advanceTimersByTimeAsync(lastResort - 1);
    expect(system.exits).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(system.exits).toEqual([0]);
  },
);

test('an update that cannot be installed is told, and ends the app at once', async () => {
  const { updates, acts, fail } = withFeed('1.1.0');
  system.choices.push(0, 0);
  updates.look();
  await settle();
  expect(acts).toEqual(['check', 'download', 'quit']);
  expect(updates.install()).toBe(true);
  fail(new Error('its signature is another one'));
  expect(system.errors).toEqual(['its signature is another one']);
  expect(system.exits).toEqual([0]);
});

test('who stays after all, or installs later, quits later without an install; it is fetched once', async () => {
  const { updates, acts } = withFeed('1.1.0');
  system.choices.push(0, 1);
  updates.look();
  await settle();
  expect(acts).toEqual(['check', 'download']);
  expect(updates.install()).toBe(false);
  system.choices.push(0);
  updates.look();
  await settle();
  expect(acts).toEqual(['check', 'download', 'quit']);
  updates.stay();
  expect(updates.install()).toBe(false);
});

test.each<[string, string | Error, string | null]>([
  ['there is none', '1.0.0', 'This is the newest version.'],
  ['the feed cannot be reached', new Error('no route'), 'The new version could not be fetched.'],
])('%s: who asked is told, and nobody else', async (_, newest, told) => {
  const { updates } = withFeed(newest);
  updates.follow(true);
  await settle();
  expect(system.asked).toEqual([]);
  updates.look();
  await settle();
  expect(system.asked.map(({ message }) => message)).toEqual([told]);
  expect(system.asked[0]?.detail).toBe(newest instanceof Error ? 'no route' : 'Lathe 1.0.0');
});

test.each<[NodeJS.Platform, WhatRuns, RegExp, RegExp]>([
  ['win32', { ...NOTHING, tasks: ['npm run dev'] }, /tasks end in any case/, /takes them over/],
  ['win32', { ...NOTHING, pinned: ['dev'] }, /pinned ones too/, /takes them over/],
  ['linux', { ...NOTHING, shells: 1 }, /takes them over/, /end in any case/],
  ['darwin', NOTHING, /asks first/, /terminals/i],
])('on %s the question says what becomes of %j', (platform, running, says, saysNot) => {
  const { detail } = installQuestion('1.1.0', running, platform);
  expect(detail).toMatch(says);
  expect(detail).not.toMatch(saysNot);
});
