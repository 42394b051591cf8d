import { join } from 'node:path';
import { err, type Result } from '../../shared/result';
import type { SettingsProblem } from '../../shared/settings';
import type { FileFault, Files } from './ports';

/** A larger file of this kind was not written by Lathe. Bytes. */
const MAX_BYTES = 8 * 1024 * 1024;
/** More copies of damaged files are not kept. */
const MAX_COPIES = 20;
/** Only the user may read what Lathe keeps. */
const PRIVATE = 0o600;

/** Keeps a copy of a damaged file beside it, and returns its path; null when none could be made. Replaces no other copy. */
export async function keepCopy(
  files: Pick<Files, 'read' | 'write'>,
  path: string,
  bytes: Uint8Array,
): Promise<string | null> {
  for (let n = 1; n <= MAX_COPIES; n++) {
    const copy = `${path}.damaged${n === 1 ? '' : `-${n}`}`;
    const there = await files.read(copy, MAX_BYTES);
    if (there.ok && Buffer.from(there.value).equals(bytes)) return copy;
    if (there.ok || there.error.code !== 'not_found') continue;
    return (await files.write(copy, bytes, PRIVATE)).ok ? copy : null;
  }
  return null;
}

/** Writes a small file for this user alone. One in its place that is not whole is kept as a copy first, or stays. */
export async function replaceFile(
  files: Pick<Files, 'read' | 'write'>,
  path: string,
  data: Uint8Array | string,
  isWhole: (bytes: Uint8Array) => boolean,
): Promise<Result<null, FileFault>> {
  const found = await files.read(path, MAX_BYTES);
  if (!found.ok && found.error.code !== 'not_found') return found;
  if (found.ok && !isWhole(found.value) && (await keepCopy(files, path, found.value)) === null)
    return err({
      code: 'other',
      path,
      message: `No copy of ${path}, which is damaged, could be kept.`,
    });
  return files.write(path, data, PRIVATE);
}

/** Files whose owners tell what is wrong with them. */
const TOLD = new Set(['state.json', 'trust.json']);

/** The tests of what files hold, by their names: false for bytes that are JSON and yet of no use to the owner. */
export type KeptFiles = Readonly<Record<string, (bytes: Uint8Array) => boolean>>;

/** Returns what is wrong with other JSON files in Lathe's home, such as those of a key and of sign-ins, and with its costs. */
export async function damagedFiles(
  files: Pick<Files, 'list' | 'read'>,
  latheHome: string,
  kept: KeptFiles,
): Promise<SettingsProblem[]> {
  const listed = await files.list(latheHome);
  const names = (listed.ok ? listed.value : []).filter(
    ({ name }) => name.endsWith('.json') && !TOLD.has(name),
  );
  const found = await Promise.all(
    names.map(async ({ name }): Promise<SettingsProblem[]> => {
      const file = join(latheHome, name);
      const bytes = await files.read(file, MAX_BYTES);
      if (!bytes.ok && bytes.error.code === 'not_found') return [];
      const isUseful = Object.hasOwn(kept, name) ? kept[name] : undefined;
      const damage = bytes.ok
        ? damageIn(bytes.value, isUseful)
        : bytes.error.message.replace(/\.$/, '');
      if (damage === null) return [];
      const copy = bytes.ok
        ? `It is kept as ${file}.damaged before Lathe writes another.`
        : 'Lathe writes no other until you mend or move it.';
      const message = `${file} cannot be used (${damage}), so nothing in it counts. ${copy}`;
      return [{ file, message, level: 'warning' }];
    }),
  );
  return [...found.flat(), ...(await spendingProblems(files, latheHome))];
}

/** Returns why the costs of days cannot be read: a limit of a day then counts too little. */
async function spendingProblems(
  files: Pick<Files, 'list'>,
  latheHome: string,
): Promise<SettingsProblem[]> {
  const file = join(latheHome, 'spending');
  const listed = await files.list(file);
  if (listed.ok || listed.error.code === 'not_found') return [];
  const why = listed.error.message.replace(/\.$/, '');
  const message = `${file} cannot be used (${why}): what other sessions spend does not count for the limit of a day. Mend or move it.`;
  return [{ file, message, level: 'warning' }];
}

/** Returns why bytes are no JSON object, or not what is kept there; null when they are. */
function damageIn(
  bytes: Uint8Array,
  isUseful: (bytes: Uint8Array) => boolean = () => true,
): string | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof value !== 'object' || value === null) return 'it is no JSON object';
    return isUseful(bytes) ? null : 'it does not hold what Lathe keeps there';
  } catch {
    return 'it is no JSON';
  }
}
