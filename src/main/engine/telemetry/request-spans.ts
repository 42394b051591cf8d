import type { Span } from '@opentelemetry/api';
import type { Usage } from '../../../shared/message';
import type { ModelClient, ModelEvent, ModelRequest, RequestTrace } from '../model/model-client';
import { through } from '../model/through';
import { bothTraces } from '../model/trace';
import { definedOnly, FAILED } from './tracing';

/** Starts the span of a request, wherever it belongs at the moment. */
export type StartRequest = (request: ModelRequest) => Span;

/** Spans each request of a client: its model, tokens, cost, cache, attempts and end. */
export const withSpans = (inner: ModelClient, start: StartRequest): ModelClient => ({
  stream: (request, signal) => {
    const span = start(request);
    const attempts = countAttempts(span);
    const trace = bothTraces(request.trace, attempts);
    return through(inner.stream({ ...request, trace }, signal), (event) => {
      seeEvent(span, event);
      if (event.type === 'message_finished' || event.type === 'failed') span.end();
      return event;
    });
  },
});

/** Counts the attempts of a request, and collects the ids that the API gave them. */
function countAttempts(span: Span): RequestTrace {
  let attempts = 0;
  const ids: string[] = [];
  return {
    sent: () => {
      attempts += 1;
      span.setAttribute('lathe.request.attempts', attempts);
    },
    ended: (_what, { requestId }) => {
      if (typeof requestId !== 'string') return;
      ids.push(requestId);
      span.setAttribute('lathe.request.ids', ids);
    },
  };
}

function seeEvent(span: Span, event: ModelEvent): void {
  switch (event.type) {
    case 'message_started':
      span.setAttributes({
        'gen_ai.response.id': event.messageId,
        'gen_ai.response.model': event.model,
      });
      return;
    case 'message_finished':
      span.setAttributes(
        definedOnly<string | number | string[]>({
          ...usageFacts(event.usage),
          'gen_ai.response.finish_reasons': event.stopReason === null ? null : [event.stopReason],
          'lathe.cost.usd': event.costUsd,
          'lathe.time_to_first_token_ms': event.ttftMs,
          'lathe.output_tokens_per_second': event.tokensPerSecond,
          'lathe.cache.miss_reason': event.cacheMissReason,
        }),
      );
      return;
    case 'retry_waiting':
      if (event.heartbeat === true) return;
      span.addEvent(
        'retry',
        definedOnly<string | number>({
          'lathe.retry.attempt': event.attempt,
          'lathe.retry.delay_ms': event.delayMs,
          'error.type': event.error,
          'http.response.status_code': event.status,
        }),
      );
      return;
    case 'stalled':
      span.addEvent('stalled', { 'lathe.silent_ms': event.silentMs });
      return;
    case 'model_fallback':
      span.addEvent('fallback', { 'lathe.from': event.from, 'lathe.to': event.to });
      return;
    case 'failed':
      span.setAttributes(
        definedOnly<string | number>({
          'error.type': event.error.kind,
          'http.response.status_code': event.error.status,
        }),
      );
      if (event.error.kind !== 'aborted') span.setStatus(FAILED);
  }
}

/** Returns tokens under the names of the semantic conventions, where input is all of it, cached or not. */
export const usageFacts = (usage: Usage) => ({
  'gen_ai.usage.input_tokens': usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
  'gen_ai.usage.output_tokens': usage.outputTokens,
  'gen_ai.usage.cache_read.input_tokens': usage.cacheReadTokens,
  'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteTokens,
});
