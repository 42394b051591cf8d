import { expect, it } from 'vitest';
import type { ModelEvent } from '../../../src/main/engine/model/model-client';
import { type Passage, through } from '../../../src/main/engine/model/through';

const notice = (text: string): ModelEvent => ({ type: 'notice', level: 'info', code: 'c', text });
const textOf = (event: ModelEvent): string => (event.type === 'notice' ? event.text : event.type);

/** A stream of notices that remembers whether it was let run to its end. */
function stream(...texts: string[]) {
  const log: string[] = [];
  async function* events(): AsyncGenerator<ModelEvent> {
    try {
      for (const text of texts) {
        log.push(text);
        yield notice(text);
      }
    } finally {
      log.push('closed');
    }
  }
  return { log, events: { [Symbol.asyncIterator]: events } };
}

const texts = async (events: AsyncIterable<ModelEvent>): Promise<string[]> => {
  const all: string[] = [];
  for await (const event of events) all.push(textOf(event));
  return all;
};

const seeing = (passages: Readonly<Record<string, Passage>>) => (event: ModelEvent) =>
  passages[textOf(event)] ?? event;

it('passes events on, leaves out, and puts several in the place of one', async () => {
  const { events, log } = stream('a', 'b', 'c', 'd');
  const see = seeing({ b: [], c: [notice('c1'), notice('c2')] });
  expect(await texts(through(events, see))).toEqual(['a', 'c1', 'c2', 'd']);
  expect(log).toEqual(['a', 'b', 'c', 'd', 'closed']);
});

it('goes on with another stream, unseen, and closes the first', async () => {
  const first = stream('a', 'b', 'c');
  const second = stream('b', 'x');
  expect(await texts(through(first.events, seeing({ b: second.events })))).toEqual(['a', 'b', 'x']);
  expect(first.log).toEqual(['a', 'b', 'closed']);
  expect(second.log).toEqual(['b', 'x', 'closed']);
});

it('closes what it reads from when nobody reads on', async () => {
  const first = stream('a', 'b');
  for await (const _ of through(through(first.events, seeing({})), seeing({}))) break;
  expect(first.log).toEqual(['a', 'closed']);

  const [old, rest] = [stream('a', 'b'), stream('x', 'y')];
  for await (const _ of through(old.events, seeing({ a: rest.events }))) break;
  expect([old.log, rest.log]).toEqual([
    ['a', 'closed'],
    ['x', 'closed'],
  ]);
});
