import { chmodSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { err, fault, ok, type Result } from '../../../shared/result';

/** Lathe's own folder: `LATHE_HOME`, else `~/.lathe`. Absolute. */
export const latheHomeOf = (env: NodeJS.ProcessEnv, home: string): string =>
  env['LATHE_HOME'] ? resolve(env['LATHE_HOME']) : join(home, '.lathe');

/** Makes Lathe's folder with its `run` folder, readable by this person only (THREATS 13). */
export function prepareLatheHome(latheHome: string): Result<null> {
  try {
    const run = join(latheHome, 'run');
    mkdirSync(run, { recursive: true, mode: 0o700 });
    // An existing home keeps its mode, it may be anyone's folder; the sockets' folder is ours.
    chmodSync(run, 0o700);
    return ok(null);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return err(
      fault(
        'lathe_home',
        `Lathe cannot use its own folder ${latheHome}: ${why}`,
        'Set LATHE_HOME to a folder you can write to.',
      ),
    );
  }
}
