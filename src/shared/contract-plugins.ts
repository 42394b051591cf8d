import { oc } from '@orpc/contract';
import { z } from 'zod';
import { outcome, Path } from './contract-inputs';
import { PluginAct, type PluginsOverview } from './plugin';

/** The part of the contract about plugins. */
export const pluginsContract = {
  /** Lists all plugins with what they bring, as they stand in a project. */
  list: oc.input(z.object({ project: Path })).output(outcome<PluginsOverview>()),
  /** Installs, turns on or off, updates or removes one; adds, updates or removes a marketplace. */
  act: oc.input(z.object({ project: Path, act: PluginAct })).output(outcome<null>()),
};
