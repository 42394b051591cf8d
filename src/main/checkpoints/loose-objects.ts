import { createHash, randomBytes } from 'node:crypto';
import { access, mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';

const compress = promisify(deflate);

type ObjectType = 'blob' | 'tree' | 'commit';

/** Returns the id that git gives an object. */
export const objectId = (type: ObjectType, bytes: Uint8Array): string =>
  createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex');

/**
 * Writes an object into a repository as gitformat-loose-object(5) has it, and returns its id. It saves the start of git,
 * which costs more than all of a small checkpoint. An object that is there already is made young instead.
 */
export async function writeObject(
  repository: string,
  type: ObjectType,
  bytes: Uint8Array,
): Promise<string> {
  const id = objectId(type, bytes);
  const place = join(repository, 'objects', id.slice(0, 2), id.slice(2));
  const now = new Date();
  const isThere = await utimes(place, now, now).then(
    () => true,
    () => false,
  );
  if (isThere) return id;
  const header = Buffer.from(`${type} ${bytes.length}\0`);
  await putFile(place, await compress(Buffer.concat([header, bytes]), { level: 1 }), 0o444);
  return id;
}

/** Writes a commit with a text and the blobs it keeps, and a ref to it. `at` is epoch milliseconds. */
export async function writeCommit(
  repository: string,
  ref: string,
  file: { readonly name: string; readonly bytes: Uint8Array },
  blobs: readonly string[],
  at: number,
): Promise<void> {
  const text = await writeObject(repository, 'blob', file.bytes);
  const entries = [entry('100644', file.name, text)];
  if (blobs.length > 0) {
    const names = [...new Set(blobs)].toSorted();
    const kept = Buffer.concat(names.map((blob) => entry('100644', blob, blob)));
    entries.unshift(entry('40000', 'blobs', await writeObject(repository, 'tree', kept)));
  }
  const tree = await writeObject(repository, 'tree', Buffer.concat(entries));
  const who = `Lathe <lathe@localhost> ${Math.floor(at / 1000)} +0000`;
  const head = Buffer.from(`tree ${tree}\nauthor ${who}\ncommitter ${who}\n\n`);
  const commit = await writeObject(repository, 'commit', head);
  await putFile(join(repository, ref), Buffer.from(`${commit}\n`), 0o600);
}

const entry = (mode: string, name: string, id: string): Buffer =>
  Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]);

/** Puts a file in place at once. Git passes over what a crash leaves under the other name, among refs too. */
async function putFile(place: string, bytes: Uint8Array, mode: number): Promise<void> {
  const folder = dirname(place);
  const temporary = join(folder, `tmp_obj_${randomBytes(8).toString('hex')}.lock`);
  try {
    await access(folder).catch(() => mkdir(folder, { recursive: true, mode: 0o700 }));
    await writeFile(temporary, bytes, { flag: 'wx', mode });
    await rename(temporary, place);
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
}
