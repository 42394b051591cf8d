import { expect, it } from 'vitest';
import type { Collector } from '../../../src/main/engine/attachments/attachment';
import { COLLECTOR_LIMIT_MS, createCollection } from '../../../src/main/engine/attachments/collect';
import { createTaskNews } from '../../../src/main/engine/attachments/task-news';
import { memoryClock } from '../../support/memory-clock';
import { contextOf, signal } from './support';

const context = contextOf([]);
const collector = (name: string, collect: Collector['collect']): Collector => ({ name, collect });
const says = (text: string) => [{ attachment: { kind: 'k', text } }];

it('runs collectors at the same time and keeps their order', async () => {
  const clock = memoryClock();
  const gate = Promise.withResolvers<void>();
  const first = collector('first', async () => {
    await gate.promise;
    return says('1');
  });
  const second = collector('second', () => {
    gate.resolve();
    return says('2');
  });
  const found = await createCollection([first, second], clock).collect(context, signal);
  expect(found).toEqual({
    attachments: [
      { kind: 'k', text: '1' },
      { kind: 'k', text: '2' },
    ],
    missed: [],
  });
  expect(clock.sleepers()).toBe(0);
});

it('goes on without one that fails or hangs, tells which, and stops it', async () => {
  const clock = memoryClock();
  const stopped = Promise.withResolvers<void>();
  const hangs = collector('slow', async (_, stop) => {
    stop.addEventListener('abort', () => stopped.resolve());
    return new Promise(() => {});
  });
  const throws = collector('broken', () => {
    throw new Error('no such luck');
  });
  const works = collector('fine', () => says('here'));
  const collecting = createCollection([hangs, throws, works], clock).collect(context, signal);
  await clock.advance(COLLECTOR_LIMIT_MS - 1);
  expect(clock.sleepers()).toBe(1);
  await clock.advance(1);
  const found = await collecting;
  await stopped.promise;
  expect(found.attachments).toEqual([{ kind: 'k', text: 'here' }]);
  expect(found.missed).toEqual([
    { name: 'slow', why: 'it took longer than a second' },
    { name: 'broken', why: 'no such luck' },
  ]);
});

it('ends at once when the query is cut, accepting nothing', async () => {
  const abort = new AbortController();
  const accepted: string[] = [];
  const found = collector('found', async () => [
    { attachment: { kind: 'k', text: 't' }, accept: () => accepted.push('t') },
  ]);
  const hangs = collector('slow', () => new Promise(() => {}));
  const clock = memoryClock();
  const collecting = createCollection([found, hangs], clock).collect(context, abort.signal);
  abort.abort();
  expect(await collecting).toEqual({ attachments: [], missed: [] });
  expect(accepted).toEqual([]);
  expect(clock.sleepers()).toBe(0);
});

it('tells the news of a task exactly once, also when the first try was cut', async () => {
  const notice = (n: number) => ({
    ...{ agentId: 'main', taskId: `b_${n}` },
    ...{ about: `b_${n} ended`, text: `task ${n} is done` },
  });
  let waiting = [notice(1), notice(2)];
  const news = createTaskNews({
    notices: () => waiting,
    noticeTold: (told) => {
      waiting = waiting.filter((other) => other !== told);
    },
  });
  const cut = new AbortController();
  cut.abort();
  const clock = memoryClock();
  await createCollection([news.collector], clock).collect(context, cut.signal);
  expect(news.waits()).toBe(true);
  const { attachments } = await createCollection([news.collector], clock).collect(context, signal);
  expect(attachments).toEqual([
    { kind: 'task_notification', about: 'b_1 ended', text: 'task 1 is done' },
    { kind: 'task_notification', about: 'b_2 ended', text: 'task 2 is done' },
  ]);
  expect(news.waits()).toBe(false);
  expect(
    (await createCollection([news.collector], clock).collect(context, signal)).attachments,
  ).toEqual([]);
});

it('does not start again what still hangs, and waits for it no more', async () => {
  const clock = memoryClock();
  const gate = Promise.withResolvers<void>();
  let started = 0;
  const slow = collector('slow', async () => {
    started += 1;
    await gate.promise;
    return says('late');
  });
  const collection = createCollection([slow], clock);
  const first = collection.collect(context, signal);
  await clock.advance(COLLECTOR_LIMIT_MS);
  expect((await first).missed).toHaveLength(1);
  expect((await collection.collect(context, signal)).missed).toHaveLength(1);
  expect(started).toBe(1);
  gate.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  expect((await collection.collect(context, signal)).attachments).toEqual(
    says('late').map((f) => f.attachment),
  );
  expect(started).toBe(2);
});
