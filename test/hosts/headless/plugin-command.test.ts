import { expect, it } from 'vitest';
import { runPluginCommand } from '../../../src/main/hosts/headless/plugin-command';
import type { PluginAct, PluginView } from '../../../src/shared/plugin';
import { ok } from '../../../src/shared/result';

const view = (id: string): PluginView => ({
  ...{ id, name: id.split('@')[0] ?? '', version: '1', description: '', from: '/town' },
  ...{
    state: 'available',
    enabled: false,
    digest: 'd',
    approved: '',
    parts: [],
    options: [],
    problems: [],
  },
});

it.each([
  ['formatter', 'install', 'formatter@team'],
  ['formatter@team', 'install', 'formatter@team'],
  ['formatter', 'disable', 'formatter@team'],
  // There are two of them.
  ['mail', 'disable', 'mail'],
] as const)('%s in lathe plugin %s stands for %s', async (name, verb, id) => {
  const acts: PluginAct[] = [];
  const plugins = ['formatter@team', 'mail@team', 'mail@town'].map(view);
  await runPluginCommand(
    { kind: 'plugin', verb, name, agreed: true, folder: '/p' },
    {
      plugins: {
        list: async () => ok({ plugins, marketplaces: [], problems: [] }),
        act: async (act) => {
          acts.push(act);
          return ok(null);
        },
      },
      ...{ say: () => {}, complain: () => {}, confirm: null },
    },
  );
  expect(acts).toMatchObject([{ kind: verb, id }]);
});
