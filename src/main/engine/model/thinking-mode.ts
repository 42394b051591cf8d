import { factsOf } from './catalog';
import type { ThinkingMode } from './model-client';

/** The API's least budget. Tokens. */
const MIN_BUDGET = 1024;

/**
 * The `thinking` field for a model, or null when none may be sent. What a model refuses is replaced by the
 * nearest it takes: a budget by adaptive thinking, and off by as little as possible. Sources: the provider's
 * thinking pages, November 2026 (`thinkingOff` in the catalog).
 */
export function thinkingField(
  model: string,
  mode: ThinkingMode,
  maxTokens: number,
): Readonly<Record<string, unknown>> | null {
  const facts = factsOf(model);
  if (facts === null) return null;
  const adaptive = { type: 'adaptive', display: 'summarized' };
  if (mode === 'disabled') {
    if (facts.thinkingOff === 'disabled')
      return facts.adaptiveThinking ? { type: 'disabled' } : null;
    return facts.thinkingOff === 'never' ? adaptive : { type: 'between_tools' };
  }
  if (facts.adaptiveThinking) return adaptive;
  if (mode === 'adaptive') return null;
  const budget = Math.min(Math.max(MIN_BUDGET, mode.budgetTokens), maxTokens - 1);
  return budget < MIN_BUDGET ? null : { type: 'enabled', budget_tokens: budget };
}

/** `MAX_THINKING_TOKENS`: 0 turns thinking off, a number sets a budget, nothing leaves it to the model. */
export function thinkingFromEnv(value: string | undefined): ThinkingMode {
  const tokens = /^\d+$/.test(value?.trim() ?? '') ? Number(value) : null;
  if (tokens === null) return 'adaptive';
  return tokens === 0 ? 'disabled' : { budgetTokens: tokens };
}
