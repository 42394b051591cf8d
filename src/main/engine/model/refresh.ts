import type { ModelClient, ModelEvent, ModelRequest } from './model-client';

/**
 * Sends a request once more after a refused key (401), with credentials fetched anew; a second refusal is told
 * (SPEC C7). `refresh` gives false when there is nothing to be had. Never once an answer has begun.
 */
export function withCredentialRefresh(
  inner: ModelClient,
  refresh: (signal: AbortSignal) => Promise<boolean>,
): ModelClient {
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    let began = false;
    for await (const event of inner.stream(request, signal)) {
      if (event.type === 'message_started') began = true;
      const refused = event.type === 'failed' && event.error.status === 401;
      if (!refused || began || signal.aborted || !(await refresh(signal))) {
        yield event;
        continue;
      }
      return yield* inner.stream(request, signal);
    }
  }
  return { stream };
}
