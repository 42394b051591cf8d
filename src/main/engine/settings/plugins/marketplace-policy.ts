import { dirname } from 'node:path';
import type { SettingsLayer } from '../read';
import type { NamedMarketplace } from '../schema';
import { type MarketplaceSource, settingsSource, sourceText } from './marketplace';

/**
 * Returns why managed settings do not let a marketplace be used; null when they do. `strictKnownMarketplaces` of the strongest
 * file names all that may be, `blockedMarketplaces` of any file what may not. `source`: a folder by its real path. Pure.
 */
export function marketplaceRefusal(
  source: MarketplaceSource,
  managed: readonly SettingsLayer[],
  home: string,
): string | null {
  const refused = (field: string, file: string) =>
    `${sourceText(source)} is no marketplace to use: ${field} of the managed settings in ${file}.`;
  for (const { fields, file } of managed) {
    const isBlocked = (entry: NamedMarketplace) => means(entry, source, file, home, false);
    if (fields.blockedMarketplaces?.some(isBlocked)) return refused('blockedMarketplaces', file);
  }
  const listIn = ({ strictKnownMarketplaces, allowedMarketplaces }: SettingsLayer['fields']) =>
    strictKnownMarketplaces ?? allowedMarketplaces;
  const strict = managed.find(({ fields }) => listIn(fields) !== undefined);
  const known = (strict && listIn(strict.fields)) ?? [];
  return strict === undefined ||
    known.some((entry) => means(entry, source, strict.file, home, true))
    ? null
    : refused('strictKnownMarketplaces', strict.file);
}

/** Tells whether an entry means a source: `exactly`, its branch included, or in whatever way it is written. */
function means(
  entry: NamedMarketplace,
  source: MarketplaceSource,
  file: string,
  home: string,
  exactly: boolean,
): boolean {
  const { source: kind, hostPattern, pathPattern, repo } = entry;
  if (kind === undefined) return true;
  if (kind === 'hostPattern')
    return source.kind === 'git' && fits(hostPattern, hostOf(source.url), !exactly);
  if (kind === 'pathPattern')
    return source.kind === 'folder' && fits(pathPattern, source.path, !exactly);
  const [, owner] = /^([\w.-]+)\/\*$/.exec(kind === 'github' ? String(repo) : '') ?? [];
  if (owner !== undefined)
    return (
      source.kind === 'git' &&
      placeOf(source.url).startsWith(`github.com/${owner.toLowerCase()}/`) &&
      !(exactly && isPlain(source.url))
    );
  const named = settingsSource({ source: entry }, dirname(file), home);
  if (named === null) return false;
  if (named.kind === 'folder') return source.kind === 'folder' && source.path === named.path;
  if (source.kind !== 'git' || placeOf(source.url) !== placeOf(named.url)) return false;
  if (exactly) return source.ref === named.ref && isPlain(source.url) === isPlain(named.url);
  return named.ref === undefined || source.ref === named.ref || COMMIT.test(source.ref ?? '');
}

/** A full id of a commit, which may be on a branch that is blocked. */
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Tells whether an expression finds something in a text; one that is none counts as `otherwise`. */
function fits(pattern: unknown, text: string, otherwise: boolean): boolean {
  try {
    return typeof pattern === 'string' ? new RegExp(pattern).test(text) : otherwise;
  } catch {
    return otherwise;
  }
}

/** Tells whether whoever is on the way to an address could change what comes from it. */
const isPlain = (url: string): boolean => /^(?:http|git):/i.test(url);

/** Returns the host and path of an address of git, the same for all ways to reach it. */
function placeOf(url: string): string {
  const [, scpHost, scpPath] = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)(.+)$/.exec(url) ?? [];
  const parsed = scpHost === undefined && URL.canParse(url) ? new URL(url) : null;
  const host = (scpHost ?? parsed?.hostname ?? '').toLowerCase().replace(/\.$/, '');
  const path = (scpPath ?? parsed?.pathname ?? url)
    .replace(/^\/+/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/i, '');
  // Names on GitHub have no case.
  return `${host}/${host === 'github.com' ? path.toLowerCase() : path}`;
}

const hostOf = (url: string): string => placeOf(url).split('/')[0] ?? '';
