import { posix } from 'node:path';
import type { FileFault, FileStat, Files } from '../../../src/main/engine/ports';
import { err, ok } from '../../../src/shared/result';

const missing = (path: string): FileFault => ({
  code: 'not_found',
  path,
  message: `${path} is missing`,
});

/** A disk in memory for code that only reads: contents by path, links by path. */
export function memoryDisk(
  contents: Readonly<Record<string, string>>,
  links: Readonly<Record<string, string>> = {},
): Files {
  const follow = (path: string): string => {
    for (const [from, to] of Object.entries(links))
      if (path === from || path.startsWith(`${from}/`)) return to + path.slice(from.length);
    return path;
  };
  const isFolder = (path: string) => Object.keys(contents).some((p) => p.startsWith(`${path}/`));
  const stat = (path: string): FileStat | null => {
    const real = follow(path);
    const text = contents[real];
    if (text === undefined && !isFolder(real)) return null;
    return {
      kind: text === undefined ? 'directory' : 'file',
      size: text?.length ?? 0,
      mtimeMs: 0,
      mode: 0o644,
      identity: real,
    };
  };
  const readOnly = async () => err<FileFault>({ code: 'denied', path: '', message: 'read only' });
  return {
    stat: async (path) => {
      const found = stat(path);
      return found === null ? err(missing(path)) : ok(found);
    },
    read: async (path, maxBytes) => {
      const text = contents[follow(path)];
      if (text === undefined)
        return err(isFolder(path) ? { ...missing(path), code: 'is_directory' } : missing(path));
      const bytes = new TextEncoder().encode(text);
      return bytes.length > maxBytes
        ? err({ code: 'too_large', path, message: `${path} is too large` })
        : ok(bytes);
    },
    realPath: async (path) => ok(posix.normalize(follow(path))),
    locate: async (path) => ok({ realPath: posix.normalize(follow(path)), identity: path }),
    open: readOnly,
    writeAt: readOnly,
    holdFolder: readOnly,
    readRange: readOnly,
    write: readOnly,
    openAppend: readOnly,
    move: readOnly,
    truncate: readOnly,
    touch: readOnly,
    list: async (path) => {
      const inside = Object.keys(contents).filter((p) => posix.dirname(p) === follow(path));
      return inside.length === 0
        ? err(missing(path))
        : ok(inside.map((p) => ({ name: posix.basename(p), kind: 'file' as const })));
    },
    makeDirectory: readOnly,
    link: readOnly,
    remove: readOnly,
  };
}
