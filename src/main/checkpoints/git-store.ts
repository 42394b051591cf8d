import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { err, fault, ok, type Result } from '../../shared/result';
import { objectId, writeCommit, writeObject } from './loose-objects';

/** The name of a change set inside its commit. */
const CHANGES = 'changes.json';

/** Most of what git says on standard error that is kept. Characters. */
const MAX_ERRORS = 4_000;

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

interface RunningGit {
  readonly child: ChildProcess;
  /** Resolves when it has ended and its output is read. Never rejects. */
  readonly ended: Promise<Result<null>>;
}

function startGit(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): RunningGit {
  const child = spawn('git', args, {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  let errors = '';
  child.stderr?.setEncoding('utf8');
  child.stderr?.on('data', (text: string) => {
    errors = (errors + text).slice(0, MAX_ERRORS);
  });
  // What it did not read is told by its exit.
  child.stdin?.on('error', () => {});
  const ended = new Promise<Result<null>>((resolve) => {
    child.once('error', (thrown: NodeJS.ErrnoException) =>
      resolve(err(thrown.code === 'ENOENT' ? NO_GIT : failure(thrown.message))),
    );
    child.once('close', (code) =>
      resolve(code === 0 ? ok(null) : err(failure(errors.trim() || `git ended with ${code}`))),
    );
  });
  return { child, ended };
}

/** The fault of a machine without git. */
const NO_GIT = fault(
  'no_git',
  'Checkpoints need git, which is not installed: changes of files cannot be undone.',
  'Install git, then start a new session.',
);

const failure = (why: string) =>
  fault('checkpoint_failed', `The checkpoint could not be kept: ${why}`);

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

/** Reads objects by name through git-cat-file(1) `--batch`: a line for each, and its bytes when it is there. */
async function readObjects(
  { child, ended }: RunningGit,
  names: readonly string[],
  onObject: (name: string, bytes: Uint8Array) => void | Promise<void>,
  maxBytes: number,
): Promise<Result<null>> {
  child.stdin?.end(names.map((name) => `${name}\n`).join(''));
  let waiting: Buffer[] = [];
  let length = 0;
  let next = 0;
  let need: number | null = null;
  try {
    for await (const chunk of child.stdout ?? []) {
      waiting.push(chunk);
      length += chunk.length;
      if (need !== null && length < need + 1) continue;
      let bytes = Buffer.concat(waiting);
      for (;;) {
        if (need === null) {
          const end = bytes.indexOf(10);
          if (end < 0) break;
          const size = /^[0-9a-f]+ \w+ (\d+)$/.exec(bytes.toString('utf8', 0, end))?.[1];
          bytes = bytes.subarray(end + 1);
          if (size === undefined) next += 1;
          else need = Number(size);
        } else {
          if (bytes.length < need + 1) break;
          const name = names[next];
          if (name !== undefined && need <= maxBytes) await onObject(name, bytes.subarray(0, need));
          bytes = bytes.subarray(need + 1);
          need = null;
          next += 1;
        }
      }
      waiting = [bytes];
      length = bytes.length;
    }
  } catch (thrown) {
    child.kill('SIGKILL');
    await ended;
    return err(failure(String(thrown)));
  }
  return ended;
}
