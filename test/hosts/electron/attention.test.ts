import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import type { Attention } from '../../../src/main/app/workbench';
import { watchAttention } from '../../../src/main/hosts/electron/attention';

vi.mock('electron', () => ({
  app: { setBadgeCount: () => true },
  Notification: class extends EventEmitter {
    static isSupported = () => true;
    show = () => {};
    close = () => {};
  },
}));

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
  // It lies behind the one that the person works in.
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
