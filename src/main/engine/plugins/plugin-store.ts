import { join } from 'node:path';
import type { PluginsOverview } from '../../../shared/plugin';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { Files, Ids, Locks } from '../ports';
import type { PluginFolders } from '../settings/plugins/folder';
import {
  type Marketplace,
  type MarketplaceEntry,
  type MarketplaceSource,
  readMarketplace,
  sourceText,
} from '../settings/plugins/marketplace';
import { marketplaceRefusal } from '../settings/plugins/marketplace-policy';
import { approvalOf } from '../settings/plugins/plugin-loader';
import type { PluginStateFile } from '../settings/plugins/plugin-state';
import { type Plugin, readPlugin } from '../settings/plugins/read-plugin';
import type { SettingsLayer } from '../settings/read';
import { type InstallReport, type InstallWishes, installWanted } from './install-wanted';
import { createPluginOverview, offered, type PluginSettings } from './plugin-overview';
import { partsOfPlugin } from './plugin-parts';

/** Fetches a repository of git into a new folder. */
export type FetchRepository = (
  source: { readonly url: string; readonly ref?: string },
  folder: string,
  signal?: AbortSignal,
) => Promise<Result<null>>;

/** The plugins of this machine: where they come from, and which the user said yes to. */
export interface PluginStore {
  /** Lists all plugins with all they bring. Runs nothing. */
  overview(settings: PluginSettings): Promise<PluginsOverview>;
  /** Lists what a plugin brings. */
  partsOf(plugin: Plugin): ReturnType<typeof partsOfPlugin>;
  /** Copies a plugin from its marketplace, if it is what the user was shown. */
  install(id: string, digest: string): Promise<Result<null>>;
  /**
   * Installs what settings of the user or the machine turn on, unasked: they are the user's yes. Two processes that do
   * so take turns. `tell` hears of each marketplace and plugin.
   */
  installWanted(
    wishes: InstallWishes,
    tell: (report: InstallReport) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /** Says yes to what an installed plugin has become, if it is what the user was shown. */
  approve(id: string, digest: string): Promise<Result<null>>;
  /** Fetches a plugin that has a repository of its own, so that it can be shown. */
  fetch(id: string): Promise<Result<null>>;
  remove(id: string): Promise<Result<null>>;
  /** Adds a marketplace and returns its name. */
  addMarketplace(source: MarketplaceSource): Promise<Result<string>>;
  /** Fetches what a marketplace offers now. */
  updateMarketplace(name: string): Promise<Result<null>>;
  /** Removes a marketplace. Plugins that came from it stay. */
  removeMarketplace(name: string): Promise<Result<null>>;
}

interface PluginStoreOptions {
  readonly files: Files;
  readonly ids: Pick<Ids, 'uuid'>;
  /** The folder of everything that is kept. */
  readonly folder: string;
  readonly folders: PluginFolders;
  readonly state: PluginStateFile;
  readonly fetchRepository: FetchRepository;
  readonly locks: Pick<Locks, 'acquire'>;
  readonly home: string;
  /** Returns the machine's managed settings, strongest first. */
  readonly managed: () => Promise<readonly SettingsLayer[]>;
}

/** Creates it. */
export function createPluginStore(options: PluginStoreOptions): PluginStore {
  const { files, folders, state, fetchRepository } = options;
  const newFolder = (kind: string) => join(options.folder, kind, options.ids.uuid());
  const discard = async (folder: string | undefined) => {
    // Only what was fetched or copied by Lathe is its to remove.
    if (folder?.startsWith(join(options.folder, '/'))) await files.remove(folder);
  };

  /** Returns why managed settings do not let a source be used, before anything of it is fetched or read. */
  const refusalOf = async (source: MarketplaceSource): Promise<Result<never> | null> => {
    const real = source.kind === 'folder' ? await files.realPath(source.path) : null;
    const place = real?.ok ? { kind: 'folder' as const, path: real.value } : source;
    const why = marketplaceRefusal(place, await options.managed(), options.home);
    return why === null ? null : err(fault('marketplace_refused', why));
  };

  const find = async (id: string): Promise<Result<MarketplaceEntry>> => {
    const known = await state.read();
    if (!known.ok) return known;
    const [name = '', marketplace = ''] = id.split('@');
    const place = Object.hasOwn(known.value.marketplaces, marketplace)
      ? known.value.marketplaces[marketplace]
      : undefined;
    if (place === undefined) return err(noMarketplace(marketplace));
    const refusal = await refusalOf(place.source);
    if (refusal !== null) return refusal;
    const read = await readMarketplace(files, place.root);
    if (!read.ok) return read;
    const entry = read.value.entries.find((one) => one.name === name);
    return entry ? ok(entry) : err(noPlugin(id, read.value));
  };

  const install: PluginStore['install'] = async (id, digest) => {
    const known = await state.read();
    if (!known.ok) return known;
    const entry = await find(id);
    if (!entry.ok) return entry;
    const offer = await offered(folders, entry.value, id, known.value.fetched);
    if (!offer.ok) return offer;
    if (offer.value === null) return err(fault('unfetched', `${id} was not fetched yet.`));
    if (offer.value.digest !== digest) return err(CHANGED);
    const read = await readPlugin(files, offer.value.root, entry.value.object);
    if (read.plugin === null)
      return err(fault('bad_plugin', read.problems[0]?.message ?? `${id} is no plugin.`));
    const content = await folders.digest(offer.value.root);
    if (!content.ok) return content;
    const root = newFolder('installed');
    const copied = await folders.copy(offer.value.root, root, content.value);
    if (!copied.ok) return copied;
    const before = known.value.plugins[id]?.root;
    const kept = await state.change((now) => ({
      ...now,
      plugins: { ...now.plugins, [id]: { root, digest, entry: { ...entry.value.object.value } } },
    }));
    await discard(kept.ok ? before : root);
    return kept;
  };

  const approve: PluginStore['approve'] = async (id, digest) => {
    const known = await state.read();
    if (!known.ok) return known;
    const installed = known.value.plugins[id];
    if (installed === undefined) return err(fault('no_plugin', `${id} is not installed.`));
    if (installed.digest === digest) return ok(null);
    const content = await folders.digest(installed.root);
    if (!content.ok) return content;
    if (approvalOf(content.value, installed.entry) !== digest) return err(CHANGED);
    return state.change((now) => ({
      ...now,
      plugins: { ...now.plugins, [id]: { ...installed, digest } },
    }));
  };

  /** Fetches or finds the folder of a source. */
  const folderOf = async (
    source: MarketplaceSource,
    signal: AbortSignal | undefined,
  ): Promise<Result<string>> => {
    if (source.kind === 'folder') {
      const real = await files.realPath(source.path);
      return real.ok ? ok(real.value) : err(fault(real.error.code, real.error.message));
    }
    const folder = newFolder('marketplaces');
    const fetched = await fetchRepository(source, folder, signal);
    if (!fetched.ok) await discard(folder);
    return fetched.ok ? ok(folder) : fetched;
  };

  const keepMarketplace = async (
    source: MarketplaceSource,
    wanted?: string,
    signal?: AbortSignal,
  ): Promise<Result<string>> => {
    const refusal = await refusalOf(source);
    if (refusal !== null) return refusal;
    const root = await folderOf(source, signal);
    if (!root.ok) return root;
    const read = await readMarketplace(files, root.value);
    const name = read.ok ? read.value.name : '';
    const wrong = !read.ok
      ? read
      : wanted !== undefined && name !== wanted
        ? err(fault('renamed', `The marketplace "${wanted}" calls itself "${name}".`))
        : null;
    if (wrong !== null) {
      await discard(root.value);
      return wrong;
    }
    const known = await state.read();
    if (!known.ok) return known;
    const before = Object.hasOwn(known.value.marketplaces, name)
      ? known.value.marketplaces[name]
      : undefined;
    if (before !== undefined && sourceText(before.source) !== sourceText(source)) {
      await discard(root.value);
      return err(
        fault(
          'name_taken',
          `There is a marketplace "${name}" already, from ${sourceText(before.source)}.`,
          `Remove it first: lathe plugin marketplace remove ${name}`,
        ),
      );
    }
    const kept = await state.change((now) => ({
      ...now,
      marketplaces: { ...now.marketplaces, [name]: { source, root: root.value } },
    }));
    if (!kept.ok) return kept;
    if (before !== undefined && before.root !== root.value) await discard(before.root);
    return ok(name);
  };

  const fetchPlugin = async (id: string, signal?: AbortSignal): Promise<Result<null>> => {
    const entry = await find(id);
    if (!entry.ok) return entry;
    const { source } = entry.value;
    if (source.kind === 'folder') return ok(null);
    const known = await state.read();
    if (!known.ok) return known;
    const folder = newFolder('fetched');
    const fetched = await fetchRepository(source, folder, signal);
    if (!fetched.ok) {
      await discard(folder);
      return fetched;
    }
    await discard(known.value.fetched[id]);
    return state.change((now) => ({ ...now, fetched: { ...now.fetched, [id]: folder } }));
  };

  /** Installs a plugin as its marketplace offers it now. */
  const installNow = async (id: string, signal: AbortSignal): Promise<Result<null>> => {
    const fetched = await fetchPlugin(id, signal);
    if (!fetched.ok) return fetched;
    const [known, entry] = [await state.read(), await find(id)];
    if (!known.ok) return known;
    if (!entry.ok) return entry;
    const offer = await offered(folders, entry.value, id, known.value.fetched);
    return offer.ok ? install(id, offer.value?.digest ?? '') : offer;
  };

  return {
    overview: createPluginOverview(options),
    installWanted: (wishes, tell, signal) =>
      installWanted(
        wishes,
        {
          read: state.read,
          alone: async (marketplace) => {
            const lock = await options.locks.acquire(
              join(options.folder, `install-${marketplace}.lock`),
              signal,
            );
            return lock.ok ? lock : err(fault('locked', 'Another Lathe installs from there.'));
          },
          add: (source, name) => keepMarketplace(source, name, signal),
          install: (id) => installNow(id, signal),
        },
        tell,
        signal,
      ),
    partsOf: (plugin) => partsOfPlugin(files, plugin),
    install,
    approve,
    fetch: (id) => fetchPlugin(id),
    remove: async (id) => {
      const known = await state.read();
      if (!known.ok) return known;
      if (!Object.hasOwn(known.value.plugins, id))
        return err(fault('no_plugin', `${id} is not installed.`));
      const root = known.value.plugins[id]?.root;
      const kept = await state.change((now) => ({ ...now, plugins: without(now.plugins, id) }));
      if (kept.ok) await discard(root);
      return kept;
    },
    addMarketplace: (source) => keepMarketplace(source),
    updateMarketplace: async (name) => {
      const known = await state.read();
      if (!known.ok) return known;
      const place = Object.hasOwn(known.value.marketplaces, name)
        ? known.value.marketplaces[name]
        : undefined;
      if (place === undefined) return err(noMarketplace(name));
      const kept = await keepMarketplace(place.source, name);
      return kept.ok ? ok(null) : kept;
    },
    removeMarketplace: async (name) => {
      const known = await state.read();
      if (!known.ok) return known;
      if (!Object.hasOwn(known.value.marketplaces, name)) return err(noMarketplace(name));
      const root = known.value.marketplaces[name]?.root;
      const kept = await state.change((now) => ({
        ...now,
        marketplaces: without(now.marketplaces, name),
      }));
      if (kept.ok) await discard(root);
      return kept;
    },
  };
}

const without = <T>(all: Readonly<Record<string, T>>, key: string): Record<string, T> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => name !== key));

const CHANGED = fault(
  'changed',
  'The plugin changed after it was shown. Nothing was installed.',
  'Look at it again.',
);

const noMarketplace = (name: string) =>
  fault(
    'no_marketplace',
    `There is no marketplace "${name}".`,
    'Add it: lathe plugin marketplace add <folder or address>',
  );

const noPlugin = (id: string, { name, entries }: Marketplace) =>
  fault(
    'no_plugin',
    `${id} is not offered by ${name}.`,
    entries.length === 0
      ? 'It offers none.'
      : `It offers ${entries.map((one) => one.name).join(', ')}.`,
  );
