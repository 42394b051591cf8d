import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { app, clipboard } from 'electron';
import type { Ask } from './questions';

/** Reports that are kept; the oldest goes first. */
const MAX_REPORTS = 20;
/** Reports written in one run: something that fails all the time says nothing new. */
const MAX_WRITTEN = 20;
/** Characters of a report. */
const MAX_CHARS = 20_000;

/** Reports of what went wrong in the app itself. They stay on this machine. */
export interface FaultReports {
  /** The folder they lie in, which may not exist yet. */
  readonly folder: string;
  /** Writes one. Returns its path; null when it cannot be written, or when there are enough of this run. */
  write(what: string, thrown: unknown): string | null;
}

/** Creates the reports in `folder`. `facts` stand at the top of each: versions and the system. */
export function createFaultReports(folder: string, facts: readonly string[]): FaultReports {
  let written = 0;
  return {
    folder,
    write(what, thrown) {
      if (written >= MAX_WRITTEN) return null;
      written += 1;
      const at = new Date().toISOString();
      const file = join(folder, `${at.replaceAll(':', '-')}-${written}.txt`);
      const text = [`${at} ${what}`, ...facts, '', described(thrown)].join('\n');
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(file, `${text.slice(0, MAX_CHARS)}\n`, { mode: 0o600 });
        dropOldest(folder);
        return file;
      } catch {
        // A full or read-only disk: the dialog says what happened all the same.
        return null;
      }
    },
  };
}

const described = (thrown: unknown): string =>
  thrown instanceof Error
    ? (thrown.stack ?? thrown.message)
    : typeof thrown === 'string'
      ? thrown
      : JSON.stringify(thrown);

/** Their names begin with their time, so the order of names is that of age. */
function dropOldest(folder: string): void {
  const names = readdirSync(folder).filter((name) => name.endsWith('.txt'));
  for (const name of names.sort().slice(0, -MAX_REPORTS)) rmSync(join(folder, name));
}

/**
 * Reports what nobody caught in the main process, and processes of Chromium that died. The user is told of an error in
 * the main process once at a time; a promise without a handler and Chromium's own processes, which it starts again, are
 * only reported.
 */
export function watchFaults(reports: FaultReports, ask: Ask): void {
  let telling = false;
  const onError = (error: Error) => {
    const file = reports.write('An error that nobody caught in the main process', error);
    if (telling) return;
    telling = true;
    tell(error, file, ask)
      .catch(() => {})
      .finally(() => {
        telling = false;
      });
  };
  const onRejection = (reason: unknown) => {
    reports.write('A promise without a handler in the main process', reason);
  };
  process.on('uncaughtException', onError);
  process.on('unhandledRejection', onRejection);
  app.once('quit', () => {
    process.off('uncaughtException', onError);
    process.off('unhandledRejection', onRejection);
  });
  app.on('child-process-gone', (_event, details) => {
    if (details.reason === 'clean-exit' || details.reason === 'killed') return;
    reports.write(`A process of Chromium died: ${details.type}, ${details.reason}`, details);
  });
}

async function tell(error: Error, file: string | null, ask: Ask): Promise<void> {
  // Before that there is no dialog to show; the entry says why the app did not start.
  await app.whenReady();
  const response = await ask({
    type: 'error',
    message: 'Lathe met an error it did not expect.',
    detail: [
      error.message,
      'Your sessions and terminals go on, but something may not work any more. Quit and open Lathe again when it suits you.',
      file === null
        ? 'A report could not be written.'
        : `A report lies in ${file}. Nothing was sent anywhere.`,
    ].join('\n\n'),
    buttons: ['Go on', 'Copy report', 'Quit'],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  });
  if (response === 1) await clipboard.writeText(described(error));
  if (response === 2) app.quit();
}
