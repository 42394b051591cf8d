import { describe, expect, it } from 'vitest';
import { dayBars, linesOf } from '../../../src/renderer/costs/cost-lines';
import { NO_COSTS_YET } from '../../support/costs';

const known = { sessions: [{ id: 'one', title: 'Fix the login' }], models: [] };

describe('the lines of a day', () => {
  it('names sessions, agents and uses for people', () => {
    const today = {
      ...NO_COSTS_YET.today,
      bySession: [
        { name: 'one', project: '/srv/site', usd: 2, requests: 4 },
        { name: 'abcdefgh-1234', project: '/srv/old', usd: 1, requests: 1 },
      ],
      byAgent: [
        { name: 'main', usd: 2, requests: 4 },
        { name: 'Explore', usd: 1, requests: 1 },
      ],
      byUse: [
        { name: 'answers', usd: 2, requests: 4 },
        { name: 'web page', usd: 0, requests: 1 },
      ],
    };
    expect(linesOf(today, 'bySession', known)).toEqual([
      { id: 'one', name: 'Fix the login', note: 'site', usd: 2, requests: 4, share: 1 },
      {
        id: 'abcdefgh-1234',
        name: 'Session abcdefgh',
        note: 'old',
        usd: 1,
        requests: 1,
        share: 0.5,
      },
    ]);
    expect(linesOf(today, 'byAgent', known).map(({ name }) => name)).toEqual([
      'Main agent',
      'Explore',
    ]);
    expect(linesOf(today, 'byUse', known).map(({ name }) => name)).toEqual(['Answers', 'Web page']);
  });

  it('sums up what comes after the first twenty', () => {
    const bySession = Array.from({ length: 25 }, (_, i) => ({
      ...{ name: `session-${i}`, usd: 1, requests: 2 },
    }));
    const lines = linesOf({ ...NO_COSTS_YET.today, bySession }, 'bySession', known);
    expect(lines).toHaveLength(21);
    expect(lines.at(-1)).toMatchObject({ name: '5 more', usd: 5, requests: 10 });
  });
});

it('draws days against the dearest one', () => {
  const days = [
    { day: '2026-11-22', usd: 4 },
    { day: '2026-11-23', usd: 1 },
  ];
  expect(dayBars(days)).toEqual([
    { day: '2026-11-22', label: 'Nov 22', usd: 4, share: 1 },
    { day: '2026-11-23', label: 'Nov 23', usd: 1, share: 0.25 },
  ]);
  expect(dayBars([{ day: '2026-11-23', usd: 0 }])[0]?.share).toBe(0);
});
