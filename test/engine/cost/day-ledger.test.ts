import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDayLedger, lastDays } from '../../../src/main/engine/cost/day-ledger';
import { dayOf } from '../../../src/main/engine/cost/day-sums';
import { createNodeFiles } from '../../../src/main/node/files';
import { NO_USAGE } from '../../../src/shared/facts';
import { memoryClock } from '../../support/memory-clock';
import { soon } from '../../support/soon';

const NOON = new Date(2026, 10, 23, 12).getTime();
const HOUR_MS = 3_600_000;

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lathe-spending-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const spent = (usd: number, more: Partial<Record<'session' | 'agent' | 'use', string>> = {}) => ({
  ...{ session: 'one', project: '/srv/site', agent: 'main', use: 'answers', ...more },
  ...{ model: 'claude-sonnet-5-5', usd, usage: { ...NO_USAGE, inputTokens: 10 } },
});

function open(now = NOON) {
  const clock = memoryClock(now);
  return { clock, ledger: createDayLedger({ files: createNodeFiles(), clock, folder }) };
}

describe('the ledger of a day', () => {
  it('counts what this process spends at once, and what others spend when it has read on', async () => {
    const [mine, other] = [open(), open()];
    mine.ledger.add(spent(0.25));
    expect(mine.ledger.spentUsd()).toBe(0.25);
    other.ledger.add(spent(0.5, { session: 'two' }));
    await other.ledger.refresh();
    await mine.ledger.refresh();
    expect(mine.ledger.spentUsd()).toBeCloseTo(0.75);
    mine.ledger.raise(2);
    await mine.ledger.refresh();
    await other.ledger.refresh();
    expect([mine.ledger.raisedUsd(), other.ledger.raisedUsd()]).toEqual([2, 2]);
    expect(other.ledger.spentUsd()).toBeCloseTo(0.75);
  });

  it('opens its file once for many requests, and reads back only now and then', async () => {
    const files = createNodeFiles();
    const openAppend = vi.fn(files.openAppend);
    const readRange = vi.fn(files.readRange);
    const ledger = createDayLedger({
      files: { ...files, openAppend, readRange },
      clock: memoryClock(NOON),
      folder,
    });
    for (let i = 0; i < 250; i++) {
      ledger.add(spent(0.01));
      await soon(async () => {
        const text = await readFile(join(folder, '2026-11-23.ndjson'), 'utf8');
        expect(text.match(/"usd"/g)).toHaveLength(i + 1);
      });
    }
    expect(ledger.spentUsd()).toBeCloseTo(2.5);
    expect(openAppend).toHaveBeenCalledOnce();
    expect(readRange).toHaveBeenCalledTimes(2);
    expect((await ledger.today()).usd).toBeCloseTo(2.5);
  });

  it('counts why the prompt cache was missed, the most frequent first', async () => {
    const [mine, other] = [open(), open()];
    mine.ledger.miss('a tool was added');
    for (const _ of [1, 2]) other.ledger.miss('the model changed');
    other.ledger.miss('x'.repeat(1_000));
    await other.ledger.refresh();
    const { misses, requests, usd } = await mine.ledger.today();
    expect({ requests, usd }).toEqual({ requests: 0, usd: 0 });
    expect(misses.map(({ reason, count }) => [reason.slice(0, 20), count])).toEqual([
      ['the model changed', 2],
      expect.anything(),
      expect.anything(),
    ]);
    expect(misses.map(({ reason }) => reason)).toContain('a tool was added');
    expect(Math.max(...misses.map(({ reason }) => reason.length))).toBe(300);
  });

  it('sums by session, model, kind of agent and use, the dearest first', async () => {
    const { ledger } = open();
    ledger.add(spent(0.1));
    ledger.add(spent(0.2, { session: 'two', agent: 'Explore' }));
    ledger.add(spent(0.5, { session: 'two', use: 'WebFetch' }));
    const today = await ledger.today();
    expect(today).toMatchObject({ day: '2026-11-23', requests: 3 });
    expect(today.usage.inputTokens).toBe(30);
    expect(today.bySession.map(({ name, requests }) => [name, requests])).toEqual([
      ['two', 2],
      ['one', 1],
    ]);
    expect(today.bySession[0]).toMatchObject({ project: '/srv/site' });
    expect(today.byAgent.map(({ name }) => name)).toEqual(['main', 'Explore']);
    expect(today.byUse.map(({ name }) => name)).toEqual(['WebFetch', 'answers']);
    expect(today.byModel).toHaveLength(1);
    expect(today.byHour[12]).toBeCloseTo(0.8);
  });

  it('begins anew with the next day, and tells how fast money went in the last hour', async () => {
    const { ledger, clock } = open();
    ledger.add(spent(1));
    await clock.advance(2 * HOUR_MS);
    ledger.add(spent(0.5));
    expect((await ledger.today()).lastHourUsd).toBeCloseTo(0.5);
    await clock.advance(12 * HOUR_MS);
    expect(ledger.spentUsd()).toBe(0);
    expect((await ledger.today()).usd).toBe(0);
    const days = await ledger.days();
    expect(days).toHaveLength(30);
    expect(days.slice(-2)).toEqual([
      { day: '2026-11-23', usd: 1.5 },
      { day: '2026-11-24', usd: 0 },
    ]);
  });

  it('passes over what a killed process left of a line, and what is none', async () => {
    await writeFile(
      join(folder, '2026-11-23.ndjson'),
      '{"at":1,"session":"x\n[]\n{"at":1,"usd":"a"}',
    );
    const { ledger } = open();
    ledger.add(spent(0.25));
    await ledger.refresh();
    expect(ledger.spentUsd()).toBe(0.25);
    expect((await open().ledger.today()).usd).toBe(0.25);
  });

  it('tells of lines that cannot be read, and not of those of a later version', async () => {
    const file = join(folder, '2026-11-23.ndjson');
    await writeFile(file, '\n{"at":1,"refunds":[]}\n\n{"at":1,"raisedUsd":2}\n');
    const { ledger } = open();
    expect(await ledger.problems()).toEqual([]);
    await appendFile(file, '{"at":1,"us');
    expect(await ledger.problems()).toMatchObject([{ file, line: 5 }]);
    await appendFile(file, '\n{"at":1,"usd":"a"}\n[]\n');
    ledger.add(spent(0.25));
    const [problem, ...more] = await ledger.problems();
    expect(more).toEqual([]);
    expect(problem).toMatchObject({ file, line: 5, level: 'warning' });
    expect(problem?.message).toMatch(
      /^3 lines cannot be read, so what was paid there counts nowhere/,
    );
    expect([ledger.spentUsd(), ledger.raisedUsd()]).toEqual([0.25, 2]);
  });

  it('keeps the bytes of a past day that cannot be read, and tells of its sum too', async () => {
    const log = join(folder, '2026-11-10.ndjson');
    const sum = join(folder, '2026-11-11.json');
    await writeFile(log, '{"at":1,"session":"x\n');
    await writeFile(sum, '{"usd":');
    await writeFile(join(folder, '2026-11-12.json'), '{"usd":3}');
    const { ledger } = open();
    ledger.add(spent(1));
    const days = await ledger.days();
    expect(days.filter(({ usd }) => usd > 0).map(({ usd }) => usd)).toEqual([3, 1]);
    expect(await readFile(log, 'utf8')).toBe('{"at":1,"session":"x\n');
    expect((await ledger.problems()).map(({ file }) => file).toSorted()).toEqual([log, sum]);
  });

  it('keeps one number of a day that is over, and forgets days after a month', async () => {
    const first = open(NOON - 40 * 24 * HOUR_MS);
    first.ledger.add(spent(9));
    await first.ledger.refresh();
    const past = open(NOON - 5 * 24 * HOUR_MS);
    past.ledger.add(spent(3));
    await past.ledger.refresh();
    expect(await readdir(folder)).toEqual(['2026-11-18.ndjson']);
    const { ledger } = open();
    ledger.add(spent(1));
    const days = await ledger.days();
    expect(days.filter(({ usd }) => usd > 0)).toEqual([
      { day: '2026-11-18', usd: 3 },
      { day: '2026-11-23', usd: 1 },
    ]);
    expect((await readdir(folder)).toSorted()).toEqual(['2026-11-18.json', '2026-11-23.ndjson']);
    expect(await readFile(join(folder, '2026-11-18.json'), 'utf8')).toBe('{"usd":3}');
  });

  it('counts in this process alone where nothing can be written', async () => {
    await writeFile(join(folder, 'file'), '');
    const clock = memoryClock(NOON);
    const ledger = createDayLedger({
      files: createNodeFiles(),
      clock,
      folder: join(folder, 'file'),
    });
    ledger.add(spent(0.25));
    await ledger.refresh();
    expect(ledger.spentUsd()).toBe(0.25);
  });

  it('keeps sums of a bounded number of names', async () => {
    const { ledger } = open();
    for (let i = 0; i < 600; i += 1) ledger.add(spent(0.01, { session: `session-${i}` }));
    const { bySession, usd } = await ledger.today();
    expect(bySession).toHaveLength(501);
    expect(bySession[0]).toMatchObject({ name: 'others', requests: 100 });
    expect(usd).toBeCloseTo(6);
  });
});

