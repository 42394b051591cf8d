import { eventIterator, oc, type } from '@orpc/contract';
import { z } from 'zod';
import { outcome, Path, SessionId } from './contract-inputs';
import { MAX_MEMORY, type MemoryOverview, MemoryPlace } from './memory';
import { PluginAct, type PluginsOverview } from './plugin';
import { ToolServerAct, type ToolServerDetails, type ToolServerView } from './tool-server';

/** The parts of the contract about plugins, memory and tool servers. */
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
  toolServers: {
    /** The servers of a session, and again whenever something about them changed. */
    watch: oc
      .input(z.object({ sessionId: SessionId }))
      .output(eventIterator(type<readonly ToolServerView[]>())),
    /** All that one of them offers and said. */
    details: oc
      .input(z.object({ sessionId: SessionId, name: z.string().min(1).max(200) }))
      .output(outcome<ToolServerDetails>()),
    /** Restarts one, switches it, signs in or out; the value says what is not seen in the list. */
    act: oc
      .input(z.object({ sessionId: SessionId, act: ToolServerAct }))
      .output(outcome<string | null>()),
  },
};
