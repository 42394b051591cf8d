import { type BrowserWindow, dialog, type MessageBoxOptions } from 'electron';
import { bringUp, comesByItself } from './windows';

/** Asks in a dialog of the system, and returns the index of the button that was pressed. */
export type Ask = (question: MessageBoxOptions) => Promise<number>;

/** The windows that questions lie on. */
interface Carriers {
  /** Returns the one at the front; null when there is none. */
  current(): BrowserWindow | null;
  open(): void;
}

/** Questions of the app itself, which no one window asks. */
export interface Questions {
  readonly ask: Ask;
  /** Puts questions on these windows from now on; before that, they have none. */
  putOn(carriers: Carriers): void;
}

/**
 * Creates the questions. Each lies on a window that is brought up before. A dialog without one would hold up all of macOS's
 * main process until it is answered, and with it engine, terminals and pages; so there, a window is opened for it.
 */
export function createQuestions(): Questions {
  let windows: Carriers = { current: () => null, open: () => {} };
  const ask: Ask = async (question) => {
    if (process.platform === 'darwin' && windows.current() === null) windows.open();
    const window = windows.current();
    if (window === null) return (await dialog.showMessageBox(question)).response;
    if (comesByItself(window)) await appeared(window);
    if (window.isDestroyed()) return ask(question);
    bringUp(window);
    return (await dialog.showMessageBox(window, question)).response;
  };
  return {
    ask,
    putOn(carriers) {
      windows = carriers;
    },
  };
}

/** Resolves when a window that comes by itself has come, or never will. */
const appeared = (window: BrowserWindow): Promise<void> =>
  new Promise((resolve) => {
    window.once('show', () => resolve());
    window.once('closed', () => resolve());
    window.webContents.once('did-stop-loading', () => resolve());
  });
