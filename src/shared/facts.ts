import { z } from 'zod';
import { Usage } from './message';

/** No tokens. */
export const NO_USAGE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
};

/** Sums two usages. */
const addUsage = (a: Usage, b: Usage): Usage => ({
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
  cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
});

/** Tokens and money of some requests. */
export const Spend = z.object({
  usage: Usage,
  costUsd: z.number(),
  requests: z.number(),
});
export type Spend = z.infer<typeof Spend>;

const NO_SPEND: Spend = { usage: NO_USAGE, costUsd: 0, requests: 0 };

/** Sums two spends. */
export const addSpend = (a: Spend, b: Spend): Spend => ({
  usage: addUsage(a.usage, b.usage),
  costUsd: a.costUsd + b.costUsd,
  requests: a.requests + b.requests,
});

/** Spends by a name: of a model, a tool, an agent. */
export type Spends = Readonly<Record<string, Spend>>;

/** Sums spends name by name. */
const addSpends = (a: Spends, b: Spends): Spends => {
  // A server names its models: `constructor` is one, too.
  const sums = new Map(Object.entries(a));
  for (const [name, spend] of Object.entries(b))
    sums.set(name, addSpend(sums.get(name) ?? NO_SPEND, spend));
  return Object.fromEntries(sums);
};

/** Returns what is in `after` and not in `before`, name by name. */
export const spendsSince = (before: Spends, after: Spends): Spends =>
  addSpends(after, mapSpends(before, negative));

const negative = ({ usage, costUsd, requests }: Spend): Spend => ({
  usage: {
    inputTokens: -usage.inputTokens,
    outputTokens: -usage.outputTokens,
    cacheReadTokens: -usage.cacheReadTokens,
    cacheWriteTokens: -usage.cacheWriteTokens,
  },
  costUsd: -costUsd,
  requests: -requests,
});

const mapSpends = (spends: Spends, change: (spend: Spend) => Spend): Spends =>
  Object.fromEntries(Object.entries(spends).map(([name, spend]) => [name, change(spend)]));

/** Returns the sum of all spends. */
export const totalSpend = (spends: Spends): Spend =>
  Object.values(spends).reduce(addSpend, NO_SPEND);

/** The spend of a session: the one sum that window, limits, results and reports go by. */
export interface Costs {
  readonly total: Spend;
  readonly byModel: Spends;
  /** By agent id, sub-agents of an agent not counted in. */
  readonly byAgent: Readonly<Record<string, Spends>>;
  /** The spend of tools on requests of their own; sub-agents count as the tool `Agent`. */
  readonly byTool: Spends;
}

export const NO_COSTS: Costs = { total: NO_SPEND, byModel: {}, byAgent: {}, byTool: {} };

/** Costs that spends are added to, each at the same cost however many agents there are. */
export interface CostFold {
  /** Adds what one agent spent on one or more models. `tool`: the tool that spent it, if one did. */
  add(agentId: string, spent: Spends, tool?: string): void;
  /**
   * Returns the part of an ended sub-agent's spend that is not in the costs yet: nothing for one that was followed live,
   * all of it for one that a log tells of.
   */
  missing(agentId: string, spend: Spends): Spends;
  /** Returns the costs so far. Later spends do not touch what was given out. */
  costs(): Costs;
}

/** Creates a fold of costs that begins with `start`. */
export function foldCosts(start: Costs): CostFold {
  let given: Costs | null = start;
  let { total, byModel, byTool } = start;
  let agents: Map<string, Spends> | null = null;
  const byAgent = () => {
    agents ??= new Map(Object.entries(start.byAgent));
    return agents;
  };
  return {
    add: (agentId, spent, tool) => {
      const sum = totalSpend(spent);
      given = null;
      total = addSpend(total, sum);
      byModel = addSpends(byModel, spent);
      byAgent().set(agentId, addSpends(byAgent().get(agentId) ?? {}, spent));
      if (tool !== undefined) byTool = addSpends(byTool, { [tool]: sum });
    },
    missing: (agentId, spend) =>
      Object.fromEntries(
        Object.entries(spendsSince(byAgent().get(agentId) ?? {}, spend)).filter(
          ([, { requests }]) => requests > 0,
        ),
      ),
    costs: () => {
      given ??= { total, byModel, byAgent: Object.fromEntries(byAgent()), byTool };
      return given;
    },
  };
}

/** The progress of one query of an agent. Its sub-agents' spend is counted in. */
export interface QueryFacts {
  readonly queryId: string;
  /** The first prompt it answers; null when it goes on without one. */
  readonly promptId: string | null;
  readonly spend: Spend;
  /** The turn it is in; 0 before the first. */
  readonly turn: number;
  /** Milliseconds of requests beside the conversation. */
  readonly sideMs: number;
  /** Output tokens spent when the conversation was summarised last; null while it was not. */
  readonly outputAtSummary: number | null;
}

/** Returns the facts of a query in which nothing has happened. */
export const newQueryFacts = (queryId: string): QueryFacts => ({
  queryId,
  promptId: null,
  spend: NO_SPEND,
  turn: 0,
  sideMs: 0,
  outputAtSummary: null,
});
