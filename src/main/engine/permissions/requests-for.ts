import path from 'node:path';
import type { DirectoryEntry, Files } from '../ports';
import { linksBelow } from './below';
import { otherNamesOf } from './other-names';
import { matchesSegment } from './path-pattern';
import { absolutePath } from './paths';
import type { PermissionRequest, ShellAnalysis } from './request';
import type { Whereabouts } from './rule-match';
import type { ShellParser } from './shell-analysis/parser';
import { lookupKey, type Touch, touchesOf } from './shell-paths';

/** More paths in one line are not looked up, and what is not looked up is asked. */
const MAX_LOOKUPS = 400;
/** A glob that means more files than this counts as not looked up. */
const MAX_GLOB_FILES = 2_000;

/** A path as asked for (absolute), and where it leads: the part of a file's request that is looked up. */
export type Lead = Pick<
  Extract<PermissionRequest, { kind: 'file' }>,
  'path' | 'realPath' | 'identity' | 'otherNames' | 'unknown'
>;

/** The permission that using a file needs. `asked` is absolute, relative to `where.cwd`, or begins with `~`. */
export async function fileRequest(
  tool: string,
  access: 'read' | 'edit',
  asked: string,
  where: Whereabouts,
  files: Files,
): Promise<PermissionRequest> {
  const target = absolutePath(asked, where.cwd, where.home);
  return { kind: 'file', tool, access, ...(await leadingTo(target, files, where.cwd)) };
}

/**
 * An absolute path, where it leads and what is there. A path that leads nowhere for sure says why. `near` is the folder in
 * which other names of the same file are looked for.
 */
export async function leadingTo(path: string, files: Files, near: string): Promise<Lead> {
  const place = await files.locate(path);
  if (!place.ok) return { path, realPath: path, identity: null, unknown: place.error.message };
  const { realPath, identity, special, shared } = place.value;
  const lead = { path, realPath, identity };
  if (special) return { ...lead, unknown: 'it is a pipe, a socket or a device' };
  if (!shared || identity === null) return lead;
  const otherNames = await otherNamesOf(realPath, identity, near, files);
  return otherNames.length > 0 ? { ...lead, otherNames } : lead;
}

/** The permission that running a shell line needs: parsed, and every path in it looked up. */
export async function shellRequest(
  tool: string,
  command: string,
  where: Whereabouts,
  parser: ShellParser,
  files: Files,
): Promise<PermissionRequest> {
  const analysis = await parser.analyze(command);
  const realPaths = await lookUpPaths(analysis, where, files);
  return { kind: 'shell', tool, command, cwd: where.cwd, analysis, realPaths };
}

/** Where the paths named in a line really lead, as `PermissionRequest.realPaths` wants it. */
export async function lookUpPaths(
  analysis: ShellAnalysis,
  where: Whereabouts,
  files: Files,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const wanted = new Map<string, Touch>();
  for (const command of analysis.commands) {
    for (const touch of touchesOf(command, where).touches) {
      if (wanted.size < MAX_LOOKUPS) wanted.set(lookupKey(touch), touch);
    }
  }
  const found = await Promise.all(
    [...wanted].map(async ([key, touch]) => {
      const real = await endsOf(touch, files);
      return real === null ? [] : [[key, real] as const];
    }),
  );
  return Object.fromEntries(found.flat());
}

function endsOf({ path: target, glob, below }: Touch, files: Files) {
  if (below) return linksBelow(target, below, files);
  return glob ? globLeadsTo(target, files) : leadsTo(target, files);
}

async function leadsTo(target: string, files: Files): Promise<readonly string[] | null> {
  const real = await files.realPath(target);
  return real.ok ? [real.value] : null;
}

/**
 * Where a glob may lead: the folder before its first wildcard and every link it matches. Files that are no
 * links stay where they are, so they need no look of their own. Null when it means too many files.
 */
async function globLeadsTo(pattern: string, files: Files): Promise<readonly string[] | null> {
  const segments = pattern.split('/').filter((segment) => segment !== '');
  const first = segments.findIndex((segment) => /[*?[\\]/.test(segment));
  const base = `/${segments.slice(0, first).join('/')}`;
  const real = await files.realPath(base);
  if (!real.ok) return null;
  const budget = { left: MAX_GLOB_FILES };
  const links = await matchedLinks(base, segments.slice(first), files, budget, true);
  return links === null ? null : [real.value, ...links];
}

async function matchedLinks(
  folder: string,
  segments: readonly string[],
  files: Files,
  budget: { left: number },
  isFirst = false,
): Promise<string[] | null> {
  const [segment, ...rest] = segments;
  if (segment === undefined) return [];
  const listed = await files.list(folder);
  // A folder that is not there matches nothing.
  if (!listed.ok) return listed.error.code === 'denied' ? null : [];
  const matched = listed.value.filter((entry) => shellMatches(segment, entry));
  // Some shells take `.*` for the folder above too.
  const above = segment.startsWith('.') && matchesSegment(segment, '..');
  // A file that is named like an option may be taken for one.
  if (isFirst && matched.some((entry) => entry.name.startsWith('-'))) return null;
  budget.left -= matched.length;
  if (budget.left < 0) return null;
  const found: string[] = above ? [path.dirname(folder)] : [];
  for (const entry of matched) {
    const at = path.join(folder, entry.name);
    if (entry.kind === 'link') {
      const real = await files.realPath(at);
      if (!real.ok && real.error.code !== 'loop') return null;
      if (real.ok) found.push(real.value);
    }
    if (rest.length === 0 || entry.kind === 'file') continue;
    const below = await matchedLinks(at, rest, files, budget);
    if (below === null) return null;
    found.push(...below);
  }
  return found;
}

/** The shell's `**` without globstar is `*`; hidden names need their dot written. */
function shellMatches(segment: string, entry: DirectoryEntry): boolean {
  if (entry.name.startsWith('.') && !/^(\\?\.|\[)/.test(segment)) return false;
  return matchesSegment(segment, entry.name);
}
