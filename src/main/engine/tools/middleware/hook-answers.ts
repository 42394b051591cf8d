import type { Decision, PermissionMode, RuleSuggestion } from '../../../../shared/permission';
import type { HookAnswer } from '../../hooks/json-reply';
import type { PermissionRequest } from '../../permissions/request';
import type { Clock } from '../../ports';
import { needsContext, type ToolEnvironment } from '../environment';
import { requestsOf } from '../needs';
import { parseToolInput } from '../parse-input';
import {
  type GateAnswer,
  type GatedCall,
  type HookAdvice,
  interrupted,
  type RefusedCall,
} from './call-middleware';

/** Hooks that may answer in the user's place. Never reject. */
export interface HookAnswers {
  /** Returns whether there are any. */
  any(): boolean;
  /** Resolves to the hooks' answer; null leaves the question to the user, who would be offered these rules. */
  ask(
    call: GatedCall,
    suggestions: readonly RuleSuggestion[],
    signal: AbortSignal,
  ): Promise<HookAnswer | null>;
  /** Tells hooks that the automatic mode refused a call. */
  refused(call: GatedCall, reason: string, signal: AbortSignal): Promise<void>;
  /** Carries out the changes that came with a permission that counted. */
  accepted(answer: HookAnswer): Promise<void>;
}

/** The gate's side of an answer by hooks. */
export interface HookAnswerOptions {
  readonly environment: ToolEnvironment;
  readonly hookAnswers: HookAnswers;
  readonly decideAll: (requests: readonly PermissionRequest[], advice?: HookAdvice) => Decision;
  readonly refuse: (call: GatedCall, message: string) => RefusedCall;
  /** Called when the answer stands, before it is carried out. */
  readonly settled?: () => void;
}

/**
 * Applies a hook's advice to a decision. A hook can make a call ask that would run. It can spare the user a question,
 * but never past deny rules, ask rules or safety checks, and never out of plan mode. `bypassed` is the decision with
 * nothing but those. Pure.
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

/**
 * Asks hooks about a call; null leaves the question to the user. Another input is checked and decided anew. Only the
 * user can allow what a rule or a safety check asks about.
 */
export async function hooksAnswer(
  call: GatedCall,
  suggestions: readonly RuleSuggestion[],
  { environment, hookAnswers, decideAll, refuse: refused, settled }: HookAnswerOptions,
  signal: AbortSignal,
): Promise<GateAnswer | null> {
  const answer = await hookAnswers.ask(call, suggestions, signal);
  if (signal.aborted) return interrupted(signal);
  if (!answer) return null;
  const refuse = (refusedCall: GatedCall, message: string) => {
    settled?.();
    return refused(refusedCall, message);
  };
  const said = answer.message === '' ? '' : `: ${answer.message}`;
  if (answer.behavior === 'deny') return refuse(call, `A hook of the user denied this${said}`);
  const { updatedInput } = answer;
  const parsed = parseToolInput(call.tool, updatedInput ?? call.input);
  if (!parsed.ok) return refuse(call, `A hook changed this call: ${parsed.error}`);
  const { value: input } = parsed;
  const objection = updatedInput && (await call.tool.validateInput(input, environment));
  if (objection) return refuse(call, `A hook changed this call: ${objection}`);
  const decided = await requestsOf(call.tool, input, needsContext(environment));
  const decision = decideAll(decided, { behavior: 'allow', reason: answer.message });
  if (decision.behavior === 'deny') return refuse(call, `Permission denied: ${decision.reason}`);
  if (decision.behavior === 'ask') return null;
  if (signal.aborted) return interrupted(signal);
  settled?.();
  await hookAnswers.accepted(answer);
  return {
    kind: 'allowed',
    decided,
    ...(updatedInput ? { change: { input, changedBy: 'hook' } } : {}),
  };
}

/** Hooks that answer within this time spare the user a dialog that would only flash up. Milliseconds. */
export const HEAD_START_MS = 500;

/** Two that may answer the same question. Neither rejects; each ends when its signal aborts. */
export interface Answerers {
  /** Resolves to null to leave it to the user. `settled` is called when the answer stands, before it is carried out. */
  readonly hooks: (settled: () => void, signal: AbortSignal) => Promise<GateAnswer | null>;
  readonly user: (signal: AbortSignal) => Promise<GateAnswer>;
}

/**
 * Resolves to the first answer. Hooks have a head start; when they take longer, the user is asked beside them, and the
 * first to answer takes the question away from the other.
 */
export async function firstAnswer(
  { hooks, user }: Answerers,
  clock: Clock,
  signal: AbortSignal,
): Promise<GateAnswer> {
  const forHooks = new AbortController();
  const forUser = new AbortController();
  const asked = hooks(() => forUser.abort(), AbortSignal.any([signal, forHooks.signal]));
  const early = await within(HEAD_START_MS, asked, clock);
  if (early.done) return early.value ?? user(signal);
  const answer = user(AbortSignal.any([signal, forUser.signal])).then((given) => {
    if (!forUser.signal.aborted) forHooks.abort();
    return given;
  });
  const byHooks = await asked;
  const byUser = await answer;
  return byHooks !== null && forUser.signal.aborted ? byHooks : byUser;
}

/** Resolves to the promise's value if it comes in time, else to `done: false`. */
async function within<T>(
  ms: number,
  promise: Promise<T>,
  clock: Clock,
): Promise<{ readonly done: true; readonly value: T } | { readonly done: false }> {
  const over = new AbortController();
  const late = clock.sleep(ms, over.signal).then(() => ({ done: false }) as const);
  const first = await Promise.race([
    promise.then((value) => ({ done: true, value }) as const),
    late,
  ]);
  over.abort();
  return first;
}
