import { basename, join } from 'node:path';
import type { Files } from '../ports';
import { readFrontmatter } from '../settings/frontmatter';
import { createFileCache, type FoundFile, findFiles } from '../settings/markdown-files';
import { INDEX, type NoteSettings, noteFolder, notesCount, ownNotesCount } from './auto-memory';
import type { MemoryPlaces } from './memory-places';

/** A note about one topic. It is not part of the prompt; the model reads it where it fits. */
export interface Note {
  readonly path: string;
  readonly name: string;
  /** One line on what it is about. */
  readonly description: string;
  /** Epoch milliseconds. */
  readonly savedAt: number;
  /** Bytes. */
  readonly size: number;
}

/** Notes that are known of one project: the newest. */
const MAX_NOTES = 200;
/** The part of a note that says what it is about. Bytes. */
const MAX_HEAD = 4_096;
const MAX_DESCRIPTION = 200;

/** The folders of notes. */
export type NotePlaces = Pick<
  MemoryPlaces,
  'userFolder' | 'cwd' | 'includeProject' | keyof NoteSettings
>;

/**
 * Creates a list of the notes about a project, newest first: the topics beside the index of what agents noted. Where the
 * project is trusted, its `.claude/memories` and its `MEMORY.md` belong to it. A file that did not change is not read again.
 */
export function createNoteList(
  files: Files,
  places: () => NotePlaces,
): () => Promise<readonly Note[]> {
  const read = createFileCache((file) => readNote(files, file));
  return async () => {
    const now = places();
    if (!notesCount(now)) return [];
    const ofProject = now.includeProject && (now.sources?.includes('project') ?? true);
    const found = await Promise.all([
      ...(ownNotesCount(now)
        ? [findFiles(files, noteFolder(now.userFolder, now.cwd), { within: null, picks: isTopic })]
        : []),
      ...(ofProject
        ? [
            findFiles(files, join(now.cwd, '.claude', 'memories'), {
              within: now.cwd,
              picks: (name) => name.endsWith('.md'),
            }),
            indexOf(files, now.cwd),
          ]
        : []),
    ]);
    const newest = found
      .flatMap((one) => one.files)
      .sort((a, b) => b.stat.mtimeMs - a.stat.mtimeMs || (a.path < b.path ? -1 : 1))
      .slice(0, MAX_NOTES);
    return read(newest);
  };
}

const isTopic = (name: string): boolean => name.endsWith('.md') && name !== INDEX;

/** Finds the `MEMORY.md` of a project, unless it is a link. */
async function indexOf(
  files: Files,
  project: string,
): Promise<{ readonly files: readonly FoundFile[] }> {
  const path = join(project, INDEX);
  const [stat, real] = await Promise.all([files.stat(path), files.realPath(path)]);
  const isOwn = stat.ok && stat.value.kind === 'file' && real.ok && real.value === path;
  return { files: isOwn ? [{ path, name: INDEX, stat: stat.value }] : [] };
}

async function readNote(files: Files, { path, stat }: FoundFile): Promise<Note> {
  const name = basename(path, '.md');
  const { mtimeMs: savedAt, size } = stat;
  const head = await files.readRange(path, 0, Math.min(MAX_HEAD, size));
  if (!head.ok) return { path, name, description: '', savedAt, size };
  const { fields, body } = await readFrontmatter(head.value);
  const written = fields.get('description');
  const first = body.split('\n').find((line) => /[^\s#>*-]/.test(line)) ?? '';
  const text = typeof written === 'string' ? written : first.replace(/^[#>*\s-]+/, '');
  const description = text.replace(/\s+/g, ' ').trim().slice(0, MAX_DESCRIPTION);
  return { path, name, description, savedAt, size };
}

/** Returns how long ago a note was saved, in words: "saved 2 days ago". Pure; both in epoch milliseconds. */
export function ageOf(savedAt: number, now: number): string {
  const days = Math.floor((now - savedAt) / 86_400_000);
  if (days <= 0) return 'saved today';
  return days === 1 ? 'saved yesterday' : `saved ${days} days ago`;
}
