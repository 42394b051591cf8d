import { join } from 'node:path';
import type {
  MarketplaceView,
  PluginStatus,
  PluginsOverview,
  PluginView,
} from '../../../shared/plugin';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { SettingsProblem } from '../../../shared/settings';
import type { Files, Ids } from '../ports';
import type { PluginFolders } from '../settings/plugins/folder';
import {
  type Marketplace,
  type MarketplaceEntry,
  type MarketplaceSource,
  readMarketplace,
  sourceText,
} from '../settings/plugins/marketplace';
import { approvalOf, entryObject } from '../settings/plugins/plugin-loader';
import type { PluginStateFile } from '../settings/plugins/plugin-state';
import { type Plugin, readPlugin } from '../settings/plugins/read-plugin';
import { partsOfPlugin } from './plugin-parts';

/** Fetches a repository of git into a new folder. */
export type FetchRepository = (
  source: { readonly url: string; readonly ref?: string },
  folder: string,
) => Promise<Result<null>>;

/** The plugins of this machine: where they come from, and which the person said yes to. */
export interface PluginStore {
  /** Lists all plugins with all they bring. Runs nothing. */
  overview(settings: PluginSettings): Promise<PluginsOverview>;
  /** Lists what a plugin brings. */
  partsOf(plugin: Plugin): ReturnType<typeof partsOfPlugin>;
  /** Copies a plugin from its marketplace, if it is what the person was shown. */
  install(id: string, digest: string): Promise<Result<null>>;
  /** Says yes to what an installed plugin has become, if it is what the person was shown. */
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

/** The plugins and marketplaces that settings name. */
interface PluginSettings {
  readonly switches: Readonly<Record<string, boolean>>;
  readonly marketplaces: Readonly<Record<string, MarketplaceSource>>;
}

interface PluginStoreOptions {
  readonly files: Files;
  readonly ids: Pick<Ids, 'uuid'>;
  /** The folder of everything that is kept. */
  readonly folder: string;
  readonly folders: PluginFolders;
  readonly state: PluginStateFile;
  readonly fetchRepository: FetchRepository;
}

/** Creates it. */
export function createPluginStore(options: PluginStoreOptions): PluginStore {
  const { files, folders, state, fetchRepository } = options;
  const newFolder = (kind: string) => join(options.folder, kind, options.ids.uuid());
  const discard = async (folder: string | undefined) => {
    // Only what was fetched or copied by Lathe is its to remove.
    if (folder?.startsWith(join(options.folder, '/'))) await files.remove(folder);
  };

  /** Returns the folder of a plugin in its marketplace, and what stands for it; null for one that has to be fetched. */
  const offered = async (
    { source, object }: MarketplaceEntry,
    id: string,
    fetched: Readonly<Record<string, string>>,
  ): Promise<Result<{ readonly root: string; readonly digest: string } | null>> => {
    const own = Object.hasOwn(fetched, id) ? fetched[id] : undefined;
    const root = source.kind === 'folder' ? source.path : own;
    if (root === undefined) return ok(null);
    const digest = await folders.digest(root);
    return digest.ok ? ok({ root, digest: approvalOf(digest.value, object.value) }) : digest;
  };

  const find = async (id: string): Promise<Result<MarketplaceEntry>> => {
    const known = await state.read();
    if (!known.ok) return known;
    const [name = '', marketplace = ''] = id.split('@');
    const place = Object.hasOwn(known.value.marketplaces, marketplace)
      ? known.value.marketplaces[marketplace]
      : undefined;
    if (place === undefined) return err(noMarketplace(marketplace));
    const read = await readMarketplace(files, place.root);
    if (!read.ok) return read;
    const entry = read.value.entries.find((one) => one.name === name);
    return entry ? ok(entry) : err(noPlugin(id, read.value));
  };

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
    const offer = entry === null ? ok(null) : await offered(entry, id, known.fetched);
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

  const overview: PluginStore['overview'] = async ({ switches, marketplaces: named }) => {
    const known = await state.read();
    if (!known.ok) {
      const problem = {
        file: options.folder,
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

  const install: PluginStore['install'] = async (id, digest) => {
    const known = await state.read();
    if (!known.ok) return known;
    const entry = await find(id);
    if (!entry.ok) return entry;
    const offer = await offered(entry.value, id, known.value.fetched);
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
  const folderOf = async (source: MarketplaceSource): Promise<Result<string>> => {
    if (source.kind === 'folder') {
      const real = await files.realPath(source.path);
      return real.ok ? ok(real.value) : err(fault(real.error.code, real.error.message));
    }
    const folder = newFolder('marketplaces');
    const fetched = await fetchRepository(source, folder);
    if (!fetched.ok) await discard(folder);
    return fetched.ok ? ok(folder) : fetched;
  };

  const keepMarketplace = async (
    source: MarketplaceSource,
    wanted?: string,
  ): Promise<Result<string>> => {
    const root = await folderOf(source);
    if (!root.ok) return root;
    const read = await readMarketplace(files, root.value);
    const name = read.ok ? read.value.name : '';
    const wrong = !read.ok
      ? read
      : wanted !== undefined && name !== wanted
        ? err(fault('renamed', `The marketplace "${wanted}" calls itself "${name}" now.`))
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

  return {
    overview,
    partsOf: (plugin) => partsOfPlugin(files, plugin),
    install,
    approve,
    fetch: async (id) => {
      const entry = await find(id);
      if (!entry.ok) return entry;
      const { source } = entry.value;
      if (source.kind === 'folder') return ok(null);
      const known = await state.read();
      if (!known.ok) return known;
      const folder = newFolder('fetched');
      const fetched = await fetchRepository(source, folder);
      if (!fetched.ok) {
        await discard(folder);
        return fetched;
      }
      await discard(known.value.fetched[id]);
      return state.change((now) => ({ ...now, fetched: { ...now.fetched, [id]: folder } }));
    },
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
