import type { HookSetting } from '../../../shared/hooks';
import type { EffectiveSettings } from './effective';

/**
 * Whether a folder's configuration after a change of ours turns on nothing that it did not turn on before, allow
 * rules aside: those a person has just chosen. Hooks may have gone. Pure.
 */
export function turnsOnNothingNew(before: EffectiveSettings, after: EffectiveSettings): boolean {
  const known = new Set(before.hooks.map(whatRuns));
  return others(before) === others(after) && after.hooks.every((hook) => known.has(whatRuns(hook)));
}

const others = ({ findings }: EffectiveSettings): string =>
  JSON.stringify(
    findings.filter(({ kind, what }) => kind !== 'allow' && (kind !== 'hooks' || what === SWITCH)),
  );

/** A finding of the kind `hooks` that is none. */
const SWITCH = 'disableAllHooks';

/** Everything about a hook but the line it stands on. */
const whatRuns = ({ line: _line, off: _off, ...hook }: HookSetting): string => JSON.stringify(hook);
