import { type ChildProcess, spawn } from 'node:child_process';
import { app } from 'electron';

/** Starts the app with these words when this process has ended. `image` is the AppImage that it runs from. */
export function restart(words: readonly string[], image: string | null): void {
  if (image !== null) startAfterUs(image, words);
  else app.relaunch({ args: [...(app.isPackaged ? [] : process.argv.slice(1, 2)), ...words] });
}

/**
 * Starts a program when this process has ended, or when the input of the returned one is. Electron's own helper for that
 * runs from the image, which is taken away with this process (electron-builder#1727).
 */
export function startAfterUs(program: string, words: readonly string[]): ChildProcess {
  const wait = 'read -r _; exec "$@" < /dev/null';
  const child = spawn('/bin/sh', ['-c', wait, 'sh', program, ...words], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  child.on('error', () => {});
  child.unref();
  return child;
}
