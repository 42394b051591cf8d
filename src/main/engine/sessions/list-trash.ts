import { join } from 'node:path';
import type { TrashedSession } from '../../../shared/contract-sessions';
import { peek } from './list';
import { projectSlug } from './paths';
import { type TrashServices, trashEntries } from './trash';

/** The longest list. */
const MAX_LISTED = 200;

/** Lists the sessions of a project that are in the trash, the one that was deleted last first. */
export async function listTrash(
  { files, latheHome }: Pick<TrashServices, 'files' | 'latheHome'>,
  project: string,
): Promise<readonly TrashedSession[]> {
  const root = join(latheHome, 'trash');
  const entries = (await trashEntries(files, root)).toSorted((a, b) => b.at - a.at);
  const found = new Map<string, TrashedSession>();
  for (const { name, at, id } of entries) {
    if (found.size === MAX_LISTED) break;
    // Only the one that was deleted last under an id can be had back.
    if (found.has(id)) continue;
    const file = join(root, name, projectSlug(project), `${id}.jsonl`);
    const session = await peek(files, file, id, undefined);
    if (session?.project === project && session.title !== '')
      found.set(id, { id, title: session.title, deletedAt: at });
  }
  return [...found.values()];
}
