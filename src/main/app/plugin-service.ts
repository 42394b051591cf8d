import { join } from 'node:path';
import type { PluginAct, PluginOptionView, PluginsOverview, PluginView } from '../../shared/plugin';
import { err, fault, ok, type Result } from '../../shared/result';
import type { PluginStore } from '../engine/plugins/plugin-store';
import type { EffectiveSettings } from '../engine/settings/effective';
import { marketplaceSource } from '../engine/settings/plugins/marketplace';
import { typedValue } from '../engine/settings/plugins/plugin-options';
import { withPluginOption, withPluginSwitch } from '../engine/settings/plugins/plugin-switch';
import type { Plugin } from '../engine/settings/plugins/read-plugin';
import type { SettingsWriter } from '../engine/settings/write';

/** Shows and changes plugins for a user. */
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

/** Creates the service. What is turned on or off is written to the user's own settings. */
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

  /** Returns a plugin of a folder that the command line names, which no store knows. */
  const ofFolder = async (plugin: Plugin): Promise<PluginView> => ({
    ...{ id: plugin.name, name: plugin.name, version: plugin.version },
    ...{ description: plugin.description, state: 'on', enabled: true, digest: '', approved: '' },
    ...(await store.partsOf(plugin)),
    from: `${plugin.root} (--plugin-dir, in this run)`,
  });

  const list = async (project: string): Promise<Result<PluginsOverview>> => {
    const found = settings(project);
    if (found === null) return err(NO_PROJECT);
    const { pluginSwitches: switches = {}, marketplaces = {}, plugins = [] } = found;
    const overview = await store.overview({ switches, marketplaces });
    const folders = await Promise.all(plugins.filter((one) => one.ofFolder).map(ofFolder));
    const all = [...folders, ...overview.plugins].map((view) => ({
      ...view,
      options: view.options.map((option) => withGiven(option, view, found)),
    }));
    return ok({ ...overview, plugins: all });
  };

  const setOption = async (
    project: string,
    { id, option: key, value }: Extract<PluginAct, { kind: 'set' }>,
  ): Promise<Result<null>> => {
    const listed = await list(project);
    if (!listed.ok) return listed;
    const view = listed.value.plugins.find((one) => one.id === id);
    if (view === undefined) return err(fault('no_plugin', `There is no plugin ${id}.`));
    const known = view.options.map((one) => one.key);
    const option = view.options.find((one) => one.key === key);
    if (option === undefined)
      return err(
        fault(
          'no_option',
          `The plugin ${id} has no option "${key}".`,
          known.length === 0 ? 'It has none.' : `It has ${known.join(', ')}.`,
        ),
      );
    const typed = value === null ? ok(undefined) : typedValue(option, value);
    if (!typed.ok) return err(fault('bad_value', `${key}: ${typed.error}.`));
    return writer.change(file, (text) => withPluginOption(text, file, [id, key], typed.value));
  };

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
      case 'set':
        return setOption(project, act);
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
    list,
    act: async (project, act) => {
      if (settings(project) === null) return err(NO_PROJECT);
      const done = await change(project, act);
      await refresh();
      return done;
    },
  };
}

const NO_PROJECT = fault('not_open', 'That folder is not open.', 'Open it first.');

/** Returns an option with the value that the user gave it; of a secret one only that there is one. */
function withGiven(
  option: PluginOptionView,
  { id, name }: PluginView,
  { pluginOptions = {} }: EffectiveSettings,
): PluginOptionView {
  const place = [id, name].find((one) => Object.hasOwn(pluginOptions, one));
  const given = place === undefined ? {} : (pluginOptions[place] ?? {});
  const isSet = Object.hasOwn(given, option.key);
  return { ...option, isSet, value: isSet && !option.sensitive ? String(given[option.key]) : null };
}
