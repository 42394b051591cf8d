import type { HookSetting, HooksStatus, ListedHook } from '../../shared/hooks';
import type { EffectiveSettings } from '../engine/settings/effective';

/** Hooks a window is told of, at most. */
const MAX_LISTED = 200;
/** As much of a text as a list shows. UTF-16 units. */
const MAX_TEXT = 2_000;

/** What a window tells of the hooks of a project. Pure. */
export function hooksStatus({ hooks, hooksDisabled = false }: EffectiveSettings): HooksStatus {
  return {
    list: hooks.slice(0, MAX_LISTED).map(listedHook),
    more: Math.max(0, hooks.length - MAX_LISTED),
    disabled: hooksDisabled,
  };
}

/** A hook as a window is told of it. */
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

/** As many arguments as fit. */
function shownArgs(args: readonly string[]): string[] {
  let room = MAX_TEXT;
  return args.flatMap((arg) => {
    if (room <= 0) return [];
    const shown = arg.slice(0, room);
    room -= arg.length;
    return [room < 0 ? `${shown}…` : shown];
  });
}
