import { expect, it } from 'vitest';
import { createBetweenQueries } from '../../src/main/app/between-queries';
import type { Stamped } from '../../src/shared/agent-event';

const at = (seq: number) => ({ seq }) as Stamped;

it('each event is told once: by the query that runs, or to those who listen beside queries', async () => {
  let record: (stamped: Stamped) => void = () => {};
  const between = createBetweenQueries((listener) => {
    record = listener;
    return () => {};
  });
  const told: number[] = [];
  const unlisten = between.listen(({ seq }) => told.push(seq));
  record(at(1));
  const query = async function* () {
    // Recorded before the query listens: nobody's.
    for (const seq of [2, 3, 4]) record(at(seq));
    yield at(3);
    yield at(4);
    // The query is over and does not tell it any more.
    record(at(5));
  };
  const seen: number[] = [];
  for await (const { seq } of between.during(query())) {
    seen.push(seq);
    expect(told).toEqual([1]);
  }
  expect(seen).toEqual([3, 4]);
  expect(told).toEqual([1, 5]);
  record(at(6));
  unlisten();
  record(at(7));
  expect(told).toEqual([1, 5, 6]);
});
