import type { ListedHook } from '../../shared/hooks';
import type { Result } from '../../shared/result';
import type { Lathe } from './lathe';

/** Runs no hook from now on (managed ones excepted), or runs them again. */
export const setHooksDisabled = (
  lathe: Lathe,
  project: string,
  disabled: boolean,
): Promise<Result<null>> => lathe.ask((client) => client.hooks.setDisabled({ project, disabled }));

/** Takes a hook out of its settings file. */
export const removeHook = (
  lathe: Lathe,
  project: string,
  { event, file, line, run }: ListedHook,
): Promise<Result<null>> =>
  lathe.ask((client) => client.hooks.remove({ project, hook: { event, file, line, run } }));
