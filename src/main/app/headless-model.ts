import type { ModelClient, ThinkingDisplay } from '../engine/model/model-client';
import { through } from '../engine/model/through';
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
  const begun = () => over.abort();
  const model: ModelClient = {
    stream: (request, signal) => {
      const events = client.stream(request, signal);
      // Later requests are none of its business, and their events cost nothing here.
      if (over.signal.aborted) return events;
      clock.sleep(ON_ITS_WAY_MS, over.signal).then(begun, () => {});
      return through(events, (event) => {
        if (!over.signal.aborted) begun();
        return event;
      });
    },
  };
  return { model, sent };
}

/** A client of the model whose requests say in which form thinking is to come. */
interface DisplayingClient {
  readonly model: ModelClient;
  /** Changes the form from the next request on; null: what is usual. */
  show(display: ThinkingDisplay | null): void;
}

/** Returns a client that asks `client` for thinking in the form that is wished: at first in `begin`. */
export function withThinkingDisplay(
  client: ModelClient,
  begin: ThinkingDisplay | undefined,
): DisplayingClient {
  let thinkingDisplay: ThinkingDisplay | null = begin ?? null;
  return {
    model: {
      stream: (request, signal) =>
        client.stream(thinkingDisplay === null ? request : { ...request, thinkingDisplay }, signal),
    },
    show: (display) => {
      thinkingDisplay = display;
    },
  };
}
