import type { Usage } from './message';

/** The money and requests of one name: a session, a model, a kind of agent, a use. */
export interface CostRow {
  readonly name: string;
  /** The folder of a session's project; of sessions only. */
  readonly project?: string;
  readonly usd: number;
  readonly requests: number;
}

/** The cost of one day, over all sessions and processes; the dearest rows first. */
export interface DayCosts {
  /** `2026-11-23`, in the time zone of this machine. */
  readonly day: string;
  readonly usd: number;
  readonly requests: number;
  readonly usage: Usage;
  /** Dollars in the sixty minutes before. */
  readonly lastHourUsd: number;
  /** Dollars by hour of the day, from 0 on. */
  readonly byHour: readonly number[];
  readonly bySession: readonly CostRow[];
  readonly byModel: readonly CostRow[];
  readonly byAgent: readonly CostRow[];
  /** By what the requests were for: answers, a tool, something beside the conversation. */
  readonly byUse: readonly CostRow[];
  /** The reasons why the prompt cache could not be used, the most frequent first. */
  readonly misses: readonly { readonly reason: string; readonly count: number }[];
}

/** The costs of today and of the days before it. */
export interface CostView {
  readonly today: DayCosts;
  /** Oldest first, today last; days without costs are in it too. */
  readonly days: readonly { readonly day: string; readonly usd: number }[];
  /** The limit of a day in dollars, raised for today or not; null: none. */
  readonly limitUsd: number | null;
  /** Dollars by which the limit was raised for today. */
  readonly raisedUsd: number;
}
