import { z } from 'zod';
import { ThinkingMode } from './agent-event';
import type { RuleSource } from './permission';

/** The defaults of new sessions. */
export interface DefaultValues {
  readonly model: string;
  readonly effort: string;
  readonly thinking: ThinkingMode;
  readonly maxTurns: number;
  readonly maxBudgetUsd: number;
  readonly maxDailyBudgetUsd: number;
}

/** One of them: as the user's own settings have it, null for not at all, and what goes before that. */
export interface DefaultSetting<T> {
  readonly own: T | null;
  readonly overruled?: {
    readonly value: T;
    readonly source: RuleSource;
    readonly file: string;
  };
}

/** All of them, for one project. */
export type AgentDefaults = {
  readonly [K in keyof DefaultValues]: DefaultSetting<DefaultValues[K]>;
};

/** A change of the user's own settings; null takes a setting out. */
export const DefaultsChange = z
  .object({
    model: z.string().min(1).max(200).nullable(),
    effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullable(),
    thinking: ThinkingMode.nullable(),
    maxTurns: z.number().int().min(1).max(1_000_000).nullable(),
    maxBudgetUsd: z.number().positive().max(1_000_000).nullable(),
    maxDailyBudgetUsd: z.number().positive().max(1_000_000).nullable(),
  })
  .partial();
export type DefaultsChange = z.infer<typeof DefaultsChange>;
