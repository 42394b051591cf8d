import type { HookPick } from '../../shared/hooks';
import { err, fault, ok, type Result } from '../../shared/result';
import { withHooksSwitch, withoutHook } from '../engine/settings/hook-settings';
import { fileForDestination, type SettingsWriter } from '../engine/settings/write';
import type { ProjectRegistry } from './project-registry';
import { listedHook } from './project-status';

/** Changes the hooks of projects for a user. Each change holds at once, in open sessions too. */
export interface HookService {
  /** Runs no hook from now on, except managed ones; or runs them again. Written to the user's own settings. */
  setDisabled(project: string, disabled: boolean): Promise<Result<null>>;
  /** Takes a hook out of its settings file. */
  remove(project: string, hook: HookPick): Promise<Result<null>>;
}

export interface HookServiceOptions {
  readonly projects: ProjectRegistry;
  readonly writer: SettingsWriter;
  readonly configDir: string;
}

/** Creates the service. */
export function createHookService({
  projects,
  writer,
  configDir,
}: HookServiceOptions): HookService {
  return {
    setDisabled: async (project, disabled) => {
      if (projects.settings(project) === null) return err(NO_PROJECT);
      const file = fileForDestination('userSettings', { project, configDir });
      if (file === null) return ok(null);
      const written = await writer.change(file, (text) => withHooksSwitch(text, file, disabled));
      // The file is the user's: it counts in every open folder.
      for (const { path } of projects.list()) await projects.refresh(path);
      return written;
    },
    remove: async (project, pick) => {
      const settings = projects.settings(project);
      if (settings === null) return err(NO_PROJECT);
      const hook = settings.hooks.find((one) => {
        const { event, file, line, run } = listedHook(one);
        return event === pick.event && file === pick.file && line === pick.line && run === pick.run;
      });
      if (hook === undefined) return err(GONE);
      if (!REMOVABLE.has(hook.source) || hook.plugin) return err(LOCKED);
      const removed = await projects.changeSettings(project, () =>
        writer.change(hook.file, (text) => withoutHook(text, hook)),
      );
      if (hook.source === 'userSettings') {
        for (const { path } of projects.list()) if (path !== project) await projects.refresh(path);
      }
      return removed;
    },
  };
}

/** The sources of settings whose files Lathe may write. */
const REMOVABLE: ReadonlySet<string> = new Set([
  'localSettings',
  'projectSettings',
  'userSettings',
]);

const NO_PROJECT = fault('not_open', 'That folder is not open.', 'Open it first.');
const GONE = fault('gone', 'That hook is no longer there.', 'Look at the list again.');
const LOCKED = fault(
  'read_only',
  'Hooks of the machine, of plugins and of the command line cannot be removed here.',
);
