import { NO_USAGE } from '../../../shared/facts';
import { withoutClearing } from './api-clearing';
import { maxOutputOf } from './catalog';
import type { ApiMessage, ModelClient, ModelError, ModelEvent, ModelRequest } from './model-client';
import { through } from './through';

/**
 * Rescues an answer whose stream broke, so that nothing runs twice, or was refused with 404 (docs/spec.md C6). A finished
 * tool use of it may run already: then the answer ends there and the conversation goes on from it. Else what came is
 * void and the answer is requested in one piece. A model that answers only in one piece is asked so from then on, and so
 * is one whose streams come garbled again: each of its answers would be paid twice.
 */
export function withStreamRescue(inner: ModelClient): ModelClient {
  const streams = new Map<string, Streams>();
  return {
    stream: (request, signal) => {
      const known = streams.get(request.model) ?? { refused: false, garbled: 0 };
      streams.set(request.model, known);
      return isWholeOnly(known)
        ? rescued(inner, { ...request, stream: false }, signal, known)
        : rescued(inner, request, signal, known);
    },
  };
}

/** The facts known about the streams of a model. */
interface Streams {
  /** They are refused, and answers in one piece come. */
  refused: boolean;
  /** Those in a row that came garbled. */
  garbled: number;
}

const isWholeOnly = ({ refused, garbled }: Streams): boolean => refused || garbled >= MAX_GARBLED;

/** After so many garbled streams in a row a model is asked for no other. */
const MAX_GARBLED = 2;

/** Tells a broken stream from a refusal of the server. */
const isBroken = (error: ModelError): boolean =>
  error.kind === 'truncated' || error.kind === 'stalled' || error.midway === true;

/** Tells whether the next request may succeed; a server may also refuse in the middle of its answer. */
const isPassing = (error: ModelError): boolean => isBroken(error) || error.retryable;

function rescued(
  inner: ModelClient,
  request: ModelRequest,
  signal: AbortSignal,
  streams: Streams,
): AsyncIterable<ModelEvent> {
  let messageId: string | null = null;
  let toolFinished = false;
  let spent: Spent | null = null;
  return through(inner.stream(request, signal), (event) => {
    if (event.type === 'message_started') messageId = event.messageId;
    if (event.type === 'message_voided') messageId = null;
    if (event.type === 'block_finished' && event.block.type === 'tool_use') toolFinished = true;
    if (event.type === 'spent') {
      spent = event;
      return [];
    }
    const failed = event.type === 'failed' && !signal.aborted;
    if (request.stream !== false) {
      if (event.type === 'message_finished') streams.garbled = 0;
      if (failed && event.error.garbled === true) streams.garbled += 1;
    }
    if (failed && toolFinished && isPassing(event.error)) return endedEarly(event.error, spent);
    if (failed && isBroken(event.error) && request.stream !== false)
      return again(inner, { ...request, stream: false }, signal, {
        messageId,
        spent,
        reason: event.error.message,
        forGood: isWholeOnly(streams),
      });
    if (failed && event.error.status === 404 && messageId === null && request.stream !== false)
      return inOnePiece(inner, request, signal, { error: event.error, streams });
    if (spent === null) return event;
    const both = [spent, event];
    spent = null;
    return both;
  });
}

type Spent = Extract<ModelEvent, { type: 'spent' }>;

/** Voids what came and requests the answer once more. */
async function* again(
  inner: ModelClient,
  request: ModelRequest,
  signal: AbortSignal,
  broken: {
    readonly messageId: string | null;
    readonly spent: Spent | null;
    readonly reason: string;
    /** No stream is asked for any more. */
    readonly forGood: boolean;
  },
): AsyncGenerator<ModelEvent> {
  const { messageId, spent, reason, forGood } = broken;
  if (spent !== null) yield spent;
  if (messageId !== null) yield { type: 'message_voided', messageId, reason };
  const how = forGood ? 'It was not the first: from here on answers come' : 'Asking for the answer';
  const text = `${reason} ${how} in one piece${forGood ? '' : ' instead'}.`;
  yield { type: 'notice', level: 'warning', code: 'stream_broken', text };
  yield* inner.stream(request, signal);
}

/** Requests an answer without a stream, which was refused; tells when that is what the server wants. */
async function* inOnePiece(
  inner: ModelClient,
  request: ModelRequest,
  signal: AbortSignal,
  refusal: { readonly error: ModelError; readonly streams: Streams },
): AsyncGenerator<ModelEvent> {
  for await (const event of inner.stream({ ...request, stream: false }, signal)) {
    if (event.type === 'message_started') {
      refusal.streams.refused = true;
      const text = `${refusal.error.message} Without a stream it answers, so answers come in one piece.`;
      yield { type: 'notice', level: 'warning', code: 'stream_refused', text };
    }
    yield event;
  }
}

/** Ends the answer with the calls it had come to, without half a call or a thought. */
function endedEarly(error: ModelError, spent: Spent | null): readonly ModelEvent[] {
  const text = `${error.message} The calls it had asked for are done, and the work goes on from there.`;
  return [
    { type: 'notice', level: 'warning', code: 'answer_cut', text },
    {
      type: 'message_finished',
      stopReason: 'tool_use',
      usage: spent?.usage ?? NO_USAGE,
      costUsd: spent?.costUsd ?? 0,
    },
  ];
}

const isThinking = (block: Readonly<Record<string, unknown>>): boolean =>
  block['type'] === 'thinking' || block['type'] === 'redacted_thinking';

/** Removes all thinking from a history. An answer that was nothing else goes too, and its neighbours join. */
function stripThinking(messages: readonly ApiMessage[]): readonly ApiMessage[] {
  const kept = messages
    .map((m) => ({ ...m, content: m.content.filter((b) => !isThinking(b)) }))
    .filter((m) => m.content.length > 0);
  return kept.reduce<ApiMessage[]>((out, message) => {
    const last = out.at(-1);
    if (last?.role !== message.role) out.push(message);
    else out[out.length - 1] = { ...last, content: [...last.content, ...message.content] };
    return out;
  }, []);
}

/** Makes the same request for another model: its own prompt and limits, and no thinking, which is bound to its model. */
export const forModel = async (
  request: ModelRequest,
  model: string,
  signal: AbortSignal,
): Promise<ModelRequest> => ({
  ...withoutClearing(request),
  model,
  maxTokens: Math.min(request.maxTokens, maxOutputOf(model)),
  system: (await request.systemFor?.(model, signal)) ?? request.system,
  messages: stripThinking(request.messages),
});

/**
 * Sends a request once more without its thinking when the API refuses a thinking block (its prefix changed:
 * resumed session, other tools, other system prompt), and tells when that is answered. Endpoints that can drop such blocks
 * never come here.
 */
export function withThinkingRepair(inner: ModelClient): ModelClient {
  return {
    stream: (request, signal) =>
      through(inner.stream(request, signal), (event) =>
        isRefused(event) && hasThinking(request)
          ? through(inner.stream(withoutThinkingAnywhere(request), signal), (again) =>
              again.type === 'message_started' ? [{ type: 'thinking_refused' }, again] : again,
            )
          : event,
      ),
  };
}

const withoutThinkingAnywhere = (request: ModelRequest): ModelRequest => ({
  ...withoutClearing(request),
  messages: stripThinking(request.messages),
});

const isRefused = (event: ModelEvent): boolean =>
  event.type === 'failed' &&
  event.error.kind === 'invalid_request' &&
  /thinking|signature/i.test(event.error.message);

const hasThinking = ({ messages }: ModelRequest): boolean =>
  messages.some(({ content }) => content.some(isThinking));
