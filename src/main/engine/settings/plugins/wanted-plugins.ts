import path from 'node:path';
import type { SettingsProblem } from '../../../../shared/settings';
import type { SettingsLayer } from '../read';
import { type MarketplaceSource, settingsSource } from './marketplace';
import type { WantedPlugin } from './plugin-loader';
import type { PluginOptionsGiven } from './plugin-options';

/** The plugins that settings turn on or off, and the marketplaces they name. */
export interface PluginWishes {
  readonly wanted: readonly WantedPlugin[];
  /** Each plugin that settings name, and whether they turn it on. */
  readonly switches: Readonly<Record<string, boolean>>;
  /** The marketplaces that settings name, by name. */
  readonly marketplaces: Readonly<Record<string, MarketplaceSource>>;
  /** The values that people gave to options of plugins, by the plugin's id or name. */
  readonly options: PluginOptionsGiven;
  readonly problems: readonly SettingsProblem[];
}

/**
 * Reads the wishes of settings files about plugins, of the strongest file for each plugin. `layers`: strongest first, those
 * that count only. Pure.
 */
export function pluginWishes(
  layers: readonly SettingsLayer[],
  { project, home }: { readonly project: string; readonly home: string },
): PluginWishes {
  const switches: Record<string, boolean> = Object.create(null);
  const wanted: WantedPlugin[] = [];
  const marketplaces: Record<string, MarketplaceSource> = Object.create(null);
  const problems: SettingsProblem[] = [];
  const options: Record<string, Record<string, unknown>> = Object.create(null);
  for (const { source, fields, file, lines } of layers) {
    const tell = (field: string, name: string, message: string) => {
      const line = lines[field];
      const place = line === undefined ? file : `${file}, line ${line}`;
      problems.push({
        file,
        ...(line === undefined ? {} : { line }),
        field: `${field}.${name}`,
        message: `${place}: ${field}.${name}: ${message}.`,
        level: 'warning',
      });
    };
    for (const [id, on] of Object.entries(fields.enabledPlugins ?? {})) {
      if (Object.hasOwn(switches, id)) continue;
      if (!/^[\w.-]+@[\w.-]+$/.test(id)) {
        tell('enabledPlugins', id, 'a name such as "formatter@team" is expected');
      } else if (typeof on !== 'boolean') tell('enabledPlugins', id, 'true or false is expected');
      else {
        switches[id] = on;
        const line = lines['enabledPlugins'];
        if (on) wanted.push({ id, file, ...(line === undefined ? {} : { line }) });
      }
    }
    const ofFolder = source === 'projectSettings' || source === 'localSettings';
    for (const [name, value] of Object.entries(fields.pluginConfigs ?? {})) {
      const given = Object(value)['options'];
      // A folder could lead a plugin of the user elsewhere, with their keys.
      if (ofFolder) tell('pluginConfigs', name, 'only your own settings give values to plugins');
      else if (typeof given !== 'object' || given === null || Array.isArray(given))
        tell('pluginConfigs', name, '"options" with an object of values is expected');
      else options[name] = { ...given, ...options[name] };
    }
    for (const [name, value] of Object.entries(
      fields.extraKnownMarketplaces ?? fields.additionalMarketplaces ?? {},
    )) {
      if (Object.hasOwn(marketplaces, name)) continue;
      const base =
        path.isAbsolute(file) && !file.startsWith(project) ? path.dirname(file) : project;
      const source = settingsSource(value, base, home);
      if (source === null)
        tell(
          'extraKnownMarketplaces',
          name,
          'a "source" of "directory", "git" or "github" is expected',
        );
      else marketplaces[name] = source;
    }
  }
  return { wanted, switches, marketplaces, options, problems };
}
