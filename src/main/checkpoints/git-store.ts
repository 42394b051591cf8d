import { once } from 'node:events';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { err, ok, type Result } from '../../shared/result';
import { failure, type RunningGit, readObjects, startGit } from './git-process';
import { objectId, writeCommit, writeObject } from './loose-objects';
import { CHANGES, type KeepLimits, pruneStore } from './prune-store';

/** A write into the store: blobs first, then at most one commit that keeps them. */
export interface StoreWriter {
  /** Resolves when git took the bytes. */
  blob(bytes: Uint8Array): Promise<void>;
  /** Keeps a text and the blobs it names under a ref; `at` is epoch milliseconds. */
  commit(id: string, text: string, blobs: readonly string[], at: number): Promise<void>;
  end(): Promise<Result<null>>;
}

/**
 * A git repository of Lathe's own, used as a store of contents. No work tree belongs to it, so that nothing of a
 * project's git (configuration, attributes, filters, hooks) has a part in it.
 */
export interface GitStore {
  /** Makes the repository where there is none; fails where there is no git. */
  open(): Promise<Result<null>>;
  write(): StoreWriter;
  /** Returns the texts of commits by their ids; those that are not there are left out. */
  texts(ids: readonly string[]): Promise<Result<ReadonlyMap<string, string>>>;
  /** Calls back with each content that is there, in the order asked, one at a time. */
  read(
    blobs: readonly string[],
    onBlob: (blob: string, bytes: Uint8Array) => void | Promise<void>,
    maxBytes: number,
  ): Promise<Result<null>>;
  /**
   * Takes checkpoints out that are older or more than `limits` allow, and all content that nothing names then. `base` are
   * the contents that stay besides. Returns the ids that went. Nobody else may use the store meanwhile.
   */
  prune(limits: KeepLimits, base: ReadonlySet<string>): Promise<Result<readonly string[]>>;
}

/** Returns the id that git gives a content. */
export const blobId = (bytes: Uint8Array): string => objectId('blob', bytes);

/** Creates the store in a folder. `path` is where programs are looked for. */
export function createGitStore(folder: string, path: string): GitStore {
  const env = {
    PATH: path,
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_DIR: folder,
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
    ...(process.env['SYSTEMROOT'] === undefined ? {} : { SYSTEMROOT: process.env['SYSTEMROOT'] }),
  };
  const git = (args: readonly string[]) => startGit(args, folder, env);

  return {
    open: async () => {
      try {
        if (await isReady(folder)) return ok(null);
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const made = git(['init', '--quiet', '--bare', '--template=', folder]);
        made.child.stdin?.end();
        made.child.stdout?.resume();
        const ended = await made.ended;
        if (!ended.ok) return ended;
        await writeFile(join(folder, 'config'), CONFIG, { mode: 0o600 });
        return ok(null);
      } catch (thrown) {
        return err(failure(String(thrown)));
      }
    },
    write: () =>
      createWriter(folder, () =>
        importer(git(['fast-import', '--quiet', '--done', '--force', '--depth=0'])),
      ),
    texts: async (ids) => {
      const found = new Map<string, string>();
      const names = new Map(ids.map((id) => [`refs/lathe/${id}:${CHANGES}`, id]));
      const read = await readObjects(
        git(['cat-file', '--batch']),
        [...names.keys()],
        (name, bytes) => void found.set(names.get(name) ?? '', Buffer.from(bytes).toString('utf8')),
        Number.POSITIVE_INFINITY,
      );
      return read.ok ? ok(found) : read;
    },
    read: (blobs, onBlob, maxBytes) =>
      blobs.length === 0
        ? Promise.resolve(ok(null))
        : readObjects(git(['cat-file', '--batch']), blobs, onBlob, maxBytes),
    prune: (limits, base) => pruneStore(folder, git, limits, base),
  };
}

