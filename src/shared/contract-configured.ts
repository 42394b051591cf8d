import { oc } from '@orpc/contract';
import { z } from 'zod';
import { outcome, Path } from './contract-inputs';
import { MAX_MEMORY, type MemoryOverview, MemoryPlace } from './memory';
import { PluginAct, type PluginsOverview } from './plugin';

/** The parts of the contract about plugins and memory. */
export const configuredContract = {
  plugins: {
    /** Lists all plugins with what they bring, as they stand in a project. */
    list: oc.input(z.object({ project: Path })).output(outcome<PluginsOverview>()),
    /** Installs, turns on or off, updates or removes one; adds, updates or removes a marketplace. */
    act: oc.input(z.object({ project: Path, act: PluginAct })).output(outcome<null>()),
  },
  memory: {
    /** Lists what new sessions of a project begin with. */
    list: oc.input(z.object({ project: Path })).output(outcome<MemoryOverview>()),
    /** Adds a memory at the end of a place's file and returns the file. */
    add: oc
      .input(
        z.object({ project: Path, place: MemoryPlace, text: z.string().min(1).max(MAX_MEMORY) }),
      )
      .output(outcome<string>()),
    /** Lets a project import a file from outside of it, or no longer. */
    allowImport: oc
      .input(z.object({ project: Path, path: Path, allowed: z.boolean() }))
      .output(outcome<null>()),
  },
};
