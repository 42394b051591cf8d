import type { HookSetting, HooksStatus, ListedHook } from '../../shared/hooks';
import type { SandboxStatus } from '../../shared/settings';
import type { Sandbox } from '../engine/ports-sandbox';
import type { EffectiveSettings } from '../engine/settings/effective';

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
export function listedHook({ headers: _, allowedEnvVars: __, ...hook }: HookSetting): ListedHook {
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

/** Returns what a window shows of a project's sandbox. Looks at the system only when the sandbox is wanted. */
export async function sandboxStatus(
  { sandbox: chosen, additionalDirectories }: EffectiveSettings,
  sandbox: Sandbox,
): Promise<SandboxStatus> {
  const facts = {
    autoAllow: chosen?.autoAllow ?? true,
    allowWrite: [...additionalDirectories, ...(chosen?.allowWrite ?? [])],
    allowedDomains: [...(chosen?.allowedDomains ?? [])],
    excludedCommands: [...(chosen?.excludedCommands ?? [])],
  };
  if (!chosen?.enabled) return { state: 'off', ...facts };
  const found = await sandbox.availability(chosen.programs);
  switch (found.state) {
    case 'ready':
      return { state: 'on', ...facts };
    case 'weaker':
      return chosen.weakerNested
        ? { state: 'on', why: found.why, ...facts }
        : { state: 'missing', why: found.why, fix: found.fix, ...facts };
    case 'missing':
      return { state: 'missing', why: found.why, fix: found.fix, ...facts };
  }
}
