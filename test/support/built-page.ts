import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { InlineConfig } from 'vite';
import { withLock } from '../../scripts/lib/system.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const BUILDS = join(ROOT, 'node_modules/.cache/lathe-gallery');
const GALLERY = 'test/support/gallery';
/** Builds that nobody started for so long are removed. Milliseconds. */
const KEPT_MS = 24 * 3600_000;

/** All that the gallery is built from. */
const INPUTS = [
  'src/renderer',
  'src/shared',
  'package-lock.json',
  'test/support/built-page.ts',
  GALLERY,
];

/** Returns the folder of the product's page, as the set-up built it. */
export function builtPage(): string {
  const folder = join(ROOT, 'out/renderer');
  if (!existsSync(folder)) throw new Error('Lathe is not built: npm run build');
  return folder;
}

/**
 * Builds the page of scenes as the product's is built, and returns the folder. Test files and runs share a build for as
 * long as its sources are the same; one builds, and the others wait.
 */
export async function builtGallery(): Promise<string> {
  const folder = join(BUILDS, await fingerprint(INPUTS));
  if (existsSync(folder)) return folder;
  await withLock(async () => {
    if (existsSync(folder)) return;
    await removeOld();
    const draft = await mkdtemp(join(dirname(folder), 'draft-'));
    await build(GALLERY, draft);
    await rename(draft, folder);
  });
  return folder;
}

async function build(root: string, outDir: string): Promise<void> {
  const [vite, react, tailwind] = await Promise.all([
    import('vite'),
    import('@vitejs/plugin-react'),
    import('@tailwindcss/vite'),
  ]);
  const config: InlineConfig = {
    configFile: false,
    root: join(ROOT, root),
    plugins: [react.default(), tailwind.default()],
    worker: { format: 'es' },
    build: { outDir, emptyOutDir: true, chunkSizeWarningLimit: 4000 },
    logLevel: 'error',
  };
  const { NODE_ENV } = process.env;
  // With that of Vitest, React would come as its build for development, which takes twice the time.
  process.env['NODE_ENV'] = 'production';
  await vite.build(config);
  process.env['NODE_ENV'] = NODE_ENV ?? 'production';
}

/** Returns a fingerprint of the contents and paths of files and of all files in folders. */
async function fingerprint(inputs: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const input of inputs) {
    const isFolder = (await stat(join(ROOT, input))).isDirectory();
    const entries = isFolder
      ? await readdir(join(ROOT, input), { recursive: true, withFileTypes: true })
      : [];
    const files = isFolder
      ? entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
      : [join(ROOT, input)];
    for (const file of files.toSorted()) {
      const content = await readFile(file);
      hash.update(`${file.slice(ROOT.length)}\0${content.length}\0`).update(content);
    }
  }
  return hash.digest('hex').slice(0, 16);
}

async function removeOld(): Promise<void> {
  await mkdir(BUILDS, { recursive: true });
  for (const name of await readdir(BUILDS)) {
    const { mtimeMs } = await stat(join(BUILDS, name));
    if (Date.now() - mtimeMs > KEPT_MS)
      await rm(join(BUILDS, name), { recursive: true, force: true });
  }
}
