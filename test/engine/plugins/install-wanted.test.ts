import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { createPluginStateFile } from '../../../src/main/engine/settings/plugins/plugin-state';
import { createNodeFiles } from '../../../src/main/node/files';
import { createNodeLocks } from '../../../src/main/node/locks';
import { failed, ID, installed, installing } from './installing';
import { type loadWithPlugins, MARKETPLACE, putAll } from './support';

const files = createNodeFiles();
const { home, newStore, written, install, counted, kept } = installing(async () => {
  throw new Error('nothing is to be fetched');
});

const town = (path = join(home(), 'town')) => ({ town: { source: { source: 'directory', path } } });
const ON = { enabledPlugins: { [ID]: true } };
const INSTALLED = [installed('town'), installed(ID)];

describe('what settings turn on', () => {
  it.each<[string, () => Parameters<typeof loadWithPlugins>[3]]>([
    [
      'in the settings of the user',
      () => {
        written({ ...ON, extraKnownMarketplaces: town() });
        return {};
      },
    ],
    [
      'in managed settings',
      () => {
        putAll(home(), { 'managed.json': { ...ON, extraKnownMarketplaces: town() } });
        return { managedFile: join(home(), 'managed.json') };
      },
    ],
    [
      'with --settings',
      () => ({ settings: JSON.stringify({ ...ON, extraKnownMarketplaces: town() }) }),
    ],
    [
      'with --settings, of a marketplace that the user names',
      () => {
        written({ extraKnownMarketplaces: town() });
        return { settings: JSON.stringify(ON) };
      },
    ],
    [
      'in the settings of the user, while a folder names another marketplace so',
      () => {
        written({ ...ON, extraKnownMarketplaces: town() });
        const elsewhere = { extraKnownMarketplaces: town(join(home(), 'elsewhere')) };
        putAll(home(), { 'proj/.claude/settings.json': { ...ON, ...elsewhere } });
        return {};
      },
    ],
  ])('is installed once: %s', async (_, put) => {
    const asked = put();
    expect(await install(asked)).toEqual(INSTALLED);
    expect(await counted(asked)).toEqual(['house']);
    expect(await install(asked)).toEqual([]);
  });

  it.each(['settings.json', 'settings.local.json'])(
    'THREATS 1: is never installed for a folder, trusted or not: %s',
    async (name) => {
      written({ extraKnownMarketplaces: town() });
      putAll(home(), { [`proj/.claude/${name}`]: { ...ON, extraKnownMarketplaces: town() } });
      expect(await install({}, { trusted: false })).toEqual([]);
      expect(await install()).toEqual([failed(ID, 'lathe plugin install house@town')]);
      expect(await counted()).toEqual([]);
      expect(existsSync(join(home(), 'plugins', 'plugins.json'))).toBe(false);
    },
  );

  it('THREATS 1: does not come from a marketplace that only a folder names', async () => {
    written(ON);
    putAll(home(), { 'proj/.claude/settings.json': { extraKnownMarketplaces: town() } });
    const reports = await install();
    expect(reports).toEqual([
      failed('town', 'Your own settings name no marketplace "town"'),
      failed(ID, 'is not there'),
    ]);
    expect(await counted()).toEqual([]);
  });

  it('comes from a marketplace that was added', async () => {
    await newStore().addMarketplace({ kind: 'folder', path: join(home(), 'town') });
    written(ON);
    expect(await install()).toEqual([installed(ID)]);
  });

  it('is not installed where a folder turns it off', async () => {
    written({ ...ON, extraKnownMarketplaces: town() });
    putAll(home(), { 'proj/.claude/settings.json': { enabledPlugins: { [ID]: false } } });
    expect(await install()).toEqual([]);
  });
});

test('what changed since it was agreed to is not agreed to again', async () => {
  written({ ...ON, extraKnownMarketplaces: town() });
  await install();
  const [copy = ''] = kept('installed');
  putAll(join(home(), 'plugins', 'installed', copy), { 'commands/evil.md': 'Do as I say.' });
  putAll(join(home(), 'town'), { 'plugins/house/commands/new.md': 'Newer.' });
  const before = readFileSync(join(home(), 'plugins', 'plugins.json'), 'utf8');
  expect(await install()).toEqual([]);
  expect(readFileSync(join(home(), 'plugins', 'plugins.json'), 'utf8')).toBe(before);
  expect(await counted()).toEqual([]);
});

test('what fails costs nothing but itself', async () => {
  const plugins = ['house', 'linked'].map((name) => ({ name, source: `./plugins/${name}` }));
  putAll(join(home(), 'town'), {
    '.claude-plugin/marketplace.json': { name: 'town', plugins },
    'plugins/linked/.claude-plugin/plugin.json': { name: 'linked' },
  });
  symlinkSync('/etc/hostname', join(home(), 'town', 'plugins', 'linked', 'link.md'));
  putAll(join(home(), 'other'), MARKETPLACE);
  const other = { source: { source: 'directory', path: join(home(), 'other') } };
  const ids = ['linked@town', 'none@town', ID, 'house@village'];
  written({
    enabledPlugins: Object.fromEntries(ids.map((id) => [id, true])),
    extraKnownMarketplaces: { ...town(), village: other },
  });
  const reports = await install();
  expect(reports).toHaveLength(6);
  for (const one of [
    ...INSTALLED,
    failed('linked@town', 'is a link'),
    failed('none@town', 'is not offered by town'),
    failed('village', 'calls itself "town"'),
    failed('house@village', 'is not there'),
  ])
    expect(reports).toContainEqual(one);
  expect(await counted()).toEqual(['house']);
});

test('what two processes change at once is all kept', async () => {
  const folder = join(home(), 'plugins');
  const change = (id: string) =>
    createPluginStateFile(files, folder, createNodeLocks()).change((now) => ({
      ...now,
      fetched: { ...now.fetched, [id]: 'x' },
    }));
  const ids = Array.from({ length: 12 }, (_, at) => `p${at}@town`);
  expect(await Promise.all(ids.map(change))).toEqual(ids.map(() => ({ ok: true, value: null })));
  const kept = JSON.parse(readFileSync(join(folder, 'plugins.json'), 'utf8'));
  expect(Object.keys(kept.fetched).toSorted()).toEqual(ids.toSorted());
});
