import type { AgentEvent, QueuedPrompt, Stamped } from '../../../shared/agent-event';
import type { Message } from '../../../shared/message';
import type { PermissionDenial } from '../../../shared/permission';
import type { ModelClient, ModelRequest } from '../model/model-client';
import type { Clock, Ids } from '../ports';
import type { CallExecutor } from '../tools/streaming-executor';

/** A fact for the model, computed between turns. */
export interface Attachment {
  readonly kind: string;
  readonly text: string;
}

/** Everything a query needs from outside (SPEC A3). Production and tests differ only here. */
export interface QueryDeps {
  readonly model: ModelClient;
  /** Context, prompt, tools and normalised messages for the next request. */
  readonly buildRequest: (
    history: readonly Message[],
    signal: AbortSignal,
  ) => Promise<ModelRequest>;
  readonly createExecutor: (emit: (event: AgentEvent) => void, signal: AbortSignal) => CallExecutor;
  /** Records an event in the session: numbered, kept when durable, folded into the history. */
  readonly record: (event: AgentEvent) => Stamped;
  /** The history that the recorded events amount to. */
  readonly history: () => readonly Message[];
  /** Facts that came up since the last turn; each is given once. Never fails. */
  readonly attachments: () => Promise<readonly Attachment[]>;
  /** Prompts to be put in between turns; each is given once. */
  readonly takeQueued: () => readonly QueuedPrompt[];
  readonly queuedCount: () => number;
  readonly contextWindow: (model: string) => number;
  /** Calls refused so far in this query. */
  readonly denials: () => readonly PermissionDenial[];
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Limits of one query. */
export interface QueryLimits {
  readonly maxTurns: number | null;
  readonly maxBudgetUsd: number | null;
}
