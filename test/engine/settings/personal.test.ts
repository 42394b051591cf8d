import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
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

test('only a user and the machine can say when unused sessions go', async () => {
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

test('only managed settings can close Lathe to what people add', async () => {
  const limits = {
    allowManagedMcpServersOnly: true,
    allowedProviders: ['bedrock'],
    disableSideloadFlags: true,
    strictPluginOnlyCustomization: true,
  };
  at.put('.claude/settings.json', limits);
  const own = await at.load(true);
  expect(own.problems.map(({ field }) => field).sort()).toEqual(Object.keys(limits));
  expect([own.pluginsOnly, own.noSideloads, own.allowedProviders]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  at.put('etc/managed-settings.json', { ...limits, strictPluginOnlyCustomization: 'skills' });
  expect(await at.load(false)).toMatchObject({
    pluginsOnly: ['skills', 'agents', 'hooks', 'mcp'],
    noSideloads: true,
    allowedProviders: { names: ['bedrock'], addresses: [] },
  });
});

test('with allowManagedMcpServersOnly no list of anybody else counts', async () => {
  const names = (...all: string[]) => all.map((serverName) => ({ serverName }));
  at.put('.claude/settings.json', { allowedMcpServers: names('mine') });
  at.put('proj/.claude/settings.json', { allowedMcpServers: names('ours') });
  const managed = at.put('etc/managed-settings.json', {
    allowManagedMcpServersOnly: true,
    allowedMcpServers: names('theirs'),
  });
  expect((await at.load(true)).serverPolicy?.allowed).toEqual([
    { file: managed, entries: names('theirs') },
  ]);
});

test('every setting that the SDK has is known, if only as one of other programs', async () => {
  const types = join(import.meta.dirname, '../../../node_modules/@anthropic-ai/claude-agent-sdk');
  const text = await readFile(join(types, 'sdk.d.ts'), 'utf8');
  const [, body = ''] = text.split('export declare interface Settings {');
  const [own = ''] = body.split(/\r?\n\}\r?\n/);
  const keys = [...own.matchAll(/^ {4}(\w+)\??:/gm)].map(([, key = '']) => key);
  expect(keys.length).toBeGreaterThan(100);
  at.put('.claude/settings.json', Object.fromEntries(keys.map((key) => [key, null])));
  const { problems } = await at.load(true);
  expect(problems.filter(({ message }) => message.includes('there is no such'))).toEqual([]);
});
