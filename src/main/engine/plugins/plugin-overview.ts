import type {
  MarketplaceView,
  PluginStatus,
  PluginsOverview,
  PluginView,
} from '../../../shared/plugin';
import { ok, type Result } from '../../../shared/result';
import type { SettingsProblem } from '../../../shared/settings';
import type { Files } from '../ports';
import type { PluginFolders } from '../settings/plugins/folder';
import {
  type MarketplaceEntry,
  type MarketplaceSource,
  readMarketplace,
  sourceText,
} from '../settings/plugins/marketplace';
import { approvalOf, entryObject } from '../settings/plugins/plugin-loader';
import type { PluginStateFile } from '../settings/plugins/plugin-state';
import { readPlugin } from '../settings/plugins/read-plugin';
import { partsOfPlugin } from './plugin-parts';

/** The plugins and marketplaces that settings name. */
export interface PluginSettings {
  readonly switches: Readonly<Record<string, boolean>>;
  readonly marketplaces: Readonly<Record<string, MarketplaceSource>>;
}

interface OverviewParts {
  readonly files: Files;
  /** The folder of everything that is kept. */
  readonly folder: string;
  readonly folders: PluginFolders;
  readonly state: PluginStateFile;
}

/** Returns the folder of a plugin in its marketplace, and what stands for it; null for one that has to be fetched. */
export async function offered(
  folders: PluginFolders,
  { source, object }: MarketplaceEntry,
  id: string,
  fetched: Readonly<Record<string, string>>,
): Promise<Result<{ readonly root: string; readonly digest: string } | null>> {
  const own = Object.hasOwn(fetched, id) ? fetched[id] : undefined;
  const root = source.kind === 'folder' ? source.path : own;
  if (root === undefined) return ok(null);
  const digest = await folders.digest(root);
  return digest.ok ? ok({ root, digest: approvalOf(digest.value, object.value) }) : digest;
}

/** Creates what lists all plugins with all they bring. It runs nothing. */
export function createPluginOverview({ files, folder, folders, state }: OverviewParts) {
  const view = async (
    id: string,
    from: string,
    enabled: boolean,
    at: Place,
  ): Promise<PluginView> => {
    const { state: now, root, digest, approved = '', entry, problems: before = [] } = at;
    const [name = id] = id.split('@');
    const base = { id, name, state: now, enabled, digest, approved, from };
    if (root === null) {
      return {
        ...base,
        version: '',
        description: textOf(entry, 'description'),
        ...{ parts: [], options: [], problems: before },
      };
    }
    const { plugin, problems } = await readPlugin(files, root, entryObject(entry));
    if (plugin === null) {
      return {
        ...base,
        state: 'broken',
        version: '',
        description: '',
        ...{ parts: [], options: [], problems: [...before, ...problems] },
      };
    }
    const { version, description } = plugin;
    const brought = await partsOfPlugin(files, plugin);
    return {
      ...{ ...base, version, description, ...brought },
      problems: [...before, ...problems, ...brought.problems],
    };
  };

  /** Says where a plugin stands, from what is installed and what its marketplace offers. */
  const placeOf = async (
    id: string,
    entry: MarketplaceEntry | null,
    known: Known,
    enabled: boolean,
  ): Promise<Place> => {
    const installed = Object.hasOwn(known.plugins, id) ? known.plugins[id] : undefined;
    const offer = entry === null ? ok(null) : await offered(folders, entry, id, known.fetched);
    const broken = (message: string, root: string): Place => ({
      ...{ state: 'broken', root: null, digest: '', entry: entry?.object.value ?? {} },
      problems: [{ file: root, message, level: 'error' }],
    });
    if (installed !== undefined) {
      const copy = await folders.digest(installed.root);
      if (!copy.ok) return broken(copy.error.message, installed.root);
      const digest = approvalOf(copy.value, installed.entry);
      const own = { root: installed.root, digest, entry: installed.entry };
      if (digest !== installed.digest) return { ...own, state: 'changed' };
      if (entry !== null && offer.ok && offer.value !== null && offer.value.digest !== digest)
        return { state: 'update', ...offer.value, approved: digest, entry: entry.object.value };
      return { ...own, approved: digest, state: enabled ? 'on' : 'off' };
    }
    if (!offer.ok) return broken(offer.error.message, id);
    if (entry === null || offer.value === null)
      return { state: 'unfetched', root: null, digest: '', entry: entry?.object.value ?? {} };
    return { state: 'available', ...offer.value, entry: entry.object.value };
  };

  return async ({ switches, marketplaces: named }: PluginSettings): Promise<PluginsOverview> => {
    const known = await state.read();
    if (!known.ok) {
      const problem = {
        file: folder,
        message: known.error.message,
        level: 'error' as const,
      };
      return { plugins: [], marketplaces: [], problems: [problem] };
    }
    const plugins: PluginView[] = [];
    const marketplaces: MarketplaceView[] = [];
    const problems: SettingsProblem[] = [];
    const isOn = (id: string) => Object.hasOwn(switches, id) && switches[id] === true;
    for (const [name, { source, root }] of Object.entries(known.value.marketplaces)) {
      const read = await readMarketplace(files, root);
      const entries = read.ok ? read.value.entries : [];
      if (!read.ok) problems.push({ file: root, message: read.error.message, level: 'error' });
      else problems.push(...read.value.problems);
      const from = sourceText(source);
      marketplaces.push({ name, from, added: true, plugins: entries.length });
      for (const entry of entries) {
        const id = `${entry.name}@${name}`;
        plugins.push(
          await view(id, from, isOn(id), await placeOf(id, entry, known.value, isOn(id))),
        );
      }
    }
    for (const [name, source] of Object.entries(named)) {
      if (!Object.hasOwn(known.value.marketplaces, name))
        marketplaces.push({ name, from: sourceText(source), added: false, plugins: 0 });
    }
    for (const id of Object.keys(known.value.plugins)) {
      if (plugins.some((one) => one.id === id)) continue;
      const [, from = ''] = id.split('@');
      plugins.push(await view(id, from, isOn(id), await placeOf(id, null, known.value, isOn(id))));
    }
    return { plugins, marketplaces, problems };
  };
}

interface Place {
  readonly state: PluginStatus;
  /** Null where there is nothing to read. */
  readonly root: string | null;
  readonly digest: string;
  readonly approved?: string;
  readonly entry: Readonly<Record<string, unknown>>;
  readonly problems?: readonly SettingsProblem[];
}

type Known = Extract<Awaited<ReturnType<PluginStateFile['read']>>, { ok: true }>['value'];

const textOf = (entry: Readonly<Record<string, unknown>>, field: string): string => {
  const value = entry[field];
  return typeof value === 'string' ? value : '';
};
