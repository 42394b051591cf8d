import { basename } from 'node:path';
import type { MemoryFile } from '../prompt/memory-loader';

/** A file of instructions that the model was given, as hooks are told of it (docs/hooks.md). */
export interface LoadedInstructions {
  readonly file_path: string;
  readonly memory_type: 'Managed' | 'User' | 'Project' | 'Local';
  readonly load_reason: 'session_start' | 'nested_traversal' | 'include';
  /** The file that imports it. */
  readonly parent_file_path?: string;
}

const TYPES = {
  managed: 'Managed',
  user: 'User',
  auto: 'User',
  project: 'Project',
  local: 'Local',
} as const;

/** Files that were loaded from the start. An imported one is of the type of whoever imports it. Pure. */
export function loadedAtStart(files: readonly MemoryFile[]): readonly LoadedInstructions[] {
  const types = new Map<string, LoadedInstructions['memory_type']>();
  return files.flatMap(({ path, kind, importedBy }): LoadedInstructions[] => {
    const type = kind === 'import' ? (types.get(importedBy ?? '') ?? 'Project') : TYPES[kind];
    types.set(path, type);
    if (importedBy !== undefined) {
      const parent = { parent_file_path: importedBy };
      return [{ file_path: path, memory_type: type, load_reason: 'include', ...parent }];
    }
    if (!isTold(path)) return [];
    return [{ file_path: path, memory_type: type, load_reason: 'session_start' }];
  });
}

/** Returns the fact that a file of a subfolder was loaded; null for one that is not told of. Pure. */
export const loadedOnTheWay = (path: string): LoadedInstructions | null =>
  isTold(path)
    ? {
        file_path: path,
        memory_type: basename(path) === 'CLAUDE.local.md' ? 'Local' : 'Project',
        load_reason: 'nested_traversal',
      }
    : null;

/** Tells whether hooks hear of a file: the ecosystem tells of its own files only. */
const isTold = (path: string): boolean => basename(path) !== 'AGENTS.md';
