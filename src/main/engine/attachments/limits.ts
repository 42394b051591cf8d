import type { Message } from '../../../shared/message';
import type { Attachment, CollectContext, Collector } from './attachment';
import { BUDGET_LEVELS, CONTEXT_LEVELS, levelReached, turnsLeftToTell } from './cadence';

/** Tells the model when the context window, the money or the turns of a query come to their end. */
export const createLimitNotices = (): Collector => ({
  name: 'limits',
  collect: (context) =>
    [contextNotice(context), budgetNotice(context), turnsNotice(context)]
      .filter((attachment) => attachment !== null)
      .map((attachment) => ({ attachment })),
});

const CONTEXT = 'context_usage';
const BUDGET = 'budget';
const TURNS = 'turns_left';

/** Once per level between two compactions. */
export function contextNotice({ history, windowTokens }: CollectContext): Attachment | null {
  const used = usedTokens(history);
  if (used === null || windowTokens <= 0) return null;
  const level = levelReached(used / windowTokens, CONTEXT_LEVELS, toldLevels(history, CONTEXT, ''));
  if (level === null) return null;
  return {
    kind: CONTEXT,
    about: String(level),
    text: `About ${percent(used / windowTokens)} of the context window is used (${used} of ${windowTokens} tokens). Before it is full the conversation is summarised by itself; nothing needs to be hurried. Keep the todo list true, and read only what you need.`,
  };
}

/** Once per level in a query. */
export function budgetNotice({ history, query }: CollectContext): Attachment | null {
  const { maxBudgetUsd, spentUsd, queryId } = query;
  if (maxBudgetUsd === null || maxBudgetUsd <= 0) return null;
  const part = spentUsd / maxBudgetUsd;
  const level = levelReached(part, BUDGET_LEVELS, toldLevels(history, BUDGET, `${queryId} `));
  if (level === null) return null;
  return {
    kind: BUDGET,
    about: `${queryId} ${level}`,
    text: `${percent(part)} of the money for this query is spent ($${spentUsd.toFixed(2)} of $${maxBudgetUsd.toFixed(2)}); at the limit it is stopped. Bring the work into a state that can be used, and say what is left.`,
  };
}

/** Once in a query. */
export function turnsNotice({ history, query }: CollectContext): Attachment | null {
  const left = turnsLeftToTell(query.turns, query.maxTurns);
  if (left === null) return null;
  const told = history.some(
    (m) => m.role === 'attachment' && m.kind === TURNS && m.about === query.queryId,
  );
  if (told) return null;
  const turns = left === 1 ? 'This is the last answer' : `${left} answers are left`;
  return {
    kind: TURNS,
    about: query.queryId,
    text: `${turns} before this query reaches its limit of ${query.maxTurns} turns and is stopped. Bring the work into a state that can be used, and say what is left.`,
  };
}

/** Tokens of the last request and its answer; null when none was made since the last compaction. */
function usedTokens(history: readonly Message[]): number | null {
  const [first] = history;
  const kept = first?.role === 'boundary' ? first.keptUntil : undefined;
  const from = kept === undefined ? 0 : history.findIndex((m) => m.id === kept) + 1;
  const last = history.slice(from).findLast((m) => m.role === 'assistant' && m.usage !== undefined);
  if (last?.role !== 'assistant' || last.usage === undefined) return null;
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = last.usage;
  return inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens;
}

function toldLevels(
  history: readonly Message[],
  kind: string,
  prefix: string,
): ReadonlySet<number> {
  const levels = history.flatMap((m) =>
    m.role === 'attachment' && m.kind === kind && m.about?.startsWith(prefix)
      ? [Number(m.about.slice(prefix.length))]
      : [],
  );
  return new Set(levels.filter(Number.isFinite));
}

const percent = (part: number): string => `${Math.floor(part * 100)} %`;
