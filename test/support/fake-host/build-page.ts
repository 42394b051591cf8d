import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { build } from 'vite';

/** Builds the page as the product ships it into a temporary folder and gives the folder. */
export async function buildPage(): Promise<string> {
  const outDir = await mkdtemp(join(tmpdir(), 'lathe-fake-page-'));
  await build({
    configFile: false,
    root: resolve(import.meta.dirname, '../../../src/renderer'),
    plugins: [react(), tailwindcss()],
    worker: { format: 'es' },
    build: { outDir, emptyOutDir: true, chunkSizeWarningLimit: 4000 },
    logLevel: 'error',
  });
  return outDir;
}
