import type { AgentEvent, QueuedPrompt, Stamped } from '../../../shared/agent-event';
import type { QueryFacts } from '../../../shared/facts';
import type { PermissionDenial } from '../../../shared/permission';
import type { DeferredCall } from '../../../shared/tool-call';
import type { Attachment } from '../attachments/attachment';
import type { CompactDeps } from '../context/compact';
import type { ContextLayer } from '../context/layer';
import type { ContextFacts } from '../context/limits';
import type { History } from '../messages/history';
import type { CallExecutor } from '../tools/streaming-executor';
import type { SettledCall } from './batch';
import type { Failure } from './failure';
import type { UniqueIds } from './turn-reader';

/** Whether a person's words go to the model, with what goes along; if not, why. */
export type Admission =
  | { readonly kind: 'in'; readonly contexts: readonly string[] }
  | { readonly kind: 'kept_out'; readonly reason: string };

/** Asks about words of a person (null: a query without any begins) before they are written down. */
export type Admit = (
  prompt: { readonly id: string; readonly text: string } | null,
  signal: AbortSignal,
) => Promise<Admission>;

/** What stop hooks say when the model is done (SPEC A4). */
export type StopVerdict =
  | { readonly kind: 'pass' }
  /** The model goes on; `message` goes back to it. */
  | { readonly kind: 'block'; readonly message: string }
  /** The query ends here, whatever the budget says; `reason` is for the person. */
  | { readonly kind: 'prevent'; readonly reason: string };

/** What stop hooks are told. */
export interface StopFacts {
  /** The model's last words. */
  readonly text: string;
  /** The model already goes on because a stop hook blocked its end. */
  readonly stopHookActive: boolean;
}

/** Tells hooks about all calls of a response; why the query is to end, or null. Never fails. */
export type BatchHooks = (
  calls: readonly SettledCall[],
  signal: AbortSignal,
) => Promise<string | null>;

/** Tells hooks that the API failed; `message` is what the person reads. Never fails. */
export type FailureHooks = (
  failure: Failure & { readonly message: string },
  signal: AbortSignal,
) => Promise<void>;

/** Everything a query needs from outside (SPEC A3). Production and tests differ only here. */
export interface QueryDeps extends CompactDeps, ContextFacts {
  /** `byPerson`: a person typed the call themselves, so that nobody is asked and no hook judges it. */
  readonly createExecutor: (
    emit: (event: AgentEvent) => void,
    signal: AbortSignal,
    options?: { readonly byPerson: boolean },
  ) => CallExecutor;
  /** What the running query has used, its sub-agents and requests beside the conversation included. */
  readonly facts: () => QueryFacts;
  /** Records an event in the session: numbered, kept when durable, folded into the history. */
  readonly record: (event: AgentEvent) => Stamped;
  /** Resolves when whoever follows the events keeps up: a slow consumer slows the query. */
  readonly room: () => Promise<void>;
  /** Returns the history that the recorded events amount to, as it is to be sent. */
  readonly history: History['messages'];
  readonly cuts: History['cuts'];
  /** Ids for answers and calls that no other of this history has. */
  readonly uniqueIds: UniqueIds;
  /** Facts that came up since the last turn; each is given once. Never fails. */
  readonly attachments: (signal: AbortSignal) => Promise<readonly Attachment[]>;
  /** Prompts to be put in between turns; each is given once. */
  readonly takeQueued: () => readonly QueuedPrompt[];
  readonly queuedCount: () => number;
  /** Begins a turn: the signal aborts when the person cuts it, or the query. */
  readonly startTurn: (query: AbortSignal) => AbortSignal;
  /** Absent: everything a person says goes in. Never fails. */
  readonly admit?: Admit | undefined;
  /** Asks the stop hooks. Never fails. */
  readonly stopHooks: (facts: StopFacts, signal: AbortSignal) => Promise<StopVerdict>;
  /** Absent: nobody is told. */
  readonly batchHooks?: BatchHooks | undefined;
  readonly failureHooks?: FailureHooks | undefined;
  /** The call that was put off in this query. */
  readonly deferred: () => DeferredCall | null;
  readonly putOff: (call: DeferredCall) => void;
  /** Whether a tool can be used now. */
  readonly offers: (tool: string) => boolean;
  /** Why a hook wants the query to end, when one said so since the last time; null otherwise. */
  readonly takeHookStop: () => string | null;
  /** The layers of the context, in the order in which they run. */
  readonly layers: readonly ContextLayer[];
  /** Calls refused so far in this query. */
  readonly denials: () => readonly PermissionDenial[];
}
