import { basename, join, relative } from 'node:path';
import type { SettingsProblem } from '../../../shared/settings';
import { inBatches } from '../in-batches';
import { relativeInside } from '../permissions/paths';
import type { FileStat, Files } from '../ports';
import { fieldProblem } from './frontmatter';

/** A file that defines something: an agent, a skill, a command. */
export interface FoundFile {
  readonly path: string;
  /** Its way from the folder that was searched, e.g. `git/commit.md`. */
  readonly name: string;
  readonly stat: FileStat;
}

/** The files of a folder, sorted by name, and what was left out. */
export interface FoundFiles {
  readonly files: readonly FoundFile[];
  readonly problems: readonly SettingsProblem[];
}

/** The bounds of a search. What is beyond is told, never followed. */
interface Search {
  /** The folder whose real path no link may leave; null: the user's own, where links lead anywhere. */
  readonly within: string | null;
  /** Picks a file by its way from the folder. */
  readonly picks: (name: string) => boolean;
  /** Tells that nothing below a folder is looked at, because it holds such a file. */
  readonly endsAt?: string;
}

/** Entries of one folder tree that are looked at. */
const MAX_ENTRIES = 2_000;
const MAX_DEPTH = 6;

/** The ends of names that are meant as Markdown. */
const MARKDOWN = /\.(?:markdown|mdown|md|md\.txt)$/i;

/** Finds files below a folder. One that is not there has none. Never fails. */
export async function findFiles(files: Files, root: string, search: Search): Promise<FoundFiles> {
  const found: FoundFile[] = [];
  const problems: SettingsProblem[] = [];
  let left = MAX_ENTRIES;

  /** Looks through a folder. `chain`: its real path and those of the folders on the way to it, its own last. */
  const visit = async (folder: string, chain: readonly string[]): Promise<void> => {
    const listed = await files.list(folder);
    if (!listed.ok) {
      const stat = await files.stat(folder);
      if (!stat.ok) return;
      const why = stat.value.kind === 'directory' ? listed.error.message : 'a folder is expected';
      problems.push(fieldProblem(folder, '', `left out: ${why.replace(/\.$/, '')}`));
      return;
    }
    const names = listed.value.map(({ name }) => name);
    const only = search.endsAt !== undefined && names.includes(search.endsAt);
    for (const entry of listed.value.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (only && entry.name !== search.endsAt) continue;
      left -= 1;
      if (left === 0) {
        problems.push(fieldProblem(root, '', `only ${MAX_ENTRIES} entries of it are looked at`));
      }
      if (left <= 0) return;
      await take(join(folder, entry.name), entry.kind, chain);
    }
  };

  const take = async (path: string, kind: string, chain: readonly string[]): Promise<void> => {
    const name = relative(root, path);
    const leaveOut = (why: string) =>
      void problems.push(fieldProblem(path, '', `left out: ${why.replace(/\.$/, '')}`));
    const isLoop = (real: string) => chain.some((one) => relativeInside(real, one, false) !== null);
    let real = join(chain.at(-1) ?? root, basename(path));
    if (kind === 'link') {
      const led = await files.realPath(path);
      if (!led.ok) return search.within === null ? undefined : leaveOut(led.error.message);
      real = led.value;
      if (search.within !== null && relativeInside(search.within, real, false) === null)
        return leaveOut(LEADS_OUT);
    }
    if (kind === 'directory' && basename(path) === search.endsAt)
      return leaveOut('it is a folder, not a file');
    if (kind === 'directory' && chain.length < MAX_DEPTH && !isLoop(real))
      return visit(path, [...chain, real]);
    const named = basename(path);
    if (named !== search.endsAt && named.toLowerCase() === search.endsAt?.toLowerCase())
      return leaveOut(`its name has to be written ${search.endsAt}`);
    if (kind !== 'directory' && !search.picks(name) && search.picks(name.replace(MARKDOWN, '.md')))
      return leaveOut('its name has to end in .md');
    if (kind !== 'link' && !search.picks(name)) return;
    const stat = await files.stat(path);
    if (!stat.ok) {
      if (search.picks(name))
        problems.push(fieldProblem(path, '', `left out: ${stat.error.message.replace(/\.$/, '')}`));
    } else if (stat.value.kind === 'directory') {
      if (isLoop(real)) return leaveOut('it is a link to a folder that it is in');
      if (kind === 'link' && chain.length < MAX_DEPTH) return visit(path, [...chain, real]);
    } else if (stat.value.kind === 'file' && search.picks(name)) {
      found.push({ path, name: name.replaceAll('\\', '/'), stat: stat.value });
    } else if (search.picks(name)) leaveOut('it is a device, a pipe or a socket');
  };

  const real = await files.realPath(root);
  const { within } = search;
  if (within !== null && real.ok && relativeInside(within, real.value, false) === null) {
    return { files: [], problems: [fieldProblem(root, '', `left out: ${LEADS_OUT}`)] };
  }
  await visit(root, [real.ok ? real.value : root]);
  return { files: found, problems };
}

const LEADS_OUT = 'it is a link that leads out of the project';

/**
 * Returns a function that parses files, each again only when it changed. It remembers those it was given last.
 */
export function createFileCache<Parsed>(
  parse: (file: FoundFile) => Promise<Parsed>,
): (files: readonly FoundFile[]) => Promise<readonly Parsed[]> {
  let known = new Map<string, { readonly mark: string; readonly parsed: Parsed }>();
  return async (files) => {
    const read = await inBatches(files, async (file) => {
      const { identity, mtimeMs, size } = file.stat;
      const mark = `${identity} ${mtimeMs} ${size}`;
      const before = known.get(file.path);
      const entry = before?.mark === mark ? before : { mark, parsed: await parse(file) };
      return [file.path, entry] as const;
    });
    known = new Map(read);
    return [...known.values()].map(({ parsed }) => parsed);
  };
}
