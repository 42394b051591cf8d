import type { Result } from '../../shared/result';
import type { TrustStore } from '../engine/permissions/trust';
import { turnsOnNothingNew } from '../engine/settings/changes';
import type { EffectiveSettings } from '../engine/settings/effective';

/** What a change of a folder's settings is made with. */
export interface TrustedChange {
  readonly trust: TrustStore;
  /** Reads the settings of the folder as if nobody trusted it. */
  readonly untrusted: () => Promise<EffectiveSettings>;
}

/**
 * Lets Lathe itself change the settings of a folder (a real path). Trust follows the change when the folder was trusted
 * with just what it held before it; what a stranger changed meanwhile is asked about.
 */
export async function changeTrusted<T>(
  folder: string,
  change: () => Promise<Result<T>>,
  { trust, untrusted }: TrustedChange,
): Promise<Result<T>> {
  const before = await untrusted();
  const wasTrusted = await trust.isTrusted(folder, before.findingsHash);
  const changed = await change();
  if (changed.ok && wasTrusted) {
    const after = await untrusted();
    if (turnsOnNothingNew(before, after)) {
      await trust.set(folder, after.findingsHash, marksOf(after.findings));
    }
  }
  return changed;
}

/** What stands for each finding, in a fixed order. */
export const marksOf = (findings: EffectiveSettings['findings']): readonly string[] =>
  findings.map(({ mark }) => mark).sort();
