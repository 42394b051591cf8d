import { join } from 'node:path';
import type { PluginAct, PluginsOverview } from '../../shared/plugin';
import { err, fault, ok, type Result } from '../../shared/result';
import type { PluginStore } from '../engine/plugins/plugin-store';
import type { EffectiveSettings } from '../engine/settings/effective';
import { marketplaceSource } from '../engine/settings/plugins/marketplace';
import { withPluginSwitch } from '../engine/settings/plugins/plugin-switch';
import type { SettingsWriter } from '../engine/settings/write';

/** Shows and changes plugins for a person. */
export interface PluginService {
  /** Lists all plugins, and what they bring, as they stand in a project. */
  list(project: string): Promise<Result<PluginsOverview>>;
  act(project: string, act: PluginAct): Promise<Result<null>>;
}

/** The same for one project. */
export interface ProjectPlugins {
  list(): Promise<Result<PluginsOverview>>;
  act(act: PluginAct): Promise<Result<null>>;
}

export interface PluginServiceOptions {
  readonly store: PluginStore;
  readonly writer: SettingsWriter;
  readonly configDir: string;
  readonly home: string;
  /** The settings of an open project; null for one that is not open. */
  readonly settings: (project: string) => EffectiveSettings | null;
  /** Has every open project read its settings again. */
  readonly refresh: () => Promise<void>;
}

/** Creates the service. What is turned on or off is written to the person's own settings. */
export function createPluginService({
  store,
  writer,
  configDir,
  home,
  settings,
  refresh,
}: PluginServiceOptions): PluginService {
  const file = join(configDir, 'settings.json');
  const turn = (id: string, on: boolean | null) =>
    writer.change(file, (text) => withPluginSwitch(text, file, id, on));

  const change = async (project: string, act: PluginAct): Promise<Result<null>> => {
    switch (act.kind) {
      case 'fetch':
        return store.fetch(act.id);
      case 'install': {
        const installed = await store.install(act.id, act.digest);
        return installed.ok ? turn(act.id, true) : installed;
      }
      case 'enable': {
        const approved = await store.approve(act.id, act.digest);
        return approved.ok ? turn(act.id, true) : approved;
      }
      case 'disable':
        return turn(act.id, false);
      case 'remove': {
        const removed = await store.remove(act.id);
        return removed.ok ? turn(act.id, null) : removed;
      }
      case 'addMarketplace': {
        const named = settings(project)?.marketplaces ?? {};
        const known = Object.hasOwn(named, act.source) ? named[act.source] : undefined;
        const added = await store.addMarketplace(
          known ?? marketplaceSource(act.source, project, home),
        );
        return added.ok ? ok(null) : added;
      }
      case 'updateMarketplace':
        return store.updateMarketplace(act.name);
      case 'removeMarketplace':
        return store.removeMarketplace(act.name);
    }
  };

  return {
    list: async (project) => {
      const found = settings(project);
      if (found === null) return err(NO_PROJECT);
      const { pluginSwitches: switches = {}, marketplaces = {} } = found;
      return ok(await store.overview({ switches, marketplaces }));
    },
    act: async (project, act) => {
      if (settings(project) === null) return err(NO_PROJECT);
      const done = await change(project, act);
      await refresh();
      return done;
    },
  };
}

const NO_PROJECT = fault('not_open', 'That folder is not open.', 'Open it first.');
