import type { AgentEvent, ThinkingMode } from '../../../shared/agent-event';
import type { AssistantBlock, ClearedByApi, Usage } from '../../../shared/message';
import type { Refusal } from '../../../shared/model-name';
import type { PlanLimits } from '../../../shared/plan-limits';
import type { StopReason } from '../../../shared/turn';

/** The mark at the end of a part that the API may cache. */
export interface CacheControl {
  readonly type: 'ephemeral';
}

export interface SystemText {
  readonly type: 'text';
  readonly text: string;
  readonly cache_control?: CacheControl;
}

/** A tool as the API wants it. `input_schema` is JSON Schema. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
  readonly cache_control?: CacheControl;
}

/** A message as the API wants it, made by `normalizeMessages`. */
export interface ApiMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Readonly<Record<string, unknown>>[];
}

/**
 * The messages as an API that clears by itself gets them, and what it is to clear. The counts are of what stays, since the
 * API knows no places: with each new call one more stays, so that the same results are cleared in every request.
 */
export interface Clearing {
  readonly messages: readonly ApiMessage[];
  /** The newest calls, whose results stay. */
  readonly keptCalls: number;
  /** The tools whose older results stay too, sorted. */
  readonly keptTools: readonly string[];
  /** The results that are to go, at least. */
  readonly results: number;
  /** The newest answers with thinking, which stays. */
  readonly keptThinking: number;
  /** The older answers with thinking. */
  readonly thinking: number;
}

/** Follows one request, for the debug log and for spans. */
export interface RequestTrace {
  /** Called when an attempt leaves, with its body. */
  sent(facts: Readonly<Record<string, unknown>>, body: Readonly<Record<string, unknown>>): void;
  /** Takes the end of an attempt. */
  ended(what: 'answer' | 'failure' | 'left', facts: Readonly<Record<string, unknown>>): void;
}

/** The form in which thinking comes: as a summary, or not at all. */
export type ThinkingDisplay = 'summarized' | 'omitted';

/** One request. Everything that goes over the wire is derived from this. */
export interface ModelRequest {
  readonly model: string;
  readonly maxTokens: number;
  readonly system: readonly SystemText[];
  /** Makes the system texts for another model that takes the request over. Absent where they name no model. */
  readonly systemFor?: (model: string, signal: AbortSignal) => Promise<readonly SystemText[]>;
  readonly messages: readonly ApiMessage[];
  readonly tools: readonly ToolDefinition[];
  /** Tools that the API runs itself while it answers, as it defines them. */
  readonly serverTools?: readonly Readonly<Record<string, unknown>>[];
  readonly effort?: string;
  /** Default: adaptive where the model can. */
  readonly thinking?: ThinkingMode;
  /** Default: a summary where the model gives one. */
  readonly thinkingDisplay?: ThinkingDisplay;
  /** False asks for the whole answer in one piece; its events then come all at once. */
  readonly stream?: false;
  /** Waits before another try, where the user may cut the wait short. Default: the clock's sleep. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Asks whether another model may stand in for one that declined. Default: it may. */
  readonly askStandIn?: AskStandIn;
  /** The reason of a request beside the conversation; absent for one of it. */
  readonly purpose?: string;
  /** Follows the request, for the debug log and spans; absent when nobody does. */
  readonly trace?: RequestTrace;
  /**
   * The tokens the whole task may take, so that the model can pace itself; sent where endpoint and model know it.
   * `remaining` only once a summary replaced what the API could count: a number that changed with every request
   * would break the prompt cache.
   */
  readonly taskBudget?: { readonly total: number; readonly remaining?: number };
  /** The words that ask for a summary: the last block of the messages. An API that summarises itself gets them apart. */
  readonly summarise?: string;
  /** A summary that the API wrote: its block, and the text in the messages that stands for it elsewhere. */
  readonly summary?: {
    readonly text: string;
    readonly block: Readonly<Record<string, unknown>>;
  };
  /** Makes the messages for an API that clears old results by itself; null: there is nothing to clear in its way. */
  readonly clearing?: () => Clearing | null;
  /** The id of the answer before, so that the API can say why its prompt cache was missed. */
  readonly previousMessageId?: string;
}

/** A model that declined, and the one that would answer in its place. */
export interface StandInOffer {
  readonly from: string;
  readonly to: string;
  readonly refusal: Refusal;
}

/**
 * Asks whether another model may stand in: it may, or the refusal ends the query, or the user writes the prompt anew.
 * Never fails.
 */
export type AskStandIn = (
  offer: StandInOffer,
  signal: AbortSignal,
) => Promise<'retry' | 'refused' | 'edit'>;

