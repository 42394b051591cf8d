import type { ToolView } from '../../../../shared/tool-call';
import type { PermissionRequest } from '../../permissions/request';
import type { AnyTool, ToolContent } from '../tool';

/** One call on its way to its tool. Its input has passed the schema. A concern changes it by passing a copy on. */
export interface ToolCall {
  readonly id: string;
  readonly tool: AnyTool;
  readonly input: Record<string, unknown>;
  /** The party that replaced the input that the model wrote; absent when nobody did. */
  readonly changedBy?: 'hook' | 'user';
  /** A hook's wish for the permission decision. */
  readonly advice?: HookAdvice;
  /** The permissions that were granted: exactly these may be used. Empty until the permission gate. */
  readonly decided: readonly PermissionRequest[];
  /** Looks once more at what a user allowed, when its turn comes; resolves to a refusal when that holds no longer. */
  readonly confirm?: () => Promise<RefusedCall | null>;
  readonly control: CallControl;
  /** Aborts when the call, or the query it belongs to, is stopped. */
  readonly signal: AbortSignal;
}

/** A PreToolUse hook's wish for the decision on a call. */
export interface HookAdvice {
  readonly behavior: 'allow' | 'ask';
  readonly reason: string;
}

/** The executor's side of one call. Nothing here rejects. */
export interface CallControl {
  /** Aborts when the whole query is stopped. */
  readonly query: AbortSignal;
  /** Resolves true when the call is the only one of its response; waits until the response is whole. */
  isAlone(): Promise<boolean>;
  /** Announces a question to the user; resolves when it is this call's turn to ask. */
  beforeAsking(): Promise<void>;
  /** Waits until the permitted call may run; resolves to a refusal when it never will. */
  waitTurn(call: ToolCall): Promise<RefusedCall | null>;
  /** Records the result of the call. */
  settle(outcome: CallOutcome): void;
}

/** A call that did not run, and the message for the model. */
export interface RefusedCall {
  readonly kind: 'refused';
  readonly status: 'denied' | 'cancelled' | 'failed';
  readonly message: string;
}

/** The part of a call that its permission is decided on. */
export type GatedCall = Pick<ToolCall, 'id' | 'tool' | 'input' | 'advice'>;

/** A permission: for exactly `decided`, and with the input of `change` where somebody replaced it. */
export interface AllowedCall {
  readonly kind: 'allowed';
  readonly decided: readonly PermissionRequest[];
  readonly change?: Required<Pick<ToolCall, 'input' | 'changedBy'>>;
  readonly confirm?: ToolCall['confirm'];
}

/** The answer to "may this call run?". */
export type GateAnswer = AllowedCall | RefusedCall;

/** The facts of a call that ran; `call` is what really ran. */
interface RanCall {
  readonly call: ToolCall;
  readonly view: ToolView | null;
  readonly durationMs: number;
  /** The result for the model. */
  readonly content: ToolContent;
}

/** The end of a call. */
export type CallOutcome =
  | RefusedCall
  /** A hook deferred it: it has no result, and the query ends. */
  | { readonly kind: 'deferred' }
  | ({ readonly kind: 'done' } & RanCall)
  /** `message` is all that the tool said; `content` may be cut. */
  | ({ readonly kind: 'failed'; readonly message: string } & RanCall);

/** Runs the rest of the chain: the concerns further in, and the tool itself. */
export type RunCall = (call: ToolCall) => Promise<CallOutcome>;

/** One concern around calls: acts before `next`, after it, or in its place. */
export type CallMiddleware = (call: ToolCall, next: RunCall) => Promise<CallOutcome>;

/** Joins concerns, outermost first, around `run`. */
export const chain = (middleware: readonly CallMiddleware[], run: RunCall): RunCall =>
  middleware.reduceRight<RunCall>((next, concern) => (call) => concern(call, next), run);

/** The reason of a call's signal when the user stopped this call alone. */
export const CALL_STOPPED = 'call_stopped';

/** Returns whether the user stopped the call alone, and not the query it belongs to. */
export const isCallStopped = ({ aborted, reason }: AbortSignal): boolean =>
  aborted && reason === CALL_STOPPED;

/** The message for the model about a call that the user stopped alone. */
export const CALL_STOPPED_TEXT =
  'The user stopped this call; the other calls went on. Do not start it again unless they ask for it.';

/** Returns the refusal of a call whose signal aborted before it ran. */
export const interrupted = (signal: AbortSignal): RefusedCall => ({
  kind: 'refused',
  status: 'cancelled',
  message: isCallStopped(signal) ? CALL_STOPPED_TEXT : 'Interrupted by the user.',
});
