import { join } from 'node:path';
import { z } from 'zod';
import { err, fault, ok, type Result } from '../../../shared/result';
import { replaceFile } from '../damaged-file';
import type { Files } from '../ports';

const Approved = z.object({
  version: z.literal(1),
  /** Real paths of files, by project. */
  projects: z.record(z.string(), z.array(z.string())),
});

const MAX_BYTES = 4 * 1024 * 1024;
/** The most files of one project. */
const MAX_FILES = 200;

const fileOf = (latheHome: string): string => join(latheHome, 'imports.json');

/** Returns the files outside of a project that its memory may import, by their real paths. A file that cannot be read allows none. */
export async function approvedImports(
  files: Pick<Files, 'read'>,
  latheHome: string,
  project: string,
): Promise<ReadonlySet<string>> {
  const known = await readApproved(files, latheHome);
  return new Set(known !== null && Object.hasOwn(known, project) ? known[project] : []);
}

/** Lets a project import a file from outside of it, or no longer. */
export async function approveImport(
  files: Pick<Files, 'read' | 'write'>,
  latheHome: string,
  { project, path, allowed }: { project: string; path: string; allowed: boolean },
): Promise<Result<null>> {
  const file = fileOf(latheHome);
  const known = (await readApproved(files, latheHome)) ?? {};
  const others = (Object.hasOwn(known, project) ? (known[project] ?? []) : []).filter(
    (one) => one !== path,
  );
  const projects = {
    ...known,
    [project]: [...others, ...(allowed ? [path] : [])].slice(-MAX_FILES),
  };
  const text = `${JSON.stringify({ version: 1, projects }, null, 2)}\n`;
  const written = await replaceFile(files, file, text, holdsImports);
  return written.ok ? ok(null) : err(fault(written.error.code, written.error.message));
}

async function readApproved(
  files: Pick<Files, 'read'>,
  latheHome: string,
): Promise<Readonly<Record<string, readonly string[]>> | null> {
  const bytes = await files.read(fileOf(latheHome), MAX_BYTES);
  return bytes.ok ? parsed(bytes.value) : null;
}

/** Tells whether bytes are what `imports.json` holds. */
export const holdsImports = (bytes: Uint8Array): boolean => parsed(bytes) !== null;

function parsed(bytes: Uint8Array): Readonly<Record<string, readonly string[]>> | null {
  try {
    return Approved.safeParse(JSON.parse(new TextDecoder().decode(bytes))).data?.projects ?? null;
  } catch {
    return null;
  }
}
