import type { Fault } from '../../../shared/result';
import { complain } from './output';

/** Exit codes, as docs/headless.md and shells have them. */
export const EXIT = { success: 0, error: 1, usage: 2, interrupted: 130, terminated: 143 } as const;

/** Returns the exit code of a run that was ended; `usual` where nobody ended it. */
export const endingCode = (ending: AbortSignal, usual: number = EXIT.error): number =>
  typeof ending.reason === 'number' ? ending.reason : usual;

/** Says why a command failed, and what helps. Returns its exit code. */
export function fail({ message, fix }: Fault, code: number = EXIT.error): number {
  complain(message);
  if (fix !== undefined) complain(fix);
  return code;
}
