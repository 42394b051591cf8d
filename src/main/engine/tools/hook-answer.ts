import type { Decision, RuleSuggestion } from '../../../shared/permission';
import type { HookAnswer } from '../hooks/json-reply';
import type { PermissionRequest } from '../permissions/request';
import { type GatedCall, INTERRUPTED, type Verdict } from './gated-call';
import type { HookAdvice } from './hook-advice';
import { parseToolInput } from './registry';
import type { ToolEnvironment } from './tool';

/** Hooks that may answer in the person's place. Never reject. */
export interface HookAnswers {
  /** Whether there are any. */
  any(): boolean;
  /** Null: ask the person, who would be offered these rules. */
  ask(
    call: GatedCall,
    suggestions: readonly RuleSuggestion[],
    signal: AbortSignal,
  ): Promise<HookAnswer | null>;
  /** The automatic mode refused a call. */
  refused(call: GatedCall, reason: string, signal: AbortSignal): Promise<void>;
  /** A permission counted: carries out the changes that came with it. */
  accepted(answer: HookAnswer): Promise<void>;
}

/** What of the gate an answer needs. */
export interface HookAnswerOptions {
  readonly environment: ToolEnvironment;
  readonly hookAnswers: HookAnswers;
  readonly decideAll: (requests: readonly PermissionRequest[], advice?: HookAdvice) => Decision;
  readonly refuse: (call: GatedCall, message: string) => Verdict;
  /** Called when the answer stands, before it is carried out. */
  readonly settled?: () => void;
}

/**
 * What hooks answer about a call that asks; null: the person is to be asked. Another input is checked and decided
 * anew, and what a rule or a safety check asks about, only the person can allow.
 */
export async function hooksAnswer(
  call: GatedCall,
  suggestions: readonly RuleSuggestion[],
  { environment, hookAnswers, decideAll, refuse: refused, settled }: HookAnswerOptions,
  signal: AbortSignal,
): Promise<Verdict | null> {
  const answer = await hookAnswers.ask(call, suggestions, signal);
  if (signal.aborted) return INTERRUPTED;
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
  const decided = await call.tool.needs(input, environment);
  const decision = decideAll(decided, { behavior: 'allow', reason: answer.message });
  if (decision.behavior === 'deny') return refuse(call, `Permission denied: ${decision.reason}`);
  if (decision.behavior === 'ask') return null;
  if (signal.aborted) return INTERRUPTED;
  settled?.();
  await hookAnswers.accepted(answer);
  return { allowed: true, decided, ...(updatedInput ? { input, changedBy: 'hook' } : {}) };
}
