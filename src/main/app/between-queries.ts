import type { Stamped } from '../../shared/agent-event';
import { passOn } from '../../shared/channel';

type Listener = (stamped: Stamped) => void;

/** Keeps apart what queries tell and what happens while none runs, e.g. the end of a task in the background. */
export interface BetweenQueries {
  /** Passes on the events of a query. */
  during(query: AsyncIterable<Stamped>): AsyncIterable<Stamped>;
  /** Calls back with each event that no query tells; gives a function that ends it. */
  listen(listener: Listener): () => void;
}

/** Splits the events of a session: each goes one of the two ways, once. */
export function createBetweenQueries(listen: (listener: Listener) => () => void): BetweenQueries {
  const listeners = new Set<Listener>();
  const tell = (stamped: Stamped) => {
    for (const listener of [...listeners]) listener(stamped);
  };
  /** The events since a query began that it has not told yet; null while none runs. */
  let untold: Stamped[] | null = null;
  listen((stamped) => {
    if (untold === null) tell(stamped);
    else untold.push(stamped);
  });
  return {
    during: (query) =>
      passOn(() => {
        untold = [];
        return {
          source: query,
          see: ({ seq }) => {
            untold = untold?.filter((other) => other.seq > seq) ?? null;
          },
          end: () => {
            const rest = untold ?? [];
            untold = null;
            rest.forEach(tell);
          },
        };
      }),
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
