import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { type InstallReport, installWishes } from '../../../src/main/engine/plugins/install-wanted';
import {
  createPluginStore,
  type FetchRepository,
} from '../../../src/main/engine/plugins/plugin-store';
import { createPluginFolders } from '../../../src/main/engine/settings/plugins/folder';
import { createPluginStateFile } from '../../../src/main/engine/settings/plugins/plugin-state';
import { createNodeFiles } from '../../../src/main/node/files';
import { createNodeLocks } from '../../../src/main/node/locks';
import { createNodeIds } from '../../../src/main/node/system';
import { loadWithPlugins, MARKETPLACE, putAll } from './support';

/** The plugin that the marketplace `town` offers. */
export const ID = 'house@town';

export const installed = (name: string) => ({ status: 'installed', name });
export const failed = (name: string, error: string) =>
  expect.objectContaining({ status: 'failed', name, error: expect.stringContaining(error) });

/** Installs what settings want: a home with the marketplace `town` and a project for each test. */
export function installing(fetchRepository: FetchRepository) {
  let home: string;
  beforeEach(() => {
    home = realpathSync(mkdtempSync(join(tmpdir(), 'lathe-wanted-')));
    putAll(home, { 'proj/README.md': 'x' });
    putAll(join(home, 'town'), MARKETPLACE);
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  /** Creates the store of another process. */
  const newStore = () => {
    const files = createNodeFiles();
    const folder = join(home, 'plugins');
    const locks = createNodeLocks();
    return createPluginStore({
      ...{ files, ids: createNodeIds(), folder, folders: createPluginFolders(files) },
      ...{ state: createPluginStateFile(files, folder, locks), fetchRepository, locks, home },
      managed: async () => [],
    });
  };

  return {
    home: () => home,
    newStore,
    written: (settings: object) => putAll(home, { '.claude/settings.json': settings }),
    /** Installs what the settings of a run want, and gives all reports but the first and the last one. */
    install: async (
      asked: Parameters<typeof loadWithPlugins>[3] = {},
      { trusted = true, signal = new AbortController().signal } = {},
    ): Promise<readonly InstallReport[]> => {
      const { pluginSwitches = {}, ownPlugins } = await loadWithPlugins(home, [], trusted, asked);
      const own = ownPlugins ?? { switches: {}, marketplaces: {} };
      const reports: InstallReport[] = [];
      const tell = (report: InstallReport) => void reports.push(report);
      await newStore().installWanted(installWishes(pluginSwitches, own), tell, signal);
      expect(reports.at(0)).toEqual({ status: 'started' });
      expect(reports.at(-1)).toEqual({ status: 'completed' });
      return reports.slice(1, -1);
    },
    /** Returns the names of the plugins that count in a run. */
    counted: async (asked = {}) =>
      ((await loadWithPlugins(home, [], true, asked)).plugins ?? []).map(({ name }) => name),
    /** Lists what Lathe keeps of one kind. */
    kept: (kind: string) =>
      existsSync(join(home, 'plugins', kind)) ? readdirSync(join(home, 'plugins', kind)) : [],
  };
}
