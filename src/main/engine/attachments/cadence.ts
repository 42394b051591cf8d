import type { Message } from '../../../shared/message';

/** docs/spec.md B6: answers of the model between two reminders of its mode, and how many until the next full one. */
const MODE_EVERY = 5;
const MODE_FULL_EVERY = 5;

/** Answers without touching the todo list, and between two reminders of it. */
const TODO_EVERY = 10;

/** Parts of the window at which the model is told; above the last one Lathe compacts. */
export const CONTEXT_LEVELS: readonly number[] = [0.7, 0.85];

/** Parts of a query's money at which the model is told. */
export const BUDGET_LEVELS: readonly number[] = [0.8, 0.95];

/** Queries with fewer turns than this are not told how many are left: they know what they are. */
const MIN_TURNS_TOLD = 5;
const LAST_PART_OF_TURNS = 0.1;

/** Returns how many answers came after the last message that fits; null when none fits. */
export function answersSince(
  history: readonly Message[],
  fits: (message: Message) => boolean,
): number | null {
  const at = history.findLastIndex(fits);
  if (at < 0) return null;
  return history.slice(at + 1).filter((message) => message.role === 'assistant').length;
}

/**
 * Decides whether to remind of the mode. `said` counts the reminders since the mode began, `answers` the answers since
 * the last of them. The first is full, and so is every fifth after it.
 */
export function modeReminder(said: number, answers: number): 'full' | 'short' | null {
  if (said === 0) return 'full';
  if (answers < MODE_EVERY) return null;
  return said % MODE_FULL_EVERY === 0 ? 'full' : 'short';
}

/**
 * Decides whether to remind of a todo list. Answers are counted since it was written and since the last reminder; null
 * means that neither is in what the model still sees.
 */
export function todoReminderDue(
  openItems: number,
  sinceWrite: number | null,
  sinceReminder: number | null,
): boolean {
  if (openItems === 0) return false;
  if (sinceWrite === null && sinceReminder === null) return true;
  return (sinceWrite ?? TODO_EVERY) >= TODO_EVERY && (sinceReminder ?? TODO_EVERY) >= TODO_EVERY;
}

/** Returns the highest level that a part (0 … 1) has reached and that was not told yet; null when there is none. */
export function levelReached(
  part: number,
  levels: readonly number[],
  told: ReadonlySet<number>,
): number | null {
  const highest = levels.findLast((level) => part >= level);
  const toldUpTo = Math.max(0, ...told);
  return highest === undefined || highest <= toldUpTo ? null : highest;
}

/** Returns how many turns are left, when that is worth telling: in the last tenth, at least before the last one. */
export function turnsLeftToTell(turns: number, maxTurns: number | null): number | null {
  if (maxTurns === null || maxTurns < MIN_TURNS_TOLD) return null;
  const left = maxTurns - turns;
  return left <= Math.max(1, Math.floor(maxTurns * LAST_PART_OF_TURNS)) ? left : null;
}
