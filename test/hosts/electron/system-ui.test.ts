import type { JumpListCategory, MenuItemConstructorOptions } from 'electron';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setSpelling } from '../../../src/main/hosts/electron/page-menu';
import { followState } from '../../../src/main/hosts/electron/system-ui';
import { createTray } from '../../../src/main/hosts/electron/tray';
import type { AppFeed, AppState, SessionSummary } from '../../../src/shared/contract';
import type { Preferences } from '../../../src/shared/settings';
import { onPlatform } from '../../electron-double/double/platform';

/** The calls that the system got. */
const told = vi.hoisted(() => {
  // Files share modules, and another one may have loaded these with an Electron of its own.
  vi.resetModules();
  return {
    themeSource: 'system',
    recents: [] as string[],
    jumpLists: [] as JumpListCategory[][],
    removed: [] as { args: string }[],
    awake: new Set<number>(),
    trays: [] as { image: unknown; title: string; tip: string; destroyed: boolean }[],
  };
});

vi.mock('electron', () => ({
  app: {
    isPackaged: true,
    addRecentDocument: (folder: string) => told.recents.unshift(folder),
    clearRecentDocuments: () => {
      told.recents = [];
    },
    getJumpListSettings: () => ({ removedItems: told.removed }),
    setJumpList: (list: JumpListCategory[]) => told.jumpLists.push(list),
  },
  Menu: {
    buildFromTemplate: (items: MenuItemConstructorOptions[]) => items,
    setApplicationMenu: () => {},
  },
  nativeImage: { createFromPath: (path: string) => ({ path }) },
  nativeTheme: told,
  powerSaveBlocker: {
    start: () => {
      const id = told.awake.size + 1;
      told.awake.add(id);
      return id;
    },
    stop: (id: number) => told.awake.delete(id),
  },
  Tray: class {
    title = '';
    tip = '';
    destroyed = false;
    constructor(readonly image: unknown) {
      told.trays.push(this);
    }
    on = () => {};
    setTitle = (title: string) => {
      this.title = title;
    };
    setToolTip = (tip: string) => {
      this.tip = tip;
    };
    setContextMenu = () => {};
    destroy = () => {
      this.destroyed = true;
    };
  },
}));

let restore = () => {};
beforeEach(() => {
  Object.assign(told, {
    themeSource: 'system',
    recents: [],
    jumpLists: [],
    trays: [],
    removed: [],
  });
  told.awake.clear();
});
afterEach(() => restore());

const actions = {
  ...{ run() {}, newWindow() {}, openFolder() {}, zoom() {}, showReports() {} },
  ...{ lookForUpdate: null, installCommand: null },
};

/** Follows states of the app, and ends when they have been shown. */
async function follow(...states: readonly Partial<AppState>[]): Promise<void> {
  const done = Promise.withResolvers<void>();
  async function* feeds(): AsyncGenerator<AppFeed> {
    for (const state of states) yield { type: 'state', state };
    done.resolve();
  }
  const parts = { spelling() {}, tray() {}, updates() {}, zoom() {} };
  await followState({ watchApp: feeds }, actions, parts, new AbortController().signal);
  await done.promise;
}

const session = (running: boolean, needsAnswer = false): SessionSummary => ({
  ...{ id: 'a', title: 'Build', project: '/web', demo: false },
  ...{ createdAt: 0, updatedAt: 0, running, needsAnswer },
});

const preferences = (theme: Preferences['theme']): Preferences => ({ theme, zoom: 1, layout: {} });

test('the system follows the theme when the user changes it', async () => {
  await follow({ preferences: preferences('system') }, { preferences: preferences('dark') });
  expect(told.themeSource).toBe('dark');
});

test('the system stays awake while a session works, and is told once', async () => {
  await follow(
    { sessions: [session(true)] },
    { sessions: [session(true), session(false)] },
    { sessions: [session(false)] },
    { sessions: [session(true)] },
  );
  expect(told.awake.size).toBe(1);
});

test('on Windows the jump list has the newest folders, without what the user took out of it', async () => {
  restore = onPlatform('win32');
  told.removed = [{ args: '"C:\\gone"' }];
  await follow({ recents: ['C:\\web', 'C:\\gone', 'C:\\api'] });
  const items = told.jumpLists.at(-1)?.map((category) => category.items?.map(({ args }) => args));
  expect(items).toEqual([['"C:\\web"', '"C:\\api"'], ['"--new-window"']]);
  expect(told.recents).toEqual(['C:\\web', 'C:\\gone', 'C:\\api']);
});

test('the tray tells on macOS how many sessions wait, and goes when it is not wanted', () => {
  restore = onPlatform('darwin');
  const show = createTray('/resources', { show() {}, newWindow() {} });
  show(true, [session(true, true)]);
  const [tray] = told.trays;
  expect(tray).toMatchObject({
    ...{ image: { path: '/resources/tray/trayTemplate.png' }, title: '1' },
    ...{ tip: 'Lathe: 1 waits for your answer', destroyed: false },
  });
  show(true, [session(true)]);
  expect(tray).toMatchObject({ title: '', tip: 'Lathe: 1 at work' });
  show(false, []);
  expect(tray?.destroyed).toBe(true);
  expect(told.trays).toHaveLength(1);
});

test('on macOS the system checks the spelling, without a dictionary of ours', () => {
  restore = onPlatform('darwin');
  const said: unknown[] = [];
  const session = {
    setSpellCheckerEnabled: (wanted: boolean) => said.push(wanted),
    setSpellCheckerLanguages: (languages: string[]) => said.push(languages),
  };
  for (const wanted of [false, true]) setSpelling(session as never, wanted);
  expect(said).toEqual([false, true]);
});
