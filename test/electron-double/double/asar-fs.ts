import fs from 'node:fs';
import Module, {
  createRequire,
  isBuiltin,
  registerHooks,
  syncBuiltinESMExports,
} from 'node:module';
import { join, normalize, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import workers from 'node:worker_threads';

/** An archive that programs run from. */
export interface Archive {
  /** Its path, `…/app.asar`. */
  readonly path: string;
  /** A folder with all of its files, for Node's own search for modules; everything else reads the archive. */
  readonly view: string;
  /** A module that calls `readArchives` for threads and children. */
  readonly preload: string;
}

/** An entry in the header of an archive. */
interface Entry {
  readonly files?: Readonly<Record<string, Entry>>;
  readonly size?: number;
  readonly offset?: string;
  readonly unpacked?: boolean;
  readonly executable?: boolean;
}

interface OpenArchive {
  readonly root: Entry;
  readonly start: number;
}

interface Place {
  readonly path: string;
  readonly inner: string;
}

// As they are before anything is replaced.
const plain = { ...fs };
const plainPromises = { ...fs.promises };
const plainDlopen = process.dlopen;
const plainBuiltin = process.getBuiltinModule;

/**
 * Makes this process see archives as Electron's does: the functions of `fs` named below take what is called `.asar` and is no
 * folder for one, whoever's it is; `original-fs` does not. Returns a function that ends that.
 */
export function readArchives(own: Archive): () => void {
  const folders = new Map<string, boolean>();
  const archives = new Map<string, OpenArchive>();

  /** Tells whether a path is a folder. Electron asks the disk once, and for ever. */
  const isFolder = (path: string): boolean => {
    const known = folders.get(path);
    if (known !== undefined) return known;
    const is = plain.statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
    folders.set(path, is);
    return is;
  };
  let original = false;
  /** What is plain calls what is replaced, within Node; `original-fs` is a whole copy. */
  const unwrapped = (plainly: object) =>
    Object.fromEntries(
      Object.entries(plainly).map(([name, value]) => [
        name,
        typeof value !== 'function' || /^[A-Z]/.test(name)
          ? value
          : Object.assign((...args: unknown[]) => {
              const before = original;
              original = true;
              try {
                return value(...args);
              } finally {
                original = before;
              }
            }, value),
      ]),
    );
  const originalFs = { ...unwrapped(plain), promises: plainPromises };
  const placeOf = (value: unknown): Place | null => {
    if (original) return null;
    const given = value instanceof URL ? fileURLToPath(value) : value;
    if (typeof given !== 'string' || !/\.asar/i.test(given)) return null;
    const parts = normalize(given).split(sep);
    for (let count = parts.length; count > 0; count--) {
      const path = parts.slice(0, count).join(sep);
      if (/.\.asar$/i.test(path) && !isFolder(path))
        return { path, inner: parts.slice(count).filter(Boolean).join('/') };
    }
    return null;
  };
  const open = (path: string): OpenArchive => {
    const known = archives.get(path);
    if (known !== undefined) return known;
    try {
      const handle = plain.openSync(path, 'r');
      const sizes = Buffer.alloc(16);
      plain.readSync(handle, sizes, 0, 16, 0);
      const header = Buffer.alloc(sizes.readUInt32LE(12));
      plain.readSync(handle, header, 0, header.length, 16);
      plain.closeSync(handle);
      const opened = { root: JSON.parse(header.toString()), start: 8 + sizes.readUInt32LE(4) };
      archives.set(path, opened);
      return opened;
    } catch {
      throw new Error(`Invalid package ${path}`);
    }
  };
  const find = ({ path, inner }: Place): Entry => {
    let entry: Entry | undefined = open(path).root;
    for (const name of inner.split('/').filter(Boolean)) entry = entry?.files?.[name];
    if (entry === undefined) throw fault('ENOENT', `${inner} not found in ${path}`);
    return entry;
  };
  const statOf = (place: Place, options?: fs.StatOptions): fs.Stats => {
    const { files, size = 0 } = find(place);
    const mode = files === undefined ? 0o100644 : 0o040755;
    // The kind of object that was asked for: with numbers, or with large ones.
    const like: fs.Stats | fs.BigIntStats = plain.statSync('/', {
      bigint: options?.bigint ?? false,
    });
    const exact = (value: number) => (typeof like.mode === 'bigint' ? BigInt(value) : value);
    const fields = { ...like, mode: exact(mode), size: exact(size) };
    return Object.assign(Object.create(Object.getPrototypeOf(like)), fields);
  };
  const bytesOf = (place: Place): Buffer => {
    const { files, size = 0, offset, unpacked } = find(place);
    if (files !== undefined) throw fault('EISDIR', 'illegal operation on a directory');
    if (unpacked) return plain.readFileSync(unpackedPath(place));
    const bytes = Buffer.alloc(size);
    const handle = plain.openSync(place.path, 'r');
    plain.readSync(handle, bytes, 0, size, open(place.path).start + Number(offset));
    plain.closeSync(handle);
    return bytes;
  };
  const read = (place: Place, options: unknown): string | Buffer => {
    const encoding =
      typeof options === 'string' ? options : Reflect.get(Object(options), 'encoding');
    const bytes = bytesOf(place);
    return encoding ? bytes.toString(encoding) : bytes;
  };
  const list = (place: Place, options: unknown): (string | fs.Dirent)[] => {
    const { withFileTypes, recursive } = Object(options);
    const { files } = find(place);
    if (files === undefined) throw fault('ENOTDIR', 'not a directory');
    const folder = [place.path, place.inner].filter(Boolean).join('/');
    return Object.entries(files).flatMap(([name, entry]) => {
      const inner = [place.inner, name].filter(Boolean).join('/');
      const below =
        recursive && entry.files !== undefined ? list({ ...place, inner }, options) : [];
      if (!withFileTypes) return [name, ...below.map((path) => `${name}/${path}`)];
      const made = Object.assign(Object.create(fs.Dirent.prototype), { name, parentPath: folder });
      made.isFile = () => entry.files === undefined;
      made.isDirectory = () => entry.files !== undefined;
      return [made, ...below];
    });
  };
  const real = ({ path, inner }: Place): string => {
    find({ path, inner });
    return [plain.realpathSync(path), inner].filter(Boolean).join('/');
  };
  const write = (place: Place): never => {
    open(place.path);
    throw fault('EACCES', `permission denied, ${place.inner} in ${place.path}`);
  };

  /** What each function does with a place in an archive. */
  const within: Record<string, (place: Place, options: never) => unknown> = {
    stat: statOf,
    lstat: statOf,
    readFile: read,
    readdir: list,
    realpath: real,
    access: find,
    open: (place: Place, flags: unknown) =>
      flags === undefined || flags === 'r' || flags === 0
        ? plain.openSync(unpackedPath(place), 'r')
        : write(place),
    mkdir: (place: Place) => {
      throw fault('ENOTDIR', `not a directory, ${place.path}`);
    },
  };
  for (const [name, inside] of Object.entries(within)) {
    const sync = `${name}Sync`;
    Reflect.set(fs, sync, (path: unknown, options: never, ...rest: unknown[]) => {
      const place = placeOf(path);
      if (place === null) return Reflect.get(plain, sync)(path, options, ...rest);
      try {
        return inside(place, options);
      } catch (error) {
        if (Reflect.get(Object(options), 'throwIfNoEntry') === false) return undefined;
        throw error;
      }
    });
    Reflect.set(fs.promises, name, async (path: unknown, options: never, ...rest: unknown[]) => {
      const place = placeOf(path);
      return place === null
        ? Reflect.get(plainPromises, name)(path, options, ...rest)
        : inside(place, options);
    });
    Reflect.set(fs, name, (path: unknown, ...rest: unknown[]) => {
      const place = placeOf(path);
      if (place === null) return Reflect.get(plain, name)(path, ...rest);
      const done = rest.at(-1) as (error: unknown, value?: unknown) => void;
      return Promise.resolve(rest.length > 1 ? rest[0] : undefined)
        .then((options) => inside(place, options as never))
        .then((value) => done(null, value), done);
    });
  }
  const { native } = plain.realpathSync;
  Object.assign(fs.realpathSync, {
    native: (path: string) => {
      const place = placeOf(path);
      return place === null ? native(path) : real(place);
    },
  });
  fs.existsSync = (path) => {
    const place = placeOf(path);
    if (place === null) return plain.existsSync(path);
    try {
      return find(place) !== undefined;
    } catch {
      return false;
    }
  };
  process.dlopen = (module: object, path: string, ...rest: never[]) => {
    const place = placeOf(path);
    if (place !== null && !find(place).unpacked)
      throw new Error(`${path} is native code and packed: Electron would copy it out.`);
    return plainDlopen(module, place === null ? path : unpackedPath(place), ...rest);
  };
  Reflect.set(process, 'getBuiltinModule', (name: string) =>
    /^(node:)?original-fs$/.test(name) ? originalFs : plainBuiltin(name),
  );
  const PlainWorker = workers.Worker;
  workers.Worker = class extends PlainWorker {
    constructor(script: string | URL, options: workers.WorkerOptions = {}) {
      const execArgv = ['--import', own.preload, ...(options.execArgv ?? [])];
      super(script, { ...options, execArgv });
    }
  };
  syncBuiltinESMExports();
  const forgetModules = resolveFromArchive(own);
  return () => {
    forgetModules();
    for (const name of Object.keys(within)) {
      for (const each of [name, `${name}Sync`]) Reflect.set(fs, each, Reflect.get(plain, each));
      Reflect.set(fs.promises, name, Reflect.get(plainPromises, name));
    }
    fs.existsSync = plain.existsSync;
    Object.assign(fs.realpathSync, { native });
    Object.assign(process, { dlopen: plainDlopen, getBuiltinModule: plainBuiltin });
    workers.Worker = PlainWorker;
    syncBuiltinESMExports();
  };
}

const unpackedPath = ({ path, inner }: Place): string => `${path}.unpacked/${inner}`;

const fault = (code: string, message: string): Error =>
  Object.assign(new Error(`${code}: ${message}`), { code });

/** Lets Node find modules in the view, and calls them by their places in the archive. */
function resolveFromArchive({ path, view }: Archive) {
  const swap = (text: string, from: string, to: string): string => {
    for (const [before, after] of [
      [from, to],
      [pathToFileURL(from).href, pathToFileURL(to).href],
    ] as const)
      if (text === before || text.startsWith(`${before}/`))
        return after + text.slice(before.length);
    return text;
  };
  // Node's own, which CommonJS asks by this name.
  const loader = Module as unknown as { _resolveFilename: ResolveFilename };
  const { _resolveFilename: plainResolve } = loader;
  loader._resolveFilename = (request, parent, ...rest) => {
    const wanted = swap(request, path, view);
    const from = swap(parent?.filename ?? '', path, view);
    if (isBuiltin(request) || (wanted === request && from === (parent?.filename ?? '')))
      return plainResolve(request, parent, ...rest);
    return swap(createRequire(from || join(view, 'package.json')).resolve(wanted), view, path);
  };
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (context.conditions.includes('require')) return next(specifier, context);
      const parentURL = context.parentURL && swap(context.parentURL, path, view);
      const found = next(swap(specifier, path, view), { ...context, parentURL });
      return { ...found, url: swap(found.url, view, path) };
    },
    load(url, context, next) {
      return next(swap(url, path, view), context);
    },
  });
  return () => {
    hooks.deregister();
    loader._resolveFilename = plainResolve;
  };
}

type ResolveFilename = (
  request: string,
  parent?: { readonly filename: string | null },
  ...rest: readonly unknown[]
) => string;
