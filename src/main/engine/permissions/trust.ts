import { z } from 'zod';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { SettingsProblem } from '../../../shared/settings';
import { replaceFile } from '../damaged-file';
import { createMutex } from '../mutex';
import type { Clock, Files } from '../ports';

/** The folders the user trusts, bound to what trusting them turned on. */
export interface TrustStore {
  /**
   * Tells whether the folder (a real path) was trusted with exactly these findings, for good or for
   * this run.
   */
  isTrusted(folder: string, findingsHash: string): Promise<boolean>;
  /**
   * Returns the marks of what the folder held when it was trusted last; null when it is not
   * remembered.
   */
  remembered(folder: string): Promise<ReadonlySet<string> | null>;
  /** Trusts a folder with these findings, or with null forgets it. `marks` tell later what is new. */
  set(
    folder: string,
    findingsHash: string | null,
    marks?: readonly string[],
  ): Promise<Result<null>>;
  /** Returns what is wrong with the file; null when nothing is, or there is none. */
  problem(): Promise<SettingsProblem | null>;
  /** Trusts a folder until the process ends, whatever it turns on (`--trust`). */
  trustForThisRun(folder: string): void;
}

/** The most folders remembered; the oldest go first. */
const MAX_FOLDERS = 1_000;
const MISSING = /^not_(found|directory)$/;
const MAX_BYTES = 8 * 1024 * 1024;
/** The most marks kept of a folder; what is beyond is shown as new. */
const MAX_MARKS = 200;

const TrustFile = z.object({
  version: z.literal(1),
  folders: z.record(
    z.string(),
    z.object({
      findingsHash: z.string(),
      trustedAt: z.number(),
      marks: z.array(z.string()).optional(),
    }),
  ),
});
type TrustFile = z.infer<typeof TrustFile>;

/**
 * Creates the store kept in `file` (`$LATHE_HOME/trust.json`). A file that cannot be read or understood means
 * that nothing is trusted. One that cannot be understood is kept beside (`.damaged`) when something is trusted again.
 */
export function createTrustStore(options: {
  readonly files: Files;
  readonly file: string;
  readonly clock: Clock;
}): TrustStore {
  const { files, file, clock } = options;
  const forThisRun = new Set<string>();
  const writes = createMutex();

  const read = async (): Promise<TrustFile> => {
    const bytes = await files.read(file, MAX_BYTES);
    return (bytes.ok && parse(bytes.value)) || { version: 1, folders: {} };
  };

  const update = async (
    folder: string,
    findingsHash: string | null,
    marks: readonly string[],
  ): Promise<Result<null>> => {
    const { folders } = await read();
    const kept = Object.entries(folders)
      .filter(([path]) => path !== folder)
      .sort(([, a], [, b]) => b.trustedAt - a.trustedAt)
      .slice(0, MAX_FOLDERS - 1);
    const trusted = { findingsHash, trustedAt: clock.date(), marks: marks.slice(0, MAX_MARKS) };
    const added = findingsHash === null ? [] : [[folder, trusted]];
    const next = { version: 1, folders: Object.fromEntries([...kept, ...added]) };
    const text = `${JSON.stringify(next, null, 2)}\n`;
    const written = await replaceFile(files, file, text, (bytes) => parse(bytes) !== null);
    return written.ok ? ok(null) : notSaved(written.error);
  };

  const notSaved = ({ code, message }: { readonly code: string; readonly message: string }) =>
    err(fault(code, `Trust could not be saved: ${message}`, `Mend or remove ${file}.`));

  return {
    isTrusted: async (folder, findingsHash) => {
      if (forThisRun.has(folder)) return true;
      const { folders } = await read();
      return Object.hasOwn(folders, folder) && folders[folder]?.findingsHash === findingsHash;
    },
    remembered: async (folder) => {
      const { folders } = await read();
      const entry = Object.hasOwn(folders, folder) ? folders[folder] : undefined;
      return entry === undefined ? null : new Set(entry.marks);
    },
    set: (folder, findingsHash, marks = []) => {
      if (findingsHash === null) forThisRun.delete(folder);
      return writes.run(() => update(folder, findingsHash, marks));
    },
    problem: async () => {
      const bytes = await files.read(file, MAX_BYTES);
      if (bytes.ok ? parse(bytes.value) !== null : MISSING.test(bytes.error.code)) return null;
      const message = bytes.ok
        ? `${file} cannot be understood, so no folder counts as trusted. When you trust one again, what it holds is kept in ${file}.damaged.`
        : `${bytes.error.message.replace(/\.$/, '')}, so no folder counts as trusted. Trust is not saved until you mend or move it.`;
      return { file, message, level: 'warning' };
    },
    trustForThisRun: (folder) => {
      forThisRun.add(folder);
    },
  };
}

function parse(bytes: Uint8Array): TrustFile | null {
  try {
    const parsed = TrustFile.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
