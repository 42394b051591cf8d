import type { ModelEvent } from './model-client';

/** The outcome for an event: itself, several in its place (or none), or other events in place of it and the rest. */
export type Passage = ModelEvent | readonly ModelEvent[] | AsyncIterable<ModelEvent>;

/**
 * Maps the events of a stream by `see`, which is called once for each, in order. No generator: every event passes all
 * layers of the client, and each generator among them would cost it several promises.
 */
export function through(
  events: AsyncIterable<ModelEvent>,
  see: (event: ModelEvent) => Passage,
): AsyncIterable<ModelEvent> {
  return { [Symbol.asyncIterator]: () => passing(events[Symbol.asyncIterator](), see) };
}

function passing(
  first: AsyncIterator<ModelEvent>,
  see: (event: ModelEvent) => Passage,
): AsyncIterator<ModelEvent> {
  let source = first;
  let waiting: ModelEvent[] = [];

  const next = (): Promise<IteratorResult<ModelEvent>> => {
    const event = waiting.shift();
    if (event !== undefined) return Promise.resolve({ done: false, value: event });
    return source === first ? source.next().then(pass) : source.next();
  };
  const pass = (step: IteratorResult<ModelEvent>) => {
    if (step.done === true) return step;
    const passage = see(step.value);
    if (passage === step.value) return step;
    if (Symbol.asyncIterator in passage) return goOnWith(passage);
    waiting = [passage].flat();
    return next();
  };
  const goOnWith = async (rest: AsyncIterable<ModelEvent>) => {
    source = rest[Symbol.asyncIterator]();
    await first.return?.();
    return next();
  };
  return {
    next,
    return: async () => {
      await source.return?.();
      return { done: true, value: undefined };
    },
  };
}