it('lists the days up to one, over the change of the clocks and of months', () => {
  const days = lastDays(new Date(2026, 2, 30, 23, 59).getTime(), 30);
  expect([days[0], days.at(-1), days.length]).toEqual(['2026-03-01', '2026-03-30', 30]);
  expect(new Set(days).size).toBe(30);
  expect(dayOf(new Date(2026, 0, 5).getTime())).toBe('2026-01-05');
});

it('counts nothing twice while it is written and read back', async () => {
  const { ledger } = open();
  ledger.add(spent(1));
  ledger.raise(5);
  const seen = new Set<string>();
  let over = false;
  const done = ledger.refresh().then(() => {
    over = true;
  });
  while (!over) {
    seen.add(`${ledger.spentUsd()} ${ledger.raisedUsd()}`);
    await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await done;
  expect([...seen]).toEqual(['1 5']);
});

it('loses nothing that comes while something else is written', async () => {
  const { ledger } = open();
  for (let i = 0; i < 50; i += 1) {
    ledger.add(spent(1));
    await Promise.resolve();
    if (i % 5 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(ledger.spentUsd()).toBe(50);
  expect(await ledger.today()).toMatchObject({ usd: 50, requests: 50 });
  expect(await open().ledger.today()).toMatchObject({ usd: 50, requests: 50 });
});
