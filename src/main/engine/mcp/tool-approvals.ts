import { z } from 'zod';
import { replaceFile } from '../damaged-file';
import { createMutex } from '../mutex';
import type { Files } from '../ports';

/**
 * Remembers what tools of servers were when a user allowed them for good, because a server can describe them otherwise in a
 * later session (docs/permissions.md).
 */
export interface ToolApprovals {
  /** Returns what stood for each tool of a project that was allowed, by its whole name. */
  look(project: string): Promise<ReadonlyMap<string, string>>;
  /** Keeps what stands for one now. What cannot be kept is not bound. */
  keep(project: string, tool: string, content: string): Promise<void>;
}

const MAX_BYTES = 8 * 1024 * 1024;
/** The most projects, and the most tools of one; the oldest go first. */
const MAX_PROJECTS = 500;
const MAX_TOOLS = 500;

const Kept = z.record(z.string(), z.array(z.tuple([z.string(), z.string()])));

/** Creates the record kept in `file`. One that cannot be read or understood holds nothing. */
export function createToolApprovals(files: Files, file: string): ToolApprovals {
  const writes = createMutex();
  const read = async (): Promise<ReadonlyMap<string, readonly (readonly [string, string])[]>> => {
    const bytes = await files.read(file, MAX_BYTES);
    return new Map(Object.entries((bytes.ok && kept(bytes.value)) || {}));
  };
  return {
    look: async (project) => new Map((await read()).get(project)),
    keep: (project, tool, content) =>
      writes.run(async () => {
        const all = new Map(await read());
        const others = (all.get(project) ?? []).filter(([name]) => name !== tool);
        all.delete(project);
        all.set(project, [...others, [tool, content] as const].slice(-MAX_TOOLS));
        const next = Object.fromEntries([...all].slice(-MAX_PROJECTS));
        await replaceFile(files, file, `${JSON.stringify(next)}\n`, holdsApprovals);
      }),
  };
}

/** Tells whether bytes are what the record of approvals holds. */
export const holdsApprovals = (bytes: Uint8Array): boolean => kept(bytes) !== null;

function kept(bytes: Uint8Array): z.infer<typeof Kept> | null {
  try {
    return Kept.safeParse(JSON.parse(new TextDecoder().decode(bytes))).data ?? null;
  } catch {
    return null;
  }
}
