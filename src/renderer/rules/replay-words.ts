import type { RuleBehavior } from '../../shared/permission';
import type { ReplayedCall, RuleReplay } from '../../shared/rule-replay';
import { plural } from '../ui/format';

/** Rows of the list of calls. */
const MAX_ROWS = 50;

/** The result of a replay in words. */
export interface ReplayWords {
  /** The number of calls that would be decided differently. */
  readonly summary: string;
  /** A further remark; null when there is none. */
  readonly note: string | null;
  /** The note is about something surprising that would run unasked. */
  readonly warns: boolean;
}

/** Puts a replay into words; `callId` is the call that the rule is written for, if there is one. Pure. */
export function replayWords(replay: RuleReplay, callId?: string): ReplayWords {
  const { considered, changed } = replay;
  const summary =
    considered === 0
      ? 'No calls in this project yet, so there is nothing to try this rule on.'
      : `Of the last ${plural(considered, 'call')} in this project, ${outcome(changed)}.`;
  const risky = changed.filter((call) => call.risks.length > 0);
  if (risky.length === 0) return { summary, note: note(replay, callId), warns: false };
  const risks = [...new Set(risky.flatMap((call) => call.risks))];
  return {
    summary,
    note: `${risky.length} of them ${risky.length === 1 ? 'deserves' : 'deserve'} a look: ${listed(risks)}.`,
    warns: true,
  };
}

const listed = (risks: readonly string[]): string =>
  risks.length <= 3 ? risks.join(', ') : `${risks.slice(0, 3).join(', ')} and more`;

function outcome(changed: readonly ReplayedCall[]): string {
  const parts = CHANGES.flatMap(([before, after, words]) => {
    const count = changed.filter((c) => c.before === before && c.after === after).length;
    return count === 0 ? [] : [`${count.toLocaleString('en-US')} ${words}`];
  });
  return parts.length === 0 ? 'none would be decided otherwise' : parts.join(', ');
}

const CHANGES: readonly (readonly [RuleBehavior, RuleBehavior, string])[] = [
  ['ask', 'allow', 'would no longer ask'],
  ['deny', 'allow', 'would no longer be denied'],
  ['allow', 'ask', 'would ask'],
  ['deny', 'ask', 'would ask and no longer be denied'],
  ['ask', 'deny', 'would be denied without asking'],
  ['allow', 'deny', 'would be denied'],
];

function note(
  { considered, changed, unchanged, dead }: RuleReplay,
  callId: string | undefined,
): string | null {
  if (dead) return `This rule would never count: ${dead.reason}.`;
  if (considered === 0) return null;
  if (callId !== undefined && changed.every((call) => call.callId !== callId))
    return 'By itself it does not allow what is asked now.';
  if (unchanged === 0) return changed.length === 0 ? 'It is about none of them.' : null;
  const others = changed.length === 0 ? plural(unchanged, 'call') : `${unchanged} more`;
  return `It is about ${others}, decided the same way as now.`;
}

/** Describes a change shortly: "asked → allowed". */
export const changeWords = ({ before, after }: ReplayedCall): string =>
  `${WORDS[before]} → ${WORDS[after]}`;

const WORDS: Readonly<Record<RuleBehavior, string>> = {
  allow: 'allowed',
  ask: 'asked',
  deny: 'denied',
};

/** Returns the calls to list, surprising ones first, and how many are left out. */
export function shownCalls(changed: readonly ReplayedCall[]): {
  readonly shown: readonly ReplayedCall[];
  readonly left: number;
} {
  const risky = (call: ReplayedCall) => (call.risks.length > 0 ? 0 : 1);
  const shown = changed.toSorted((a, b) => risky(a) - risky(b)).slice(0, MAX_ROWS);
  return { shown, left: changed.length - shown.length };
}
