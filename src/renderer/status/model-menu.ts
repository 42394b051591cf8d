import type { ThinkingMode } from '../../shared/agent-event';
import { err, ok, type Result } from '../../shared/result';
import type { ModelChoice } from '../../shared/settings';

/** The ways of thinking that the menu offers. */
export type ThinkingChoice = 'adaptive' | 'disabled' | 'budget';

/** The thinking section of the menu for one model. */
export interface ThinkingMenu {
  /** Empty when the model leaves no choice. */
  readonly options: readonly { readonly value: ThinkingChoice; readonly label: string }[];
  /** The one that is really asked for. */
  readonly used: ThinkingChoice;
  /** Says what that means, or why there is no choice. */
  readonly note: string;
}

const ADAPTIVE = { value: 'adaptive', label: 'Adaptive' } as const;
const OFF = { value: 'disabled', label: 'Off' } as const;
const BUDGET = { value: 'budget', label: 'Budget' } as const;

/** Returns what a model offers for its thinking, and what becomes of the wish; null: nobody chose. */
export function thinkingMenu(
  model: ModelChoice | undefined,
  wished: ThinkingMode | null,
): ThinkingMenu {
  const thinking = model?.thinking;
  if (thinking === undefined) {
    const note = 'Lathe does not know how this model thinks and leaves it to the model.';
    return { options: [], used: 'adaptive', note };
  }
  const isBudget = typeof wished === 'object' && wished !== null;
  if (!thinking.adaptive) {
    return isBudget
      ? { options: [OFF, BUDGET], used: 'budget', note: 'At most this many tokens of thinking.' }
      : { options: [OFF, BUDGET], used: 'disabled', note: AT_ONCE };
  }
  if (thinking.off === 'never') {
    const note = 'This model always thinks, as much as the task needs.';
    return { options: [], used: 'adaptive', note };
  }
  const less = thinking.off === 'disabled' ? OFF : { ...OFF, label: 'Only between calls' };
  const options = [ADAPTIVE, less];
  if (wished === 'disabled') {
    const note = thinking.off === 'disabled' ? AT_ONCE : LEAST;
    return { options, used: 'disabled', note };
  }
  const note = isBudget
    ? 'As much as the task needs: this model takes no budget.'
    : 'As much as the task needs.';
  return { options, used: 'adaptive', note };
}

const AT_ONCE = 'Answers at once, without thinking.';
const LEAST = 'The least this model can do: it thinks between tool calls only.';

/** The budget that is set when somebody chooses one, as far as an answer usually has room for it. Tokens. */
export const USUAL_BUDGET = 4000;

/** The least budget the API takes. Tokens. */
const MIN_BUDGET = 1024;

/** The kinds of amounts in the menu. */
export type Amount = 'turns' | 'dollars' | 'tokens';

/** Reads what was typed as an amount; null for an empty limit. The error says what is expected. */
export function readAmount(kind: Amount, typed: string): Result<number | null, string> {
  const text = typed.trim().replace(/^\$\s*/, '');
  if (text === '' && kind !== 'tokens') return ok(null);
  if (kind === 'dollars') {
    // To some 1,000 is a thousand, and to others 1.000.
    const [whole, groups] = /^([1-9]\d{0,2})[.,](\d{3})$/.exec(text)?.slice(1) ?? [];
    if (groups !== undefined)
      return err(`Enter ${whole}${groups} or ${whole}.${groups.slice(0, 2)}.`);
    const dollars = /^\d{1,6}([.,]\d{1,4})?$/.test(text) ? Number(text.replace(',', '.')) : 0;
    return dollars > 0 ? ok(dollars) : err('Enter an amount such as 2.50, or nothing.');
  }
  const least = kind === 'turns' ? 1 : MIN_BUDGET;
  const whole = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (whole >= least) return ok(whole);
  return err(
    kind === 'turns'
      ? 'Enter a whole number from 1 on, or nothing.'
      : `Enter a whole number from ${MIN_BUDGET} on.`,
  );
}
