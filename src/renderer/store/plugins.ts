import type { PluginAct, PluginsOverview } from '../../shared/plugin';
import type { Result } from '../../shared/result';
import type { Lathe } from './lathe';

/** Lists all plugins with what they bring. */
export const listPlugins = (lathe: Lathe, project: string): Promise<Result<PluginsOverview>> =>
  lathe.ask((client) => client.plugins.list({ project }));

/** Does something about plugins; true when it was done. */
export type DoPlugins = (act: PluginAct) => Promise<boolean>;

/** Changes plugins or their marketplaces. */
export const actOnPlugins = (
  lathe: Lathe,
  project: string,
  act: PluginAct,
): Promise<Result<null>> => lathe.ask((client) => client.plugins.act({ project, act }));
