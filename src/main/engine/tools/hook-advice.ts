import type { Decision, PermissionMode } from '../../../shared/permission';

/** What a PreToolUse hook wants of the decision on a call. */
export interface HookAdvice {
  readonly behavior: 'allow' | 'ask';
  readonly reason: string;
}

/**
 * A decision with a hook's advice taken. A hook can make a call ask that would run; it can spare the person a
 * question, but never past deny rules, ask rules or safety checks, and never out of plan mode. `bypassed` is the
 * decision with nothing but those. Pure.
 */
export function advised(
  decision: Decision,
  { behavior, reason }: HookAdvice,
  mode: PermissionMode,
  bypassed: () => Decision,
): Decision {
  if (behavior === 'allow') {
    if (decision.behavior === 'allow' || mode === 'plan') return decision;
    if (bypassed().behavior !== 'allow') return decision;
    return plain('allow', withReason('a hook allowed it', reason));
  }
  if (decision.behavior !== 'allow') return decision;
  const asked = withReason('a hook wants it to be asked', reason);
  return mode === 'dontAsk'
    ? plain('deny', `this mode never asks, and ${asked}`)
    : plain('ask', asked);
}

const withReason = (what: string, reason: string): string =>
  reason === '' ? what : `${what}: ${reason}`;

const plain = (behavior: Decision['behavior'], reason: string): Decision => ({
  behavior,
  reason,
  why: [reason],
  suggestions: [],
});
