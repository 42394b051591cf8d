import type { ModelClient, ModelEvent, ModelRequest } from './model-client';
import { through } from './through';

/**
 * Sends a request once more after a refused key (401), with credentials fetched anew; a second refusal is told
 * (SPEC C7). `refresh` gives false when there is nothing to be had. Never once an answer has begun.
 */
export function withCredentialRefresh(
  inner: ModelClient,
  refresh: (signal: AbortSignal) => Promise<boolean>,
): ModelClient {
  async function* refreshed(
    refusal: ModelEvent,
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent> {
    if (await refresh(signal)) yield* inner.stream(request, signal);
    else yield refusal;
  }
  return {
    stream: (request, signal) => {
      let began = false;
      return through(inner.stream(request, signal), (event) => {
        if (event.type === 'message_started') began = true;
        const refused = event.type === 'failed' && event.error.status === 401;
        return refused && !began && !signal.aborted ? refreshed(event, request, signal) : event;
      });
    },
  };
}
