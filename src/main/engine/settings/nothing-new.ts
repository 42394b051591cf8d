import type { HookSetting } from '../../../shared/hooks';
import type { EffectiveSettings } from './effective';

/**
 * Whether a folder's configuration after a change of ours turns on nothing that it did not turn on before, what Lathe
 * itself writes aside: allow rules, folders to work in, the mode. Hooks may have gone. Pure.
 */
export function turnsOnNothingNew(before: EffectiveSettings, after: EffectiveSettings): boolean {
  const known = new Set(before.hooks.map(whatRuns));
  return others(before) === others(after) && after.hooks.every((hook) => known.has(whatRuns(hook)));
}

const others = ({ findings }: EffectiveSettings): string =>
  JSON.stringify(
    findings.filter(
      ({ kind, what }) =>
        kind !== 'allow' && !OURS.has(what) && (kind !== 'hooks' || what === SWITCH),
    ),
  );

const OURS: ReadonlySet<string> = new Set(['additionalDirectories', 'defaultMode']);

/** A finding of the kind `hooks` that is none. */
const SWITCH = 'disableAllHooks';

/** Everything about a hook but the line it stands on. */
const whatRuns = ({ line: _line, off: _off, ...hook }: HookSetting): string => JSON.stringify(hook);
