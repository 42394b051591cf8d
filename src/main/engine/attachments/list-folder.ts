import { join } from 'node:path';
import type { DirectoryEntry } from '../ports';
import type { Target } from '../tools/builtin/support/target';
import type { ToolEnvironment } from '../tools/environment';

/** Entries shown of a folder. */
const MAX_ENTRIES = 500;

/**
 * What is directly in a folder, by name, folders with a slash. Entries that a rule keeps from being read are
 * left out, links judged by where they lead.
 */
export async function listFolder(folder: Target, env: ToolEnvironment): Promise<string> {
  const listed = await env.services.files.list(folder.realPath);
  if (!listed.ok) return `(It cannot be listed: ${listed.error.message})`;
  const hidden = env.agent.hiddenFiles();
  const isShown = async (entry: DirectoryEntry): Promise<boolean> => {
    const path = join(folder.realPath, entry.name);
    if (hidden(path)) return false;
    if (entry.kind !== 'link') return true;
    const real = await env.services.files.realPath(path);
    return real.ok && !hidden(real.value);
  };
  const sorted = listed.value.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const first = sorted.slice(0, MAX_ENTRIES);
  const shown = await Promise.all(first.map(isShown));
  const names = first.filter((_, i) => shown[i]).map(nameOf);
  const more = sorted.length - first.length;
  if (names.length === 0) return '(nothing)';
  return [...names, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n');
}

const nameOf = ({ name, kind }: DirectoryEntry): string =>
  kind === 'directory' ? `${name}/` : name;
