import type { ModelClient, ThinkingDisplay } from '../engine/model/model-client';

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
