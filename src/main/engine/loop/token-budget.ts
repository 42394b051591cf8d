/** The share from which on a budget counts as spent. docs/spec.md A7. */
const BUDGET_DONE_SHARE = 0.9;
/** The gain below which a nudge, twice in a row, brings nothing more. Tokens. */
const SMALL_GAIN_TOKENS = 500;
/** Gains are only judged once this many nudges were given. */
const NUDGES_BEFORE_JUDGING = 3;

const UNITS: Readonly<Record<string, number>> = { k: 1_000, m: 1_000_000 };

/**
 * Finds the token budget that a prompt asks for, or null: "use 500k tokens", "spend about 1.5M tokens", or "+500k"
 * at its beginning or end. Tokens of output.
 */
export function parseTokenBudget(prompt: string): number | null {
  const asked =
    /\b(?:use|spend)\s+(?:up\s+to\s+|about\s+|around\s+|at\s+least\s+)?(\d[\d,]*(?:\.\d+)?)\s*([km])?\s*tokens?\b/i.exec(
      prompt,
    ) ?? /(?:^\s*|\s)\+(\d+(?:\.\d+)?)([km])(?=\s*$)|^\s*\+(\d+(?:\.\d+)?)([km])\b/i.exec(prompt);
  if (asked === null) return null;
  const digits = asked[1] ?? asked[3] ?? '';
  const unit = (asked[2] ?? asked[4] ?? '').toLowerCase();
  const tokens = Math.round(Number(digits.replaceAll(',', '')) * (UNITS[unit] ?? 1));
  return Number.isSafeInteger(tokens) && tokens > 0 ? tokens : null;
}

/** The progress of a query with its budget. Never changed, only replaced. */
export interface BudgetProgress {
  /** Output tokens wished for. */
  readonly budget: number;
  /** Nudges given so far. */
  readonly nudges: number;
  /** Output tokens when the last nudge was given. */
  readonly spentAtNudge: number;
  /** Output tokens the last nudge brought; null before the second one. */
  readonly lastGain: number | null;
}

/** Creates the progress at the beginning. */
export const startBudget = (budget: number): BudgetProgress => ({
  budget,
  nudges: 0,
  spentAtNudge: 0,
  lastGain: null,
});

/**
 * Decides whether the model, done by its own judgement, is asked to go on. Returns the progress after the nudge; null when
 * the budget is about spent or nudges no longer bring anything. Pure.
 */
export function nudge(progress: BudgetProgress, spent: number): BudgetProgress | null {
  if (spent >= progress.budget * BUDGET_DONE_SHARE) return null;
  const gain = spent - progress.spentAtNudge;
  const diminishing =
    progress.nudges >= NUDGES_BEFORE_JUDGING &&
    gain < SMALL_GAIN_TOKENS &&
    (progress.lastGain ?? Number.POSITIVE_INFINITY) < SMALL_GAIN_TOKENS;
  if (diminishing) return null;
  return { ...progress, nudges: progress.nudges + 1, spentAtNudge: spent, lastGain: gain };
}

/** Returns the words for the model with a prompt that names a budget. */
export const budgetText = (budget: number): string =>
  `The user gives this work a budget of ${budget} output tokens. Plan for about that much: go deep where it pays, check thoroughly, and do not stop at the first result.`;

/** Returns what the API is to count down: the whole budget, or what was left when it lost count at a summary. */
export const taskBudget = (
  { budget }: BudgetProgress,
  spentAtSummary: number | null,
): { readonly total: number; readonly remaining?: number } => ({
  total: budget,
  ...(spentAtSummary === null ? {} : { remaining: Math.max(0, budget - spentAtSummary) }),
});

/** Returns the words for the model when it would stop too early. */
export function nudgeText({ budget }: BudgetProgress, spent: number): string {
  const percent = Math.floor((spent / budget) * 100);
  return `The user gave this work a budget of ${budget} tokens; ${spent} (${percent} %) are used. There is room to do more: check what you did, go deeper, do what is still missing. Do not sum up yet.`;
}
