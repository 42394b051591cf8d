import { EventEmitter } from 'node:events';
import type { BrowserWindow } from 'electron';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createQuestions } from '../../../src/main/hosts/electron/questions';
import { onPlatform } from '../../electron-double/double/platform';

/** The acts on windows, and the dialogs, in order. */
const system = vi.hoisted(() => {
  // Files share modules, and another one may have loaded these with an Electron of its own.
  vi.resetModules();
  return { done: [] as string[] };
});

vi.mock('electron', () => ({
  app: {},
  BrowserWindow: {},
  clipboard: {},
  Menu: {},
  dialog: {
    showMessageBox: async (...args: readonly { readonly name?: string }[]) => {
      system.done.push(args.length > 1 ? `asked on ${args[0]?.name}` : 'asked');
      return { response: 2 };
    },
  },
}));

beforeEach(() => {
  system.done.length = 0;
});

/** A window in a state, as far as a question is concerned with it. */
class Window extends EventEmitter {
  destroyed = false;
  readonly webContents = Object.assign(new EventEmitter(), {
    isLoadingMainFrame: () => this.state === 'loads',
  });
  constructor(
    readonly name: string,
    public state: 'seen' | 'minimised' | 'hidden' | 'loads',
  ) {
    super();
  }
  isVisible = () => this.state === 'seen' || this.state === 'minimised';
  isMinimized = () => this.state === 'minimised';
  isDestroyed = () => this.destroyed;
  restore = () => system.done.push('restored');
  show = () => system.done.push('shown');
  focus = () => {};
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Asks with a window at the front, and tells how to have another one there. */
function ask(window: Window | null) {
  let front = window;
  const questions = createQuestions();
  questions.putOn({
    current: () => front as unknown as BrowserWindow | null,
    open: () => {
      system.done.push('opened');
      front = new Window('new', 'loads');
    },
  });
  const answer = questions.ask({ message: 'Well?' });
  return {
    answer,
    front: () => front,
    put: (other: Window | null) => {
      front = other;
    },
  };
}

test.each<[Window['state'], readonly string[]]>([
  ['seen', ['shown', 'asked on one']],
  ['minimised', ['restored', 'shown', 'asked on one']],
  ['hidden', ['shown', 'asked on one']],
])('a question lies on the window at the front, which comes up before: %s', async (state, done) => {
  await expect(ask(new Window('one', state)).answer).resolves.toBe(2);
  expect(system.done).toEqual(done);
});

test.each<[NodeJS.Platform, boolean]>([
  ['linux', false],
  ['win32', false],
  ['darwin', true],
])('without a window %s has one opened: %s', async (platform, opens) => {
  onTestFinished(onPlatform(platform));
  const asked = ask(null);
  await settle();
  expect(system.done).toEqual(opens ? ['opened'] : ['asked']);
  const opened = asked.front();
  if (opened !== null) opened.state = 'seen';
  opened?.emit('show');
  await expect(asked.answer).resolves.toBe(2);
  expect(system.done).toEqual(opens ? ['opened', 'shown', 'asked on new'] : ['asked']);
});

test('a window that cannot be drawn comes up when its page has stopped loading', async () => {
  const window = new Window('one', 'loads');
  const { answer } = ask(window);
  await settle();
  expect(system.done).toEqual([]);
  window.state = 'hidden';
  window.webContents.emit('did-stop-loading');
  await answer;
  expect(system.done).toEqual(['shown', 'asked on one']);
});

test('a window that goes before it comes leaves the question to another one', async () => {
  const window = new Window('one', 'loads');
  const { answer, put } = ask(window);
  await settle();
  window.destroyed = true;
  put(new Window('two', 'seen'));
  window.emit('closed');
  await answer;
  expect(system.done).toEqual(['shown', 'asked on two']);
});

test('a question before there are windows has none', async () => {
  onTestFinished(onPlatform('darwin'));
  await expect(createQuestions().ask({ message: 'Well?' })).resolves.toBe(2);
  expect(system.done).toEqual(['asked']);
});