/** No hooks, no automatic packing behind our back, quick writes. */
const CONFIG = `[core]
\trepositoryformatversion = 0
\tbare = true
\tfilemode = false
\thooksPath = ${devNull.replaceAll('\\', '/')}
\tfsmonitor = false
\tcompression = 1
\tlogAllRefUpdates = false
[gc]
\tauto = 0
[maintenance]
\tauto = false
`;

/** Tells whether a repository is there and set up as it is to be. */
async function isReady(folder: string): Promise<boolean> {
  try {
    await Promise.all(['HEAD', 'objects', 'refs'].map((name) => access(join(folder, name))));
    return (await readFile(join(folder, 'config'), 'utf8')) === CONFIG;
  } catch {
    return false;
  }
}

/** The most that is written without git: beyond it, one pack is better than many files. */
const FEW = { blobs: 100, bytes: 4 * 1024 * 1024 };

/** Creates a writer that writes a little by itself, and has git write more. */
function createWriter(folder: string, startImport: () => StoreWriter): StoreWriter {
  let few: Uint8Array[] | null = [];
  let bytesOfFew = 0;
  let many: StoreWriter | null = null;
  let problem: Result<null> = ok(null);
  return {
    blob: async (bytes) => {
      if (few !== null) {
        few.push(bytes);
        bytesOfFew += bytes.length;
        if (few.length <= FEW.blobs && bytesOfFew <= FEW.bytes) return;
        many = startImport();
        for (const one of few) await many.blob(one);
        few = null;
      } else await many?.blob(bytes);
    },
    commit: async (id, text, blobs, at) => {
      if (many !== null) return many.commit(id, text, blobs, at);
      try {
        for (const bytes of few ?? []) await writeObject(folder, 'blob', bytes);
        few = [];
        const file = { name: CHANGES, bytes: Buffer.from(text, 'utf8') };
        await writeCommit(folder, `refs/lathe/${id}`, file, blobs, at);
      } catch (thrown) {
        problem = err(failure(String(thrown)));
      }
    },
    end: async () => {
      if (many !== null) return many.end();
      try {
        for (const bytes of few ?? []) await writeObject(folder, 'blob', bytes);
      } catch (thrown) {
        problem = err(failure(String(thrown)));
      }
      return problem;
    },
  };
}

/** Bytes that are handed to git at once. */
const PORTION = 64 * 1024;

/** Writes in the language of git-fast-import(1). */
function importer({ child, ended }: RunningGit): StoreWriter {
  const { stdin } = child;
  child.stdout?.resume();
  let gone = false;
  const over = ended.then((result) => {
    gone = true;
    return result;
  });
  let portion: (Uint8Array | string)[] = [];
  let length = 0;
  const flush = async () => {
    const bytes = Buffer.concat(
      portion.map((one) => (typeof one === 'string' ? Buffer.from(one) : one)),
    );
    portion = [];
    length = 0;
    if (gone || stdin === null || stdin.destroyed) return;
    if (!stdin.write(bytes)) await Promise.race([once(stdin, 'drain').catch(() => {}), over]);
  };
  const put = async (...parts: readonly (Uint8Array | string)[]) => {
    for (const part of parts) {
      portion.push(part);
      length += part.length;
    }
    if (length >= PORTION) await flush();
  };
  return {
    blob: (bytes) => put(`blob\ndata ${bytes.length}\n`, bytes, '\n'),
    commit: async (id, text, blobs, at) => {
      const bytes = Buffer.from(text, 'utf8');
      const seconds = Math.floor(at / 1000);
      const unique = [...new Set(blobs)];
      await put(
        `commit refs/lathe/${id}\ncommitter Lathe <lathe@localhost> ${seconds} +0000\ndata 0\n\n`,
        `M 100644 inline ${CHANGES}\ndata ${bytes.length}\n`,
        bytes,
        '\n',
        ...unique.map((blob) => `M 100644 ${blob} blobs/${blob}\n`),
      );
    },
    end: async () => {
      await put('done\n');
      await flush();
      stdin?.end();
      return over;
    },
  };
}
