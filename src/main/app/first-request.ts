import type { ModelClient } from '../engine/model/model-client';
import type { Clock } from '../engine/ports';

/** By then a request is on its way, also where the answer takes longer to begin. Milliseconds. */
const ON_ITS_WAY_MS = 100;

/** Returns a client of the model, and what resolves once its first request is answered or has been on its way for a while. */
export function withFirstRequest(
  client: ModelClient,
  clock: Clock,
): { readonly model: ModelClient; readonly sent: Promise<void> } {
  const over = new AbortController();
  const { promise: sent, resolve } = Promise.withResolvers<void>();
  over.signal.addEventListener('abort', () => resolve(), { once: true });
  const model: ModelClient = {
    stream: async function* (request, signal) {
      if (!over.signal.aborted)
        clock.sleep(ON_ITS_WAY_MS, over.signal).then(
          () => over.abort(),
          () => {},
        );
      try {
        for await (const event of client.stream(request, signal)) {
          over.abort();
          yield event;
        }
      } finally {
        over.abort();
      }
    },
  };
  return { model, sent };
}
