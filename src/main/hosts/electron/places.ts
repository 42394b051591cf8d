import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';
import type { WindowPlace } from './window-options';

const Bounds = z.object({ x: z.int(), y: z.int(), width: z.int().min(1), height: z.int().min(1) });
const PlacesFile = z.record(z.string(), z.object({ bounds: Bounds, maximized: z.boolean() }));

/** Remembered windows; the oldest go first beyond this. */
const MAX_PLACES = 50;

/** Where the windows of projects were. */
export interface Places {
  /** The place of a project's window; without a project, of the first window. */
  of(project: string | undefined): WindowPlace;
  remember(project: string | undefined, place: WindowPlace): Promise<void>;
}

/** Opens the list in Lathe's home. A missing or broken file is an empty list; a full disk forgets. */
export async function openPlaces(latheHome: string): Promise<Places> {
  const path = join(latheHome, 'windows.json');
  const known = new Map(Object.entries(await read(path)));
  return {
    of: (project) => known.get(project ?? '') ?? { maximized: false },
    async remember(project, { bounds, maximized }) {
      if (bounds === undefined) return;
      const key = project ?? '';
      known.delete(key);
      known.set(key, { bounds, maximized });
      const oldest = known.keys().next().value;
      if (known.size > MAX_PLACES && oldest !== undefined) known.delete(oldest);
      const text = JSON.stringify(Object.fromEntries(known));
      await writeFileAtomic(path, text, { mode: 0o600 }).catch(() => {});
    },
  };
}

async function read(path: string): Promise<z.infer<typeof PlacesFile>> {
  try {
    const parsed = PlacesFile.safeParse(JSON.parse(await readFile(path, 'utf8')));
    return parsed.success ? parsed.data : {};
  } catch {
    return {};
  }
}
