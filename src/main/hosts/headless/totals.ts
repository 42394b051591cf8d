import type { DurableEvent } from '../../../shared/agent-event';
import type { Usage } from '../../../shared/message';
import { addUsage, NO_USAGE } from '../../../shared/transcript';
import type { Json } from './api-shape';

/** What this process has spent, for results. */
export interface Totals {
  readonly usage: Usage;
  readonly costUsd: number;
  readonly byModel: Readonly<Record<string, { readonly usage: Usage; readonly costUsd: number }>>;
}

export const NO_TOTALS: Totals = { usage: NO_USAGE, costUsd: 0, byModel: {} };

/** Adds one finished answer, of the conversation or beside it. */
export function addAnswer(
  totals: Totals,
  answer: Extract<DurableEvent, { type: 'message_finished' | 'side_call' }>,
): Totals {
  const known = totals.byModel[answer.model] ?? { usage: NO_USAGE, costUsd: 0 };
  return {
    usage: addUsage(totals.usage, answer.usage),
    costUsd: totals.costUsd + answer.costUsd,
    byModel: {
      ...totals.byModel,
      [answer.model]: {
        usage: addUsage(known.usage, answer.usage),
        costUsd: known.costUsd + answer.costUsd,
      },
    },
  };
}

/** `modelUsage` of a result, as Claude Code names its fields. */
export const modelUsage = (totals: Totals): Json =>
  Object.fromEntries(
    Object.entries(totals.byModel).map(([model, { usage, costUsd }]) => [
      model,
      {
        inputTokens: usage.inputTokens,
        outputTokens: usage.outputTokens,
        cacheReadInputTokens: usage.cacheReadTokens,
        cacheCreationInputTokens: usage.cacheWriteTokens,
        costUSD: costUsd,
      },
    ]),
  );
