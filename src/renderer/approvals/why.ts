import type { Decision, PermissionRule } from '../../shared/permission';
import { capital } from '../ui/format';

const PLACES: Readonly<Record<PermissionRule['source'], string>> = {
  managed: 'the managed policy',
  commandLine: 'the command line',
  session: 'this session',
  localSettings: '.claude/settings.local.json',
  projectSettings: '.claude/settings.json',
  userSettings: 'your own settings',
};

/** Why a call asks: the reason and, when one decided, the rule and where it stands. */
export interface Why {
  readonly reason: string;
  readonly rule: string | null;
  readonly place: string | null;
}

/** As a sentence begins, without its full stop. */
const sentence = (reason: string): string => capital(reason.trim().replace(/\.$/, ''));

/** The parts of the one sentence that says why it asks. */
export function whyItAsks(decision: Decision): Why {
  const reason = sentence(decision.reason);
  const { rule } = decision;
  if (rule === undefined) return { reason, rule: null, place: null };
  const file = rule.file ?? PLACES[rule.source];
  const place = rule.line === undefined ? file : `${file}, line ${rule.line}`;
  return { reason, rule: rule.text, place };
}
