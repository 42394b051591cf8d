import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHome, type Home } from './support';

let home: Home;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.remove());

/** The limit of a day when a user, the project and the user in the project say these. */
async function limitOf(own: number | null, project: number | null, trusted: boolean) {
  const file = (usd: number | null) => (usd === null ? {} : { maxDailyBudgetUsd: usd });
  home.put('.claude/settings.json', file(own));
  home.put('proj/.claude/settings.json', file(project));
  return (await home.load(trusted)).maxDailyBudgetUsd;
}

test.each<[number | null, number | null, boolean, number | undefined]>([
  [null, null, true, undefined],
  [10, null, true, 10],
  // A project lowers it for all that works in it, and never raises it.
  [10, 2, true, 2],
  [10, 50, true, 10],
  [null, 2, true, 2],
  // Before trust a project may restrict as well.
  [10, 50, false, 10],
])('of a user %s, of a project %s, trusted %s: %s', async (own, project, trusted, expected) =>
  expect(await limitOf(own, project, trusted)).toBe(expected),
);
