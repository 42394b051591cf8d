import path from 'node:path';
import type { DirectoryEntry, Files } from '../ports';
import { matchesSegment } from './path-pattern';

/** What has to be known of everything below a folder before a command may go through it, or be given the names in it. */
export interface Below {
  /** Links to folders are followed. */
  readonly follows: boolean;
  /** Links count: what they lead to is read. */
  readonly links: boolean;
  /** Names are handed on as words: one with a blank or a quote, or like an option, would be read as something else. */
  readonly plain: boolean;
  /** Only files whose names fit one of these patterns count. Absent: all. */
  readonly names?: readonly string[];
}

/** More than this is not looked through, and what is not looked through is asked. Entries of folders. */
const MAX_ENTRIES = 60_000;
/** Folders read at the same time. */
const MAX_TOGETHER = 16;

/** How a look below a folder is named among the paths of a line. */
export const belowKey = (folder: string, { follows, links, plain, names }: Below): string => {
  const marks = [follows ? 'followed' : '', links ? 'links' : '', plain ? 'names' : ''];
  const fitting = names === undefined ? '' : `{${names.join(',')}}`;
  return `${folder}/**${fitting} (${marks.filter((mark) => mark !== '').join(', ')})`;
};

/**
 * Where the links below a folder lead, as far as they count. Null when it is too much to look through, cannot be looked
 * through, or has a name that is not plain where names have to be.
 */
export async function linksBelow(
  folder: string,
  below: Below,
  files: Files,
): Promise<readonly string[] | null> {
  const found: string[] = [];
  const seen = new Set([folder]);
  const waiting = [folder];
  let left = MAX_ENTRIES;
  while (waiting.length > 0) {
    const batch = waiting.splice(0, MAX_TOGETHER);
    const looks = await Promise.all(batch.map((one) => look(one, below, files)));
    for (const one of looks) {
      if (one === null) return null;
      left -= one.entries;
      found.push(...one.links);
      for (const next of one.folders) if (!seen.has(next)) waiting.push(next);
      for (const next of one.folders) seen.add(next);
    }
    if (left < 0) return null;
  }
  return [...new Set(found)];
}

interface Look {
  readonly entries: number;
  readonly folders: readonly string[];
  readonly links: readonly string[];
}

/** One folder: what is in it and, where links are followed, what they lead to. */
async function look(folder: string, below: Below, files: Files): Promise<Look | null> {
  const listed = await files.list(folder);
  if (!listed.ok)
    return listed.error.code === 'denied' ? null : { entries: 0, folders: [], links: [] };
  const entries = listed.value;
  if (below.plain && entries.some((entry) => counts(entry, below) && !isPlain(entry.name)))
    return null;
  const folders = entries
    .filter(({ kind }) => kind === 'directory')
    .map(({ name }) => path.join(folder, name));
  const links: string[] = [];
  for (const entry of below.links ? entries : []) {
    if (entry.kind !== 'link' || !(below.follows || counts(entry, below))) continue;
    const real = await files.realPath(path.join(folder, entry.name));
    if (!real.ok && real.error.code !== 'loop') return null;
    if (real.ok) links.push(real.value);
  }
  return {
    entries: entries.length,
    folders: below.follows ? [...folders, ...links] : folders,
    links,
  };
}

/** Names of folders are part of the names in them. */
const counts = ({ kind, name }: DirectoryEntry, { names }: Below): boolean =>
  names === undefined ||
  kind === 'directory' ||
  names.some((pattern) => matchesSegment(pattern.toLowerCase(), name.toLowerCase()));

const isPlain = (name: string): boolean => !/^-|[\s"'\\\p{Cc}]/u.test(name);
