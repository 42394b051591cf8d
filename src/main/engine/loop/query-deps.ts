import type { AgentEvent, Stamped } from '../../../shared/agent-event';
import type { QueryFacts } from '../../../shared/facts';
import type { PermissionDenial } from '../../../shared/permission';
import type { QueuedPrompt } from '../../../shared/queued-prompt';
import type { DeferredCall } from '../../../shared/tool-call';
import type { Attachment } from '../attachments/attachment';
import type { ContextLayer, LayerDeps } from '../context/layer';
import type { ContextFacts } from '../context/limits';
import type { InputPrices } from '../cost/price';
import type { MessageDisplay } from '../hooks/message-display';
import type { History, SettledCall } from '../messages/history';
import type { UniqueIds } from '../messages/unique-ids';
import type { CallExecutor } from '../tools/streaming-executor';

/** The answer to whether a user's words may go to the model, with what goes along; if not, why. */
export type PromptAdmission =
  | {
      readonly kind: 'admitted';
      readonly contexts: readonly string[];
      /** Words that stand in front of the prompt. */
      readonly openings?: readonly string[];
    }
  | { readonly kind: 'refused'; readonly reason: string };

/** Asks about words of a user (null: a query without any begins) before they are written down. */
export type Admit = (
  prompt: { readonly id: string; readonly text: string } | null,
  signal: AbortSignal,
) => Promise<PromptAdmission>;

/** The answer of stop hooks when the model is done (docs/spec.md A4). */
export type StopAnswer =
  | { readonly kind: 'pass' }
  /** The model goes on; `message` goes back to it. */
  | { readonly kind: 'block'; readonly message: string }
  /** The query ends here, whatever the budget says; `reason` is for the user. */
  | { readonly kind: 'prevent'; readonly reason: string };

/** The facts that stop hooks are told. */
export interface StopFacts {
  /** The model's last words. */
  readonly text: string;
  /** The model already goes on because a stop hook blocked its end. */
  readonly stopHookActive: boolean;
}

/** Tells hooks about all calls of a response. Returns why the query is to end, or null. Never fails. */
export type BatchHooks = (
  calls: readonly SettledCall[],
  signal: AbortSignal,
) => Promise<string | null>;

/** The reason a query could not go on: `kind` as hooks name it (docs/hooks.md), and the words of the API. */
export interface Failure {
  readonly kind: string;
  readonly details: string;
}

/** Tells hooks that the API failed; `message` is what the user reads. Never fails. */
export type FailureHooks = (
  failure: Failure & { readonly message: string },
  signal: AbortSignal,
) => Promise<void>;

/** A wait for the next try of a request: until when, epoch milliseconds, and why. */
export interface LongWait {
  readonly until: number;
  readonly reason: string;
}

/** Everything a query needs from outside (docs/spec.md A3). Production and tests differ only here. */
export interface QueryDeps extends LayerDeps, ContextFacts {
  /** `byUser`: a user typed the call themselves, so that nobody is asked and no hook judges it. */
  readonly createExecutor: (
    emit: (event: AgentEvent) => void,
    signal: AbortSignal,
    options?: { readonly byUser: boolean },
  ) => CallExecutor;
  /** Returns what the running query has used, its sub-agents and requests beside the conversation included. */
  readonly facts: () => QueryFacts;
  /** Returns the dollars that count against the limit since the query began, by whichever agent they were spent. */
  readonly spentUsd: () => number;
  /** Returns the words for a user when that is all there was. */
  readonly outOfMoney: () => string;
  /** Records an event in the session: numbered, kept when durable, folded into the history. */
  readonly record: (event: AgentEvent) => Stamped;
  /** Waits so long (milliseconds), until the user hurries it, or until the signal aborts. Never fails. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Resolves when whoever follows the events keeps up: a slow consumer slows the query. */
  readonly room: () => Promise<void>;
  /** Returns the history that the recorded events amount to, as it is to be sent. */
  readonly history: History['messages'];
  readonly cuts: History['cuts'];
  /** Returns when the model answered last; epoch milliseconds, 0: never. */
  readonly answeredAt: () => number;
  readonly inputPrices: (model: string) => InputPrices;
  /** Ids for answers and calls that no other of this history has. */
  readonly uniqueIds: UniqueIds;
  /** Returns the facts that came up since the last turn; each is given once. Never fails. */
  readonly attachments: (signal: AbortSignal) => Promise<readonly Attachment[]>;
  /** Returns the prompts to be put in between turns; each is given once. */
  readonly takeQueued: () => readonly QueuedPrompt[];
  readonly queuedCount: () => number;
  /** Begins a turn. Its signal aborts when the user cuts it, or the query. */
  readonly startTurn: (query: AbortSignal) => AbortSignal;
  /** Absent: everything a user says goes in. Never fails. */
  readonly admit?: Admit | undefined;
  /** Asks the stop hooks. Never fails. */
  readonly stopHooks: (facts: StopFacts, signal: AbortSignal) => Promise<StopAnswer>;
  /** Absent: nobody is told. */
  readonly batchHooks?: BatchHooks | undefined;
  readonly failureHooks?: FailureHooks | undefined;
  /** Decides what is shown of answers. Absent: all of them, as they come. */
  readonly display?: Pick<MessageDisplay, 'holds' | 'settled'> | undefined;
  /** Returns the call that a hook deferred in this query. */
  readonly deferred: () => DeferredCall | null;
  readonly defer: (call: DeferredCall) => void;
  /** Tells whether a tool can be used now. */
  readonly offers: (tool: string) => boolean;
  /** Returns why a hook wants the query to end, when one said so since the last time; null otherwise. */
  readonly takeHookStop: () => string | null;
  /** The layers of the context, in the order in which they run. */
  readonly layers: readonly ContextLayer[];
  /** Returns the calls that were refused. */
  readonly denials: () => readonly PermissionDenial[];
}

/** Tells the model a fact that it reads with the next request. */
export const tell = (deps: QueryDeps, kind: string, text: string): Stamped =>
  deps.record({ type: 'attachment', id: deps.ids.next('att'), kind, text });

/** Says something to the model in the user's place; it is no prompt of a user. */
export const tellSynthetic = (deps: QueryDeps, text: string): Stamped =>
  deps.record({
    type: 'user_message',
    id: deps.ids.next('msg'),
    content: [{ type: 'text', text }],
    synthetic: true,
  });
