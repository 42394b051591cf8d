import type { HookPick, HookSetting, HooksStatus, ListedHook } from '../../shared/hooks';
import { err, fault, ok, type Result } from '../../shared/result';
import type { EffectiveSettings } from '../engine/settings/effective';
import { withHooksSwitch, withoutHook } from '../engine/settings/hook-settings';
import { fileForDestination, type SettingsWriter } from '../engine/settings/write';
import type { ProjectRegistry } from './project-registry';

/** Changes the hooks of projects for a person. Each change holds at once, in open sessions too. */
export interface HookService {
  /** Runs no hook from now on, except managed ones; or runs them again. Written to the person's own settings. */
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
      // The file is the person's: it counts in every open folder.
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
      if (!REMOVABLE.has(hook.source)) return err(LOCKED);
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
  'Hooks of the machine and of the command line cannot be removed here.',
);

/** The most hooks that are sent to a window. */
const MAX_LISTED = 200;
/** The longest text that a list shows. UTF-16 units. */
const MAX_TEXT = 2_000;

/** Returns what a window shows of a project's hooks. Pure. */
export function hooksStatus({ hooks, hooksDisabled = false }: EffectiveSettings): HooksStatus {
  return {
    list: hooks.slice(0, MAX_LISTED).map(listedHook),
    more: Math.max(0, hooks.length - MAX_LISTED),
    disabled: hooksDisabled,
  };
}

/** Returns a hook without its secrets, its texts cut to what a list shows. */
function listedHook({ headers: _, allowedEnvVars: __, ...hook }: HookSetting): ListedHook {
  const { args, ...rest } = hook;
  const shown = args && shownArgs(args);
  return {
    ...rest,
    run: cut(hook.run),
    matcher: cut(hook.matcher),
    ...(hook.if === undefined ? {} : { if: cut(hook.if) }),
    ...(shown ? { args: shown } : {}),
  };
}

const cut = (text: string): string =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;

/** Returns as many arguments as fit. */
function shownArgs(args: readonly string[]): string[] {
  let room = MAX_TEXT;
  return args.flatMap((arg) => {
    if (room <= 0) return [];
    const shown = arg.slice(0, room);
    room -= arg.length;
    return [room < 0 ? `${shown}…` : shown];
  });
}
