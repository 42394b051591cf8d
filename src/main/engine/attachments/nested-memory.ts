import { dirname, join, relative } from 'node:path';
import { relativeInside } from '../permissions/paths';
import type { MemoryFile } from '../prompt/memory-loader';
import type { FileReadState } from '../tools/file-read-state';
import type { CollectContext, CollectedFact, Collector } from './attachment';

/** The kind of these attachments. */
export const NESTED_MEMORY = 'nested_memory';

/** Files whose folders are looked at: those the model saw last. */
const WATCHED_FILES = 100;

/** Folders and files remembered as looked at; beyond, all are looked at anew. */
const MAX_FOLDERS = 2000;

/** Memory of subfolders told at once. Characters; about 10 000 tokens. */
const MAX_CHARS = 40_000;

export interface NestedMemoryDeps {
  /** The project folder, as a real path; its own memory is known from the start. */
  readonly project: string;
  readonly reads: FileReadState;
  readonly hiddenFiles: () => (realPath: string) => boolean;
  /** The memory files of one folder, imports included; none where the project is not trusted. */
  readonly folderMemory: (folder: string) => Promise<readonly MemoryFile[]>;
  /** Folders whose memory counts without anything being read there. Absolute. */
  readonly roots: ReadonlySet<string>;
  /** The rules that are for one of these files. */
  readonly rulesFor: (files: readonly string[]) => Promise<readonly MemoryFile[]>;
}

/**
 * Attaches the memory files of subfolders in which something was read or that were added, and the rules for files that were: each once, and
 * again after a compaction or a way back.
 */
export function createNestedMemory(deps: NestedMemoryDeps): Collector {
  const looked = new Set<string>();
  let boundary = '';
  let length = 0;
  return {
    name: 'memory of subfolders',
    collect: (context) => {
      const current = context.history[0]?.role === 'boundary' ? context.history[0].id : '';
      // Whoever goes back takes along what was told behind that.
      const isShorter = context.history.length < length;
      if (current !== boundary || isShorter || looked.size > MAX_FOLDERS) looked.clear();
      boundary = current;
      length = context.history.length;
      const files = deps.reads.recent(WATCHED_FILES).map(([path]) => path);
      const fresh = files.filter((file) => !looked.has(file));
      const roots = [...deps.roots].filter((root) => !looked.has(root));
      if (fresh.length + roots.length === 0) return [];
      const within = [...fresh, ...roots.map((root) => join(root, '*'))];
      const folders = foldersBelow(deps.project, within).filter((folder) => !looked.has(folder));
      const accept = () => {
        for (const path of [...folders, ...fresh, ...roots]) looked.add(path);
      };
      return memoryOf(folders, fresh, context, deps).then((facts) => [
        ...facts,
        { attachment: null, accept },
      ]);
    },
  };
}

async function memoryOf(
  folders: readonly string[],
  files: readonly string[],
  context: CollectContext,
  deps: NestedMemoryDeps,
): Promise<readonly CollectedFact[]> {
  const [rules, ...loaded] = await Promise.all([
    deps.rulesFor(files),
    ...folders.map(deps.folderMemory),
  ]);
  return untold([...loaded.flat(), ...rules], context, deps);
}

/** Returns the folders between the project and the files in it, the project left out; outer ones first. */
export function foldersBelow(project: string, files: readonly string[]): readonly string[] {
  const folders = new Set<string>();
  for (const folder of new Set(files.map((file) => dirname(file)))) {
    if (relativeInside(project, folder, false) === null) continue;
    for (let at = folder; at.length > project.length && !folders.has(at); at = dirname(at))
      folders.add(at);
  }
  return [...folders].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}

function untold(
  files: readonly MemoryFile[],
  { history }: CollectContext,
  deps: NestedMemoryDeps,
): readonly CollectedFact[] {
  const told = new Set(
    history.map((m) => (m.role === 'attachment' && m.kind === NESTED_MEMORY ? m.about : undefined)),
  );
  const hidden = deps.hiddenFiles();
  let room = MAX_CHARS;
  return files
    .filter((file) => !told.has(file.path) && !hidden(file.path))
    .map(({ path, text, globs }): CollectedFact => {
      const shown = text.slice(0, room);
      room -= shown.length;
      const cut = shown.length < text.length ? `\n(cut: Read ${path} for the rest)` : '';
      const where =
        globs === undefined
          ? relative(deps.project, dirname(path)) || '.'
          : `files that match ${globs.join(', ').slice(0, 500)}`;
      return {
        attachment: {
          kind: NESTED_MEMORY,
          about: path,
          text: `Instructions for work in ${where}, from ${path}:\n\n${shown}${cut}`,
        },
      };
    });
}
