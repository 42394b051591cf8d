import { z } from 'zod';
import type { SettingsProblem } from './settings';

/** The places a user can keep a memory in: shared with the project, for themselves in it, or everywhere. */
export const MemoryPlace = z.enum(['project', 'local', 'user']);
export type MemoryPlace = z.infer<typeof MemoryPlace>;

/** The longest memory that is added at once. UTF-16 units. */
export const MAX_MEMORY = 4_000;

/** A memory file that a new session begins with. */
export interface LoadedMemoryFile {
  readonly path: string;
  readonly kind: 'managed' | 'user' | 'auto' | 'project' | 'local' | 'import';
  readonly importedBy?: string;
  /** About as many tokens. */
  readonly tokens: number;
  /** Globs of the files it waits for; absent: it counts from the start. */
  readonly globs?: readonly string[];
}

/** A note about one topic, which the model is shown when a prompt may need it. */
export interface FoundNote {
  readonly path: string;
  /** One line on what it is about; may be empty. */
  readonly description: string;
  /** "saved 2 days ago". */
  readonly age: string;
  /** Bytes. */
  readonly size: number;
}

/** A file that a memory file of the project imports from outside of it. */
export interface OutsideImport {
  /** Its real path. */
  readonly path: string;
  readonly importedBy: string;
  readonly allowed: boolean;
}

/** The memory that new sessions of a project begin with, and the parts that were left out and why. */
export interface MemoryOverview {
  readonly files: readonly LoadedMemoryFile[];
  /** The notes about the project, newest first. */
  readonly notes: readonly FoundNote[];
  readonly leftOut: readonly SettingsProblem[];
  readonly outside: readonly OutsideImport[];
  /** The file of each place, where a new memory would stand. */
  readonly places: Readonly<Record<MemoryPlace, string>>;
}

/** Reads a line that keeps something in mind (`# always use tabs`); null for any other text. Pure. */
export function memoryLine(text: string): string | null {
  const [, line] = /^#(?![#!])[ \t]*(\S[^\n]*)$/.exec(text.trim()) ?? [];
  return line?.trim() ?? null;
}
