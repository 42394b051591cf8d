import { err, fault, ok, type Result } from '../../shared/result';
import type { SettingsProblem } from '../../shared/settings';
import type { Files } from '../engine/ports';
import { type EditSettings, UNTRUSTED } from '../engine/session/overlay';
import type { HostPolicy } from '../engine/session/session-scope';
import { createFreshener, newProblems } from '../engine/settings/changes';
import type { EffectiveSettings } from '../engine/settings/effective';
import { CHANGED_SETTINGS } from '../engine/settings/load';
import type { McpServerSetting } from '../engine/settings/mcp-servers';
import {
  type DrivingProgram,
  type GivenPlugin,
  type HeadlessOptions,
  NAMED_LATER,
} from './headless-session';

/** The settings of a run without a window: those of files and of the command line, and what its program changes meanwhile. */
export interface RunSettings {
  readonly current: () => EffectiveSettings;
  /** The choices about settings for the host of the session. */
  readonly host: Pick<
    HostPolicy,
    'settings' | 'freshenSettings' | 'refreshSettings' | 'changeSettings'
  >;
  /** Reads the files again, those of more plugins included. */
  reload(plugins?: readonly GivenPlugin[]): Promise<void>;
  /** Lets JSON of settings hold, in the place of what held so before; an error changes nothing. */
  change(text: string): Promise<Result<Record<string, never>>>;
  /** Puts servers that the program names in the place of those it named before. */
  nameServers(servers: readonly McpServerSetting[]): void;
  /** Returns the names of the servers that go when the program names others. */
  namedServers(): readonly string[];
  /** Passes on the problems that a change of the files brings, from now on. */
  onProblem(tell: (problem: SettingsProblem) => void): void;
}

interface RunSettingsOptions {
  readonly files: Files;
  readonly options: HeadlessOptions;
  readonly program: DrivingProgram | undefined;
  /** The folder whose configuration counts, and whether the user trusts it. */
  readonly root: string;
  readonly trusted: boolean;
  readonly load: (options: HeadlessOptions) => Promise<EffectiveSettings>;
  /** Changes a settings file and gives its path. */
  readonly edit: EditSettings;
}

/** Creates the settings of a run from those that were loaded for it. */
export function createRunSettings(
  loaded: EffectiveSettings,
  { files, options, program, root, trusted, load, edit }: RunSettingsOptions,
): RunSettings {
  const isAttended = (program?.createBroker ?? null) !== null;
  /** The servers that the program named in the middle of the run; null: it named none so. */
  let named: readonly McpServerSetting[] | null = null;
  let changed: string | undefined;
  let added: readonly GivenPlugin[] = [];
  let tell = (_: SettingsProblem) => {};
  const forRun = (settings: EffectiveSettings): EffectiveSettings => ({
    ...settings,
    ...(program === undefined ? {} : { hooks: [...program.hooks, ...settings.hooks] }),
    ...dailyLimit(settings, options),
    ...(named === null ? {} : { mcpServers: withNamed(settings.mcpServers, named) }),
  });
  let current = forRun(loaded);
  const loadAgain = async () => {
    const asked = {
      ...withPlugins(options, added),
      ...(changed === undefined ? {} : { changedSettings: changed }),
    };
    return forRun(await load(asked));
  };
  const settings = () => current;

  return {
    current: settings,
    host: {
      settings,
      freshenSettings: createFreshener({
        files,
        settings,
        refresh: async () => {
          const next = await loadAgain();
          for (const one of newProblems(current, next)) tell(one);
          current = next;
        },
      }),
      refreshSettings: async () => {
        if (isAttended) current = await loadAgain();
      },
      changeSettings: async (destination, change) => {
        if (destination !== 'userSettings' && !trusted) return err(UNTRUSTED);
        const written = await edit(root, destination, change);
        if (written.ok) current = await loadAgain();
        return written;
      },
    },
    reload: async (plugins = []) => {
      added = [...added, ...plugins];
      current = await loadAgain();
    },
    change: async (text) => {
      const before = changed;
      changed = text;
      const next = await loadAgain();
      const wrong = next.problems.find(
        ({ file, level }) => level === 'error' && file === CHANGED_SETTINGS,
      );
      if (wrong !== undefined) {
        changed = before;
        return err(fault('bad_settings', wrong.message));
      }
      current = next;
      return ok({});
    },
    nameServers: (servers) => {
      named = servers;
      current = { ...current, mcpServers: withNamed(current.mcpServers, servers) };
    },
    namedServers: () =>
      (current.mcpServers ?? []).flatMap((one) => (isReplaced(one) ? one.name : [])),
    onProblem: (listener) => {
      tell = listener;
    },
  };
}

/** More plugins cannot be added to a run. */
const MAX_ADDED_PLUGINS = 100;

/** Returns the options of a run with the plugins that its program added since. */
function withPlugins(options: HeadlessOptions, given: readonly GivenPlugin[]): HeadlessOptions {
  if (given.length === 0) return options;
  const added = given.slice(0, MAX_ADDED_PLUGINS);
  const folders = [...(options.pluginFolders ?? []), ...added.map(({ path }) => path)];
  const serverless = added.flatMap(({ path, isServerless }) => (isServerless ? path : []));
  return {
    ...options,
    pluginFolders: [...new Set(folders)],
    serverlessPlugins: [...(options.serverlessPlugins ?? []), ...serverless],
  };
}

/** Returns the lower limit of a day, of settings and the command line; nothing where neither sets one. */
function dailyLimit(
  { maxDailyBudgetUsd: own = Number.POSITIVE_INFINITY }: EffectiveSettings,
  { maxDailyBudgetUsd: asked = Number.POSITIVE_INFINITY }: HeadlessOptions,
): Pick<EffectiveSettings, 'maxDailyBudgetUsd'> {
  const lower = Math.min(own, asked);
  return lower === Number.POSITIVE_INFINITY ? {} : { maxDailyBudgetUsd: lower };
}

/** Tells whether a server goes when the program names others: those inside it, and what it named so before. */
const isReplaced = ({ inside, file }: McpServerSetting): boolean =>
  inside === true || file === NAMED_LATER;

/** Returns servers with those that the program names, in the place of what goes with that. Pure. */
const withNamed = (
  servers: readonly McpServerSetting[] = [],
  named: readonly McpServerSetting[],
): readonly McpServerSetting[] => [
  ...servers.filter((one) => !isReplaced(one) && !named.some(({ name }) => name === one.name)),
  ...named,
];
