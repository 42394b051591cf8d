import { join } from 'node:path';

/** The part of the index that every session begins with, as the ecosystem has it. Lines and bytes. */
const MAX_LINES = 200;
const MAX_BYTES = 25 * 1024;

/** Returns the folder of what agents noted about a project, in the person's own: an index, and a file for each topic. */
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
