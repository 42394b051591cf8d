import type { FileFault } from '../engine/ports';

type Wording = readonly [code: FileFault['code'], words: (path: string) => string];

/** System error codes (errno(3)) in words for the user. */
const WORDINGS: ReadonlyMap<string, Wording> = new Map<string, Wording>([
  ['ENOENT', ['not_found', (path) => `${path} does not exist.`]],
  ['EACCES', ['denied', (path) => `No permission to use ${path}.`]],
  ['EPERM', ['denied', (path) => `The system does not allow this on ${path}.`]],
  ['EROFS', ['denied', (path) => `${path} is on a read-only disk.`]],
  ['EISDIR', ['is_directory', (path) => `${path} is a folder, not a file.`]],
  ['ENOTDIR', ['not_directory', (path) => `A part of ${path} is a file, not a folder.`]],
  ['EEXIST', ['exists', (path) => `${path} exists already.`]],
  ['ENOTEMPTY', ['exists', (path) => `The folder ${path} is not empty.`]],
  ['ENOSPC', ['no_space', (path) => `No space left on the disk of ${path}.`]],
  ['EDQUOT', ['over_quota', (path) => `The disk quota for ${path} is used up.`]],
  ['EFBIG', ['too_large', (path) => `${path} would be larger than the disk allows.`]],
  ['ELOOP', ['loop', (path) => `The links in ${path} lead in a circle.`]],
  ['ENAMETOOLONG', ['other', (path) => `The path ${shorten(path)} is too long for this system.`]],
  ['EMFILE', ['other', (path) => `Too many files are open to open ${path}.`]],
  ['ENFILE', ['other', (path) => `Too many files are open to open ${path}.`]],
  ['EBUSY', ['other', (path) => `${path} is in use by another program.`]],
  ['EIO', ['other', (path) => `The disk failed while using ${path}.`]],
]);

/** Turns what Node threw into words. */
export function fileFault(path: string, thrown: unknown): FileFault {
  const code = errorCode(thrown);
  const wording = code === null ? undefined : WORDINGS.get(code);
  if (wording !== undefined) return { code: wording[0], path, message: wording[1](path) };
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: 'other', path, message: `Cannot use ${path}: ${reason}` };
}

/** Returns the system's code of an error (`ENOENT`), or null when it has none. */
export function errorCode(thrown: unknown): string | null {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : null;
  return typeof code === 'string' ? code : null;
}

/** Returns the fault of a file where a folder is wanted. */
export const notFolder = (path: string): FileFault => ({
  code: 'not_directory',
  path,
  message: `${path} is a file, not a folder.`,
});

/** Returns the fault of a file that is neither a folder nor regular: a device, a pipe, a socket. */
export const notRegular = (path: string): FileFault => ({
  code: 'other',
  path,
  message: `${path} is a device, a pipe or a socket, not a regular file.`,
});

/** Returns the fault for a place that something else took: a link, another file, another folder. */
export const movedFault = (path: string): FileFault => ({
  code: 'moved',
  path,
  message: `${path} is no longer what it was when this call was decided: a link or another file took its place. Nothing was read or written; try again.`,
});

const shorten = (path: string): string => (path.length > 200 ? `${path.slice(0, 200)}…` : path);
