import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EffectiveSettings } from '../../../src/main/engine/settings/effective';
import { createHome, type Home } from './support';

let at: Home;
beforeEach(() => {
  at = createHome();
});
afterEach(() => at.remove());

test.each<[unknown, unknown, EffectiveSettings['attribution']]>([
  [{ commit: 'A' }, undefined, { commit: 'A' }],
  [{ commit: 'A' }, { commit: 'B', pr: '' }, { commit: 'B', pr: '' }],
  [{ commit: 'A' }, false, undefined],
  [true, undefined, undefined],
  [{ commit: 'A'.repeat(2001) }, undefined, undefined],
])('attribution of the user %j and of a trusted project %j', async (user, project, expected) => {
  at.put('.claude/settings.json', { attribution: user });
  at.put('proj/.claude/settings.json', { attribution: project });
  const { attribution, findings } = await at.load(true);
  expect(attribution).toEqual(expected);
  expect(findings.map(({ what }) => what)).toEqual(
    typeof project === 'object' ? ['attribution'] : [],
  );
  const untrusted = (await at.load(false)).attribution;
  expect(untrusted).toEqual((user as { commit?: string }).commit === 'A' ? user : undefined);
});

test('only a person and the machine can say when unused sessions go', async () => {
  at.put('.claude/settings.json', { cleanupPeriodDays: 90 });
  at.put('proj/.claude/settings.json', { cleanupPeriodDays: 1 });
  const { cleanupPeriodDays, problems } = await at.load(true);
  expect(cleanupPeriodDays).toBe(90);
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringMatching(/line 2: cleanupPeriodDays: left out, because a folder cannot set it/),
  ]);
  at.put('.claude/settings.json', { cleanupPeriodDays: 0 });
  expect((await at.load(true)).cleanupPeriodDays).toBeUndefined();
});

test('only managed settings can say which marketplaces may be added', async () => {
  at.put('.claude/settings.json', { blockedMarketplaces: [], strictKnownMarketplaces: [] });
  expect((await at.load(true)).problems.map(({ field, line }) => [field, line])).toEqual([
    ['blockedMarketplaces', 2],
    ['strictKnownMarketplaces', 3],
  ]);
});

test('only managed settings can deny models, and any that counts can bind the usual one', async () => {
  const all = {
    availableModels: ['sonnet'],
    availableModelsMatch: 'exact',
    deniedModels: ['opus'],
    enforceAvailableModels: true,
  };
  const own = at.put('.claude/settings.json', all);
  const { availableModels, deniedModels, exactModels, enforceAvailableModels, problems } =
    await at.load(true);
  expect({ availableModels, deniedModels, exactModels, enforceAvailableModels }).toEqual({
    availableModels: [{ file: own, entries: ['sonnet'] }],
    enforceAvailableModels: true,
  });
  expect(problems.map(({ field }) => field)).toEqual(['availableModelsMatch', 'deniedModels']);
  at.put('etc/managed-settings.json', { ...all, deniedModels: 'opus', enforceAvailableModels: 0 });
  expect(await at.load(false)).toMatchObject({
    exactModels: true,
    enforceAvailableModels: true,
    deniedModels: { entries: ['*'] },
  });
});
