import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A fresh folder, as a real path; gone after the test. */
export async function tempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'lathe-test-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
