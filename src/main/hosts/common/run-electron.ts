import { spawn } from 'node:child_process';
import type { WindowCommand } from './command-line/command';

/** An end with an error this soon after the start means that the app never came up. Milliseconds. */
const START_MS = 8_000;

/** How starting Electron went. */
export type ElectronRun =
  | { readonly kind: 'ran'; readonly exitCode: number }
  | { readonly kind: 'failed'; readonly why: string };

/** Starts the app in `root` with Electron's program and waits until it ends. */
export function runElectron(
  binary: string,
  root: string,
  command: WindowCommand,
): Promise<ElectronRun> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const child = spawn(binary, [root, ...electronArguments(command)], {
      stdio: 'inherit',
      env: withoutNodeMode(process.env),
    });
    child.once('error', (error) => resolve({ kind: 'failed', why: error.message }));
    child.once('exit', (code, signal) => {
      const soon = performance.now() - startedAt < START_MS;
      if (soon && (code ?? 1) !== 0)
        resolve({ kind: 'failed', why: signal ? `ended by ${signal}` : `exit code ${code}` });
      else resolve({ kind: 'ran', exitCode: code ?? 1 });
    });
  });
}

/** The words the app's own entry understands. */
export const electronArguments = ({ folder, demo }: WindowCommand): string[] => [
  ...(folder === undefined ? [] : [folder]),
  ...(demo ? ['--demo'] : []),
];

/** `ELECTRON_RUN_AS_NODE` would start a plain Node instead of the app. */
function withoutNodeMode(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { ELECTRON_RUN_AS_NODE: _, ...rest } = env;
  return rest;
}
