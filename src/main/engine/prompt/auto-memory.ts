import { join } from 'node:path';

/** The part of the index that every session begins with, as the ecosystem has it. Lines and bytes. */
const MAX_LINES = 200;
const MAX_BYTES = 25 * 1024;
/** The same in words. */
export const INDEX_LIMIT = `the first ${MAX_LINES} lines or ${MAX_BYTES / 1024} KiB`;

/** The settings by which notes count. */
export interface NoteSettings {
  readonly autoMemory?: boolean | undefined;
  readonly simple?: boolean | undefined;
  readonly sources?: readonly string[] | undefined;
}

/** Tells whether notes count at all. Pure. */
export const notesCount = ({ autoMemory, simple }: NoteSettings): boolean =>
  autoMemory !== false && simple !== true;

/** Tells whether what agents noted counts, which is in the user's own folder. Pure. */
export const ownNotesCount = (settings: NoteSettings): boolean =>
  notesCount(settings) && (settings.sources?.includes('user') ?? true);

/** Returns the folder of what agents noted about a project, in the user's own: an index, and a file for each topic. */
export const noteFolder = (userFolder: string, project: string): string =>
  join(userFolder, 'projects', project.replace(/[^A-Za-z0-9]/g, '-').slice(0, 200), 'memory');

/** Returns the index of those notes. */
export const autoMemoryIndex = (userFolder: string, project: string): string =>
  join(noteFolder(userFolder, project), INDEX);

/** The name of an index of notes. */
export const INDEX = 'MEMORY.md';

/** Returns the beginning of an index, and says when there is more of it. Pure. */
export function beginningOfIndex(text: string, path: string): string {
  let bytes = 0;
  const lines = text.split('\n');
  const fitting = lines.slice(0, MAX_LINES).findIndex((line) => {
    bytes += Buffer.byteLength(line) + 1;
    return bytes > MAX_BYTES;
  });
  const count = fitting < 0 ? Math.min(lines.length, MAX_LINES) : fitting;
  if (count === lines.length) return text;
  const begun = lines.slice(0, count).join('\n');
  const start = count === 0 ? cutBytes(lines[0] ?? '') : begun;
  return `${start}\n(cut: Read ${path} for the rest)`;
}

const cutBytes = (line: string): string =>
  new TextDecoder().decode(Buffer.from(line).subarray(0, MAX_BYTES)).replace(/\uFFFD+$/, '');