/** The kinds of failure that the loop tells apart. */
export type ModelErrorKind =
  | 'auth'
  /** A cloud provider's own are missing. */
  | 'credentials'
  | 'permission'
  | 'not_found'
  | 'rate_limit'
  | 'overloaded'
  | 'prompt_too_long'
  | 'image'
  | 'billing'
  | 'invalid_request'
  | 'server'
  | 'network'
  | 'truncated'
  | 'stalled'
  | 'aborted';

/** A failure of the API, worded for the user. Never holds a key. */
export interface ModelError {
  readonly kind: ModelErrorKind;
  readonly status?: number;
  /** Tells what happened. */
  readonly message: string;
  /** Advises what to do about it. */
  readonly fix?: string;
  readonly retryable: boolean;
  /** The wait that the server asked for. */
  readonly retryAfterMs?: number;
  /** The host could not be found or refuses connections: a wrong address as likely as a lost network. */
  readonly unreachable?: true;
  /** The answer broke the rules of a stream; the next most likely does, too. */
  readonly garbled?: true;
  /** The connection broke after the answer had begun. */
  readonly midway?: true;
  readonly requestId?: string;
}

/** An event of one streamed request. `failed` is the last one if it comes; so is `message_finished`. */
export type ModelEvent =
  | { readonly type: 'message_started'; readonly messageId: string; readonly model: string }
  | {
      readonly type: 'block_started';
      readonly index: number;
      readonly kind: 'text' | 'thinking' | 'tool_use' | 'other';
      readonly callId?: string;
      readonly tool?: string;
    }
  /** For `tool_use`, `text` is a piece of the input's JSON. */
  | { readonly type: 'block_delta'; readonly index: number; readonly text: string }
  | { readonly type: 'block_finished'; readonly index: number; readonly block: AssistantBlock }
  | {
      readonly type: 'message_finished';
      readonly stopReason: StopReason | null;
      readonly usage: Usage;
      readonly costUsd: number;
      readonly ttftMs?: number;
      readonly tokensPerSecond?: number;
      /** The reason the API could not use its prompt cache, in its own word: `tools_changed`, `system_changed`, … */
      readonly cacheMissReason?: string;
      /** The parts that the API itself left out of a request that asked for it. */
      readonly cleared?: ClearedByApi;
      /** Absent: the model did not decline, or the API does not say why. */
      readonly refusal?: Refusal;
    }
  /** Tokens of an answer that broke off, was stopped or is void: they cost as well. Never those of a finished one. */
  | {
      readonly type: 'spent';
      readonly model: string;
      readonly usage: Usage;
      readonly costUsd: number;
    }
  /** Tells the limits of the plan that pays, out of the headers of an answer or a refusal. */
  | { readonly type: 'plan_limits'; readonly limits: PlanLimits }
  /** A sign-in to the provider goes on, or has ended; `output` is all that its command printed, by lines. */
  | Extract<AgentEvent, { type: 'auth_status' }>
  /** The line lives but there is nothing to show; `content` when the answer itself went on. Ends at the watchdog. */
  | { readonly type: 'alive'; readonly content: boolean }
  /** Nothing came for this long; goes away with the next event. Milliseconds. */
  | { readonly type: 'stalled'; readonly silentMs: number }
  /** A message for the user; the answer goes on. */
  | {
      readonly type: 'notice';
      readonly level: 'info' | 'warning';
      readonly code: string;
      readonly text: string;
    }
  /** `heartbeat`: the same wait goes on, `delayMs` is what is left of it. */
  | (Extract<AgentEvent, { type: 'retry_waiting' }> & { readonly heartbeat?: true })
  | { readonly type: 'retry_ended' }
  /** The answer starts again; what was streamed of it is void. */
  | { readonly type: 'message_voided'; readonly messageId: string; readonly reason: string }
  /** The API refused the thinking of the request, and answers without it. */
  | { readonly type: 'thinking_refused' }
  /** The model is overloaded or declined; from here on `to` answers. Thinking of `from` is void for it. */
  | {
      readonly type: 'model_fallback';
      readonly from: string;
      readonly to: string;
      /** Absent: it is overloaded. */
      readonly refusal?: Refusal;
    }
  /** The API's rough count of `tokens` more of a thought that it does not show. */
  | { readonly type: 'thinking_counted'; readonly index: number; readonly tokens: number }
  | { readonly type: 'failed'; readonly error: ModelError };

/** The model. Never throws: every failure is an event. Retry, fallback and watchdog decorate it. */
export interface ModelClient {
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}
