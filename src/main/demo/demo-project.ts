import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { err, type Fault, fault, ok, type Result } from '../../shared/result';

/** More copies than this are never made; a user is told to remove some. */
const MAX_COPIES = 99;

/**
 * Returns a folder with an unchanged copy of the sample project: `to`, or `to-2`, `to-3` … when somebody has
 * changed the ones before. A folder that is not exactly the sample is never touched. Copies are made beside
 * their place and renamed into it, so a crash leaves no half copy under a good name. `from` may be inside an asar.
 * Files named `dot-…` become `.…`: packages of apps and of npm leave hidden files out.
 */
export async function prepareDemoProject(from: string, to: string): Promise<Result<string>> {
  try {
    const sample = await readSample(from);
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    for (let copy = 1; copy <= MAX_COPIES; copy++) {
      const place = copy === 1 ? to : `${to}-${copy}`;
      if (await makeCopy(sample, place)) return ok(place);
    }
    return err(
      fault(
        'demo_copies',
        `There are already ${MAX_COPIES} changed copies of the sample project in ${dirname(to)}.`,
        'Remove those you no longer need and try again.',
      ),
    );
  } catch (error) {
    return err(copyFault(to, error));
  }
}

const copyFault = (to: string, error: unknown): Fault =>
  fault(
    'demo_copy_failed',
    `The sample project could not be copied to ${to}: ${error instanceof Error ? error.message : String(error)}`,
    'Check that the folder can be written and the disk is not full.',
  );

/** The sample's files by their relative path. */
type Sample = ReadonlyMap<string, Buffer>;

async function readSample(folder: string): Promise<Sample> {
  const files = new Map<string, Buffer>();
  for await (const { path, isFile } of walk(folder))
    if (isFile) files.set(placeInCopy(relative(folder, path)), await readFile(path));
  return files;
}

const placeInCopy = (path: string): string =>
  join(dirname(path), basename(path).replace(/^dot-/, '.'));

/** Yields everything below a folder that is no folder itself. */
async function* walk(folder: string): AsyncGenerator<{ path: string; isFile: boolean }> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(path);
    else yield { path, isFile: entry.isFile() };
  }
}

/** Copies the sample to `place` unless it is there; false when the place holds something else. */
async function makeCopy(sample: Sample, place: string): Promise<boolean> {
  const known = await isUntouched(sample, place);
  if (known !== null) return known;
  const draft = `${place}.${randomUUID()}.tmp`;
  try {
    for (const [path, bytes] of sample) {
      await mkdir(dirname(join(draft, path)), { recursive: true, mode: 0o700 });
      await writeFile(join(draft, path), bytes);
    }
    await rename(draft, place);
    return true;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    const taken = await isUntouched(sample, place);
    if (taken === null) throw error;
    return taken;
  }
}

/** Tells whether a folder is exactly the sample; null when it does not exist. Stops at the first difference. */
async function isUntouched(sample: Sample, place: string): Promise<boolean | null> {
  let matching = 0;
  try {
    for await (const { path, isFile } of walk(place)) {
      const bytes = sample.get(relative(place, path));
      if (!isFile || bytes === undefined) return false;
      if ((await stat(path)).size !== bytes.byteLength) return false;
      if (!bytes.equals(await readFile(path))) return false;
      matching++;
    }
    return matching === sample.size;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' && matching === 0) return null;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw error;
  }
}
