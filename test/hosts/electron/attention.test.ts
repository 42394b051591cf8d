import { EventEmitter } from 'node:events';
import { beforeEach, expect, test, vi } from 'vitest';
import type { Attention } from '../../../src/main/app/workbench';
import { watchAttention } from '../../../src/main/hosts/electron/attention';

/** The state of the system, and the calls that it got. */
const told = vi.hoisted(() => {
  // Files share modules, and another one may have loaded these with an Electron of its own.
  vi.resetModules();
  return {
    supported: true,
    bounces: [] as string[],
    notifications: [] as { emit(event: string, ...details: unknown[]): boolean; state: string }[],
  };
});

vi.mock('electron', () => ({
  app: {
    setBadgeCount: () => true,
    dock: { bounce: (kind: string) => told.bounces.push(kind) },
  },
  Notification: class extends EventEmitter {
    static isSupported = () => told.supported;
    state = 'made';
    constructor() {
      super();
      told.notifications.push(this);
    }
    show = () => {
      this.state = 'shown';
    };
    close = () => {
      this.state = 'closed';
    };
  },
}));

beforeEach(() => {
  Object.assign(told, { supported: true, bounces: [], notifications: [] });
});

/** Two windows of projects, of which one may have the focus, and whether each flashes in the taskbar. */
function system(platform: NodeJS.Platform) {
  let front = '';
  const flashes = new Map<string, boolean>();
  const window = (project: string) => ({
    isFocused: () => front === project,
    isDestroyed: () => false,
    flashFrame: (flag: boolean) => {
      flashes.set(project, flag);
    },
  });
  const windows = new Map(['/web', '/api'].map((project) => [project, window(project)]));
  let tell = (_: Attention) => {};
  const calm = watchAttention(
    {
      onAttention: (listener) => {
        tell = listener;
        return () => {};
      },
    },
    {
      focused: () => front !== '',
      windowOf: ({ project }) => windows.get(project) ?? null,
    },
    () => {},
    platform,
  );
  return {
    asks: (project: string) =>
      tell({ kind: 'approval', sessionId: project, project, title: 'Tests', body: 'Wants to' }),
    focus: (project: string) => {
      front = project;
      calm();
    },
    flashing: () => [...flashes].filter(([, flag]) => flag).map(([project]) => project),
  };
}

test('on Windows the window of the session flashes, and no other', () => {
  const { asks, focus, flashing } = system('win32');
  asks('/web');
  expect(flashing()).toEqual(['/web']);
  focus('/api');
  expect(flashing()).toEqual([]);
  // It lies behind the one that the user works in.
  asks('/web');
  asks('/api');
  expect(flashing()).toEqual(['/web']);
  asks('/gone');
  expect(flashing()).toEqual(['/web']);
});

test('elsewhere no window flashes: the notification and the count on the icon tell', () => {
  const { asks, flashing } = system('linux');
  asks('/web');
  expect(flashing()).toEqual([]);
});

const states = () => told.notifications.map(({ state }) => state);

test('each session has one notification, the newest, and all go when the user is back', () => {
  const { asks, focus } = system('darwin');
  asks('/web');
  asks('/api');
  expect(states()).toEqual(['shown', 'shown']);
  asks('/web');
  expect(states()).toEqual(['closed', 'shown', 'shown']);
  focus('/api');
  expect(states()).toEqual(['closed', 'closed', 'closed']);
});

test('a system without notifications is asked for none', () => {
  told.supported = false;
  system('linux').asks('/web');
  expect(told.notifications).toEqual([]);
});

test('where macOS shows none, as of an app without a signature, the icon in the dock bounces', () => {
  const { asks, focus } = system('darwin');
  asks('/web');
  expect(told.bounces).toEqual([]);
  told.notifications[0]?.emit('failed', {}, 'not signed');
  expect(told.bounces).toEqual(['informational']);
  // There is nothing to take away.
  focus('/web');
  expect(states()).toEqual(['shown']);
});
