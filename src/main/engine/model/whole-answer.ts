import type { RawEvent } from './server-sent-events';
import { isObject } from './stream-blocks';

/**
 * The server-sent events that a whole answer (a response without `stream`) would have come in, so that one
 * reducer understands both. An answer that is no message gives nothing, which counts as cut short.
 */
export function* eventsOfWhole(answer: unknown): Generator<RawEvent> {
  if (!isObject(answer) || answer['type'] !== 'message') return;
  const { content, stop_reason, usage, ...message } = answer;
  yield raw({ type: 'message_start', message: { ...message, usage } });
  const blocks = Array.isArray(content) ? content : [];
  for (const [index, block] of blocks.entries()) {
    yield raw({ type: 'content_block_start', index, content_block: block });
    yield raw({ type: 'content_block_stop', index });
  }
  yield raw({ type: 'message_delta', delta: { stop_reason }, usage });
  yield raw({ type: 'message_stop' });
}

const raw = (data: Readonly<Record<string, unknown>>): RawEvent => ({
  data: JSON.stringify(data),
});
