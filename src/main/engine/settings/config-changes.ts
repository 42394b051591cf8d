import type { RuleSource } from '../../../shared/permission';
import type { EffectiveSettings } from './effective';

/** A settings file that changed, under the name that the ecosystem's hooks know its kind by. */
export interface ConfigChange {
  readonly source: 'user_settings' | 'project_settings' | 'local_settings' | 'policy_settings';
  readonly file: string;
}

const KINDS: Partial<Record<RuleSource, ConfigChange['source']>> = {
  managed: 'policy_settings',
  localSettings: 'local_settings',
  projectSettings: 'project_settings',
  userSettings: 'user_settings',
};

/** The settings files that are not what they were, came or went. Pure. */
export function configChanges(
  before: Pick<EffectiveSettings, 'files'>,
  after: Pick<EffectiveSettings, 'files'>,
): readonly ConfigChange[] {
  const known = new Map((before.files ?? []).map(({ file, digest }) => [file, digest]));
  return (after.files ?? []).flatMap(({ source, file, digest }) => {
    const kind = KINDS[source];
    return kind === undefined || known.get(file) === digest ? [] : [{ source: kind, file }];
  });
}

/** Whether settings of before may go on in place of later ones: never past the person's word on hooks and on trust. Pure. */
export const mayHold = (before: EffectiveSettings, after: EffectiveSettings): boolean =>
  after.trusted === before.trusted && after.hooksDisabled === before.hooksDisabled;

/**
 * The settings that hold when a hook blocked a change: those of before, with whatever the new ones forbid on top. Null
 * where a change cannot be blocked, the machine's policy among others. Pure.
 */
export function heldBack(
  before: EffectiveSettings,
  after: EffectiveSettings,
  changes: readonly ConfigChange[],
): EffectiveSettings | null {
  const policy = changes.some(({ source }) => source === 'policy_settings');
  if (policy || !mayHold(before, after)) return null;
  return {
    ...before,
    bypassAllowed: before.bypassAllowed && after.bypassAllowed,
    rules: [...after.rules.filter(({ behavior }) => behavior !== 'allow'), ...before.rules],
    findings: after.findings,
    findingsHash: after.findingsHash,
    problems: after.problems,
  };
}
