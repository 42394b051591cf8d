import type { AgentEvent, QueryLimits } from '../../../shared/agent-event';
import type { Message } from '../../../shared/message';
import type { PermissionDenial } from '../../../shared/permission';
import type { QueuedPrompt } from '../../../shared/queued-prompt';
import type { DeferredCall } from '../../../shared/tool-call';
import type { AgentConfig, AgentState } from '../agent-state';
import type { Attachment } from '../attachments/attachment';
import type { AutocompactChoice } from '../context/autocompact';
import type { CompactDeps, CompactHooks } from '../context/compact';
import type { ContextLayer } from '../context/layer';
import type { InputPrices } from '../cost/price';
import type { EventLog } from '../event-log';
import type {
  Admit,
  BatchHooks,
  FailureHooks,
  QueryDeps,
  StopAnswer,
  StopFacts,
} from '../loop/query-deps';
import type { CallIds } from '../messages/unique-ids';
import type { ModelClient, ModelRequest } from '../model/model-client';
import type { Clock, Ids } from '../ports';
import type { CallExecutor } from '../tools/streaming-executor';

/** The callbacks that the engine gives the executor of one response. */
export interface ExecutorHooks {
  readonly emit: (event: AgentEvent) => void;
  readonly onDenied: (denial: PermissionDenial) => void;
  /** A hook of a call wants the query to end, and why. */
  readonly onHookStop: (reason: string) => void;
  /** A hook put a call off. */
  readonly onDeferred: (call: DeferredCall) => void;
  readonly signal: AbortSignal;
  /** A user typed the call themselves: nobody is asked and no hook judges it. */
  readonly byUser: boolean;
}

/** The money that counts against limits: all since the session was opened, or since the user lifted the limit. */
export interface Spending {
  /** In dollars, sub-agents included. */
  usd(): number;
  /** Returns the dollars that are left of the limits; null: there is none. Below 0 when more was spent. */
  left(): number | null;
  /** Returns which limit is reached. */
  reached(): 'session' | 'day' | null;
  /** Learns what other processes spent; null when that does not count. */
  refresh(): Promise<void> | null;
  /** Returns the words for a user when nothing is left. */
  why(): string;
  /** Lifts the limits that are reached: counts from nothing again, and raises that of the day by itself. */
  restart(): void;
}

/** Creates a count that begins now, of what a growing sum adds. `total`: dollars. */
export function countSpending(total: () => number): Pick<Spending, 'usd' | 'restart'> {
  let before = total();
  return {
    usd: () => total() - before,
    restart: () => {
      before = total();
    },
  };
}

export interface QueryEngineOptions {
  readonly state: AgentState;
  /** Calls back with everything that happens in the session; gives a function that ends it. */
  readonly listen: EventLog['listen'];
  /** The money that counts against the limit. */
  readonly spending: Spending;
  /** The calls that were refused in the session so far. */
  readonly denials: () => readonly PermissionDenial[];
  /** The limits that hold for a query that begins now. */
  readonly limits: () => QueryLimits;
  readonly model: ModelClient;
  readonly buildRequest: (
    history: readonly Message[],
    config: AgentConfig,
    signal: AbortSignal,
  ) => Promise<ModelRequest>;
  readonly createExecutor: (hooks: ExecutorHooks) => CallExecutor;
  /** Facts to tell the model before its next turn; each is given once. Never fails. */
  readonly attachments: (
    history: readonly Message[],
    signal: AbortSignal,
  ) => Promise<readonly Attachment[]>;
  readonly contextWindow: (model: string) => number;
  readonly inputPrices: (model: string) => InputPrices;
  /** The most output tokens that may be asked of a model. */
  readonly maxOutput: (model: string) => number;
  /** Returns the window that summaries are made for, if not the model's. */
  readonly autocompact?: () => AutocompactChoice;
  /** The layers of the context, in the order in which they run. */
  readonly layers: readonly ContextLayer[];
  /** Asks the stop hooks when the model is done; never fails. Default: there are none. */
  readonly stopHooks?: (facts: StopFacts, signal: AbortSignal) => Promise<StopAnswer>;
  /** Lets a user's words in, or says why not; never fails. Absent: everything goes in. */
  readonly admit?: Admit;
  /** Told of all calls of a response, and of failures of the API; never fail. Default: nobody. */
  readonly batchHooks?: BatchHooks;
  readonly failureHooks?: FailureHooks;
  /** Decides what is shown of answers. Default: all of them, as they come. */
  readonly display?: QueryDeps['display'];
  /** A deferred call when the session was open last. */
  readonly deferred?: DeferredCall | null;
  /** The prompts that waited when the session was open last. */
  readonly waiting?: readonly QueuedPrompt[] | undefined;
  /** Returns whether a tool can be used now. Default: all can. */
  readonly offers?: (tool: string) => boolean;
  /** The hooks that are asked before a summary and told after it. Default: none. */
  readonly compactHooks?: CompactHooks;
  /** Returns what goes back into the conversation behind a summary (docs/spec.md F5). Default: nothing. */
  readonly restore?: CompactDeps['restore'];
  /** The ids of the calls of all agents of the session. */
  readonly callIds: CallIds;
  readonly clock: Clock;
  readonly ids: Ids;
}
