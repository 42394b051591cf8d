import { dirname, join, resolve } from 'node:path';
import { err, fault, ok, type Result } from '../../../../shared/result';
import type { SettingsProblem } from '../../../../shared/settings';
import type { Files } from '../../ports';
import { propertiesOf } from '../json-text';
import { pathInside } from './folder';
import { type JsonObject, objectAt, pluginProblem, readJsonObject } from './plugin-json';
import { PLUGIN_NAME } from './plugin-manifest';

/** A plugin that a marketplace offers. */
export interface MarketplaceEntry {
  readonly name: string;
  /** The folder of the plugin in the marketplace, or an address that git knows. */
  readonly source:
    | { readonly kind: 'folder'; readonly path: string }
    | { readonly kind: 'git'; readonly url: string; readonly ref?: string };
  /** The marketplace's own words about it. */
  readonly object: JsonObject;
}

/** A list of plugins in a folder. */
export interface Marketplace {
  readonly name: string;
  readonly root: string;
  readonly entries: readonly MarketplaceEntry[];
  readonly problems: readonly SettingsProblem[];
}

/** More plugins of one marketplace are not looked at. */
const MAX_ENTRIES = 1_000;

/** The file that makes a folder a marketplace. */
const marketplaceFile = (root: string): string => join(root, '.claude-plugin', 'marketplace.json');

/** Reads the marketplace in a folder. A bad entry costs itself. */
export async function readMarketplace(files: Files, root: string): Promise<Result<Marketplace>> {
  const problems: SettingsProblem[] = [];
  const file = marketplaceFile(root);
  const object = await readJsonObject(files, file, problems);
  const refuse = (message: string) =>
    err(fault('bad_marketplace', message, `Correct ${file} and try again.`));
  if (object === null) return refuse(problems[0]?.message ?? `${file} cannot be read.`);
  const name = object.value['name'];
  if (typeof name !== 'string' || !PLUGIN_NAME.test(name)) {
    const line = object.lineOf('name');
    return refuse(
      `${file}, line ${line}: name: a name of letters, digits, "-" and "_" is expected.`,
    );
  }
  const list = propertiesOf(object.root).findLast((one) => one.name === 'plugins')?.value;
  if (list?.type !== 'array')
    return refuse(`${file}, line ${object.lineOf('plugins')}: plugins: a list is expected.`);
  const base = baseOf(object, root);
  const entries: MarketplaceEntry[] = [];
  for (const [index, node] of (list.children ?? []).slice(0, MAX_ENTRIES).entries()) {
    const field = `plugins[${index}]`;
    const tell = (what: string, message: string) =>
      void problems.push(
        pluginProblem(
          file,
          `${field}${what}`,
          `${message}; it is left out`,
          object.lineAt(node.offset),
        ),
      );
    if (node.type !== 'object') {
      tell('', 'an object with a name and a source is expected');
      continue;
    }
    const entry = objectAt(node, { file, problems, lineAt: object.lineAt });
    const own = entry.value['name'];
    if (typeof own !== 'string' || !PLUGIN_NAME.test(own)) {
      tell('.name', 'a name of letters, digits, "-" and "_" is expected');
      continue;
    }
    if (entries.some((one) => one.name === own)) {
      tell('.name', `there is a plugin "${own}" before it`);
      continue;
    }
    const source = sourceOf(entry.value['source'], base);
    if (typeof source === 'string') tell('.source', source);
    else entries.push({ name: own, source, object: entry });
  }
  return ok({ name, root, entries, problems });
}

/** Returns the folder that sources count from. */
function baseOf(object: JsonObject, root: string): string {
  const metadata = object.value['metadata'];
  const named = Object(metadata)['pluginRoot'];
  return typeof named === 'string' ? (pathInside(root, named) ?? root) : root;
}

/** Reads the source of a plugin, or says what is wrong with it. */
function sourceOf(value: unknown, base: string): MarketplaceEntry['source'] | string {
  if (typeof value === 'string') {
    const path = pathInside(base, value);
    return path === null ? `"${value}" leads out of the marketplace` : { kind: 'folder', path };
  }
  const { source, path, url, repo, ref } = Object(value ?? {});
  const at = typeof ref === 'string' ? { ref } : {};
  if (source === 'directory' && typeof path === 'string') return sourceOf(path, base);
  if (/^(git|url)$/.test(String(source)) && typeof url === 'string')
    return { kind: 'git', url, ...at };
  if (source === 'github' && typeof repo === 'string' && /^[\w.-]+\/[\w.-]+$/.test(repo))
    return { kind: 'git', url: `https://github.com/${repo}.git`, ...at };
  return 'a path in the marketplace, or an object with "source" "git" and "url" is expected';
}

/** The place of a marketplace, as a user or a setting names it. */
export type MarketplaceSource =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'git'; readonly url: string; readonly ref?: string };

/** Reads what a user typed: a folder, a file of a marketplace, an address of git, or `owner/repo`. Pure. */
export function marketplaceSource(text: string, base: string, home: string): MarketplaceSource {
  const [, address = text, ref] = /^(.+?)#([\w./-]+)$/.exec(text.trim()) ?? [];
  const at = ref === undefined ? {} : { ref };
  if (/^(https?|ssh|git|file):\/\//.test(address) || /^[\w.-]+@[\w.-]+:/.test(address))
    return { kind: 'git', url: address, ...at };
  if (/^[\w-]+\/[\w.-]+$/.test(address) && !address.startsWith('.'))
    return { kind: 'git', url: `https://github.com/${address}.git`, ...at };
  const path = resolve(base, address.replace(/^~(?=\/|$)/, home));
  if (path.endsWith('.git')) return { kind: 'git', url: path, ...at };
  return {
    kind: 'folder',
    path: path.endsWith('marketplace.json') ? dirname(dirname(path)) : path,
  };
}

/** Reads the source of a marketplace in settings; null when it cannot be used. Pure. */
export function settingsSource(
  value: unknown,
  base: string,
  home: string,
): MarketplaceSource | null {
  const { source = value } = Object(value ?? {});
  const { source: kind, path, url, repo, ref } = Object(source ?? {});
  const at = typeof ref === 'string' ? { ref } : {};
  if (/^(directory|file)$/.test(String(kind)) && typeof path === 'string') {
    const found = marketplaceSource(path, base, home);
    return found.kind === 'git' ? { kind: 'folder', path: resolve(base, path) } : found;
  }
  if (/^(git|url)$/.test(String(kind)) && typeof url === 'string')
    return { kind: 'git', url, ...at };
  if (kind === 'github' && typeof repo === 'string' && /^[\w.-]+\/[\w.-]+$/.test(repo))
    return { kind: 'git', url: `https://github.com/${repo}.git`, ...at };
  return null;
}

/** Returns a source as people read it. Pure. */
export const sourceText = (source: MarketplaceSource): string =>
  source.kind === 'folder'
    ? source.path
    : `${source.url}${source.ref === undefined ? '' : `#${source.ref}`}`;
