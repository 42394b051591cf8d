import { NO_USAGE } from '../../../shared/transcript';
import type { ModelClient, ModelError, ModelEvent, ModelRequest } from './model-client';
import { through } from './through';

/**
 * Rescues an answer whose stream broke (SPEC C6). Nothing runs twice: when a tool use of it was finished, it may
 * run already, so the answer ends there and the conversation goes on from it; else what came is void and the
 * answer is asked for in one piece, without a stream.
 */
export function withBrokenStreamRescue(inner: ModelClient): ModelClient {
  return { stream: (request, signal) => rescued(inner, request, signal) };
}

/** Whether the stream broke, as opposed to the server saying no. */
export const isBroken = (error: ModelError): boolean =>
  error.kind === 'truncated' || error.kind === 'stalled' || error.midway === true;

/** Whether the next request may go better; the server may well have said no in the middle of its answer. */
const isPassing = (error: ModelError): boolean => isBroken(error) || error.retryable;

function rescued(
  inner: ModelClient,
  request: ModelRequest,
  signal: AbortSignal,
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
    if (failed && toolFinished && isPassing(event.error)) return endedEarly(event.error, spent);
    if (failed && isBroken(event.error) && request.stream !== false)
      return again(inner, { ...request, stream: false }, signal, {
        messageId,
        spent,
        reason: event.error.message,
      });
    if (spent === null) return event;
    const both = [spent, event];
    spent = null;
    return both;
  });
}

type Spent = Extract<ModelEvent, { type: 'spent' }>;

/** What came is void; the answer is asked for once more. */
async function* again(
  inner: ModelClient,
  request: ModelRequest,
  signal: AbortSignal,
  broken: {
    readonly messageId: string | null;
    readonly spent: Spent | null;
    readonly reason: string;
  },
): AsyncGenerator<ModelEvent> {
  const { messageId, spent, reason } = broken;
  if (spent !== null) yield spent;
  if (messageId !== null) yield { type: 'message_voided', messageId, reason };
  const text = `${reason} Asking for the answer in one piece instead.`;
  yield { type: 'notice', level: 'warning', code: 'stream_broken', text };
  yield* inner.stream(request, signal);
}

/** The answer counts as finished with the calls it had come to; half a call or a thought is left out. */
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
