import { createHash } from 'node:crypto';
import { join, relative } from 'node:path';
import { err, fault, ok, type Result } from '../../../../shared/result';
import { relativeInside } from '../../permissions/paths';
import type { Files } from '../../ports';

/** More is no plugin. */
const MAX_FILES = 2_000;
const MAX_DEPTH = 12;
/** Bytes, of all files together. */
const MAX_BYTES = 32 * 1024 * 1024;

/** A file of a plugin's folder. */
interface FolderFile {
  /** Its way from the folder, with `/`. */
  readonly name: string;
  readonly path: string;
  readonly size: number;
  readonly mode: number;
  /** Changes whenever the file does. */
  readonly mark: string;
}

/** Reads folders of plugins as a whole, and remembers what it has read of those that did not change. */
export interface PluginFolders {
  /** Returns what stands for every byte of a folder. The error says why it cannot be used. */
  digest(root: string): Promise<Result<string>>;
  /** Copies a folder, if it still is what `digest` stands for. */
  copy(root: string, to: string, digest: string): Promise<Result<null>>;
}

/** The folders that are remembered. */
const MAX_KNOWN = 100;

/** Creates it. */
export function createPluginFolders(files: Files): PluginFolders {
  const known = new Map<string, { readonly mark: string; readonly digest: string }>();

  const digest: PluginFolders['digest'] = async (root) => {
    const listed = await listFolder(files, root);
    if (!listed.ok) return listed;
    const mark = JSON.stringify(listed.value.map((file) => [file.name, file.mark]));
    const before = known.get(root);
    if (before?.mark === mark) return ok(before.digest);
    const read = await digestOf(files, listed.value);
    if (!read.ok) return read;
    known.delete(root);
    known.set(root, { mark, digest: read.value });
    for (const oldest of [...known.keys()].slice(0, known.size - MAX_KNOWN)) known.delete(oldest);
    return read;
  };

  const copy: PluginFolders['copy'] = async (root, to, wanted) => {
    const listed = await listFolder(files, root);
    if (!listed.ok) return listed;
    for (const { name, path, mode } of listed.value) {
      const bytes = await files.read(path, MAX_BYTES);
      if (!bytes.ok) return err(fault(bytes.error.code, bytes.error.message));
      const written = await files.write(join(to, name), bytes.value, mode & 0o100 ? 0o700 : 0o600);
      if (!written.ok) return err(fault(written.error.code, written.error.message));
    }
    const copied = await digest(to);
    if (copied.ok && copied.value === wanted) return ok(null);
    await files.remove(to);
    return copied.ok ? err(CHANGED) : copied;
  };

  return { digest, copy };
}

const CHANGED = fault(
  'changed',
  'The plugin changed after it was shown. Nothing was installed.',
  'Look at it again.',
);

/** Lists every file below a folder in a fixed order. Links and folders of git are no part of a plugin. */
async function listFolder(files: Files, root: string): Promise<Result<readonly FolderFile[]>> {
  const found: FolderFile[] = [];
  let bytes = 0;
  let problem: string | null = null;
  const visit = async (folder: string, depth: number): Promise<void> => {
    const listed = await files.list(folder);
    if (!listed.ok) {
      problem ??= listed.error.message;
      return;
    }
    for (const { name, kind } of listed.value.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (problem !== null) return;
      const path = join(folder, name);
      if (kind === 'directory') {
        if (name === '.git') continue;
        if (depth >= MAX_DEPTH) problem = `${path} lies too deep for a plugin.`;
        else await visit(path, depth + 1);
      } else if (kind === 'link') problem = `${path} is a link, and a plugin may have none.`;
      else if (kind === 'file') await take(path);
    }
  };
  const take = async (path: string): Promise<void> => {
    const stat = await files.stat(path);
    if (!stat.ok) {
      problem = stat.error.message;
      return;
    }
    const { size, mode, identity, mtimeMs } = stat.value;
    bytes += size;
    if (found.length >= MAX_FILES) problem = `${root} holds more than ${MAX_FILES} files.`;
    if (bytes > MAX_BYTES) problem = `${root} holds more than ${MAX_BYTES / 1024 / 1024} MB.`;
    const name = relative(root, path).replaceAll('\\', '/');
    found.push({ name, path, size, mode, mark: `${identity} ${mtimeMs} ${size} ${mode}` });
  };
  await visit(root, 1);
  return problem === null
    ? ok(found)
    : err(fault('bad_plugin', problem, 'Change it and try again.'));
}

async function digestOf(files: Files, listed: readonly FolderFile[]): Promise<Result<string>> {
  const hash = createHash('sha256');
  for (const { name, path, mode } of listed) {
    const bytes = await files.read(path, MAX_BYTES);
    if (!bytes.ok) return err(fault(bytes.error.code, bytes.error.message));
    const content = createHash('sha256').update(bytes.value).digest('hex');
    hash.update(JSON.stringify([name, (mode & 0o100) !== 0, content]));
  }
  return ok(hash.digest('base64url'));
}

/** Returns a path of a plugin as an absolute one; null when it leads out of the plugin. Pure. */
export function pathInside(root: string, path: string): string | null {
  const whole = join(root, path);
  return relativeInside(root, whole, false) === null ? null : whole;
}
