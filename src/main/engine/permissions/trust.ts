import { z } from 'zod';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { Clock, Files } from '../ports';

/** Which folders a person trusts, bound to what trusting them turned on. */
export interface TrustStore {
  /** Whether the folder (a real path) was trusted with exactly these findings, for good or for this run. */
  isTrusted(folder: string, findingsHash: string): Promise<boolean>;
  /** Trusts a folder with these findings, or with null forgets it. */
  set(folder: string, findingsHash: string | null): Promise<Result<null>>;
  /** Trusts a folder until the process ends, whatever it turns on (`--trust`). */
  trustForThisRun(folder: string): void;
}

/** The most folders remembered; the oldest go first. */
const MAX_FOLDERS = 1_000;
const MAX_BYTES = 4 * 1024 * 1024;
/** Only the person may read where they work. */
const PRIVATE = 0o600;

const TrustFile = z.object({
  version: z.literal(1),
  folders: z.record(z.string(), z.object({ findingsHash: z.string(), trustedAt: z.number() })),
});
type TrustFile = z.infer<typeof TrustFile>;

/**
 * Creates the store kept in `file` (`$LATHE_HOME/trust.json`). A file that cannot be read or understood means
 * that nothing is trusted; it is only replaced when the person trusts something again.
 */
export function createTrustStore(options: {
  readonly files: Files;
  readonly file: string;
  readonly clock: Clock;
}): TrustStore {
  const { files, file, clock } = options;
  const forThisRun = new Set<string>();
  let writing: Promise<unknown> = Promise.resolve();

  const read = async (): Promise<TrustFile> => {
    const bytes = await files.read(file, MAX_BYTES);
    return (bytes.ok && parse(bytes.value)) || { version: 1, folders: {} };
  };

  const update = async (folder: string, findingsHash: string | null): Promise<Result<null>> => {
    const { folders } = await read();
    const kept = Object.entries(folders)
      .filter(([path]) => path !== folder)
      .sort(([, a], [, b]) => b.trustedAt - a.trustedAt)
      .slice(0, MAX_FOLDERS - 1);
    const added = findingsHash === null ? [] : [[folder, { findingsHash, trustedAt: clock.now() }]];
    const next = { version: 1, folders: Object.fromEntries([...kept, ...added]) };
    const written = await files.write(file, `${JSON.stringify(next, null, 2)}\n`, PRIVATE);
    if (written.ok) return ok(null);
    return err(fault(written.error.code, `Trust could not be saved: ${written.error.message}`));
  };

  return {
    isTrusted: async (folder, findingsHash) => {
      if (forThisRun.has(folder)) return true;
      const { folders } = await read();
      return Object.hasOwn(folders, folder) && folders[folder]?.findingsHash === findingsHash;
    },
    set: (folder, findingsHash) => {
      if (findingsHash === null) forThisRun.delete(folder);
      const result = writing.then(() => update(folder, findingsHash));
      writing = result;
      return result;
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
