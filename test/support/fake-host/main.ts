import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { build } from 'vite';
import { createFakeEngine } from './fake-engine';
import { serveFake } from './serve';
import { fakeWorld } from './world';

/** Builds the page and serves each world at a port of its own; prints the addresses. */
export async function main(): Promise<void> {
  const outDir = await mkdtemp(join(tmpdir(), 'lathe-fake-page-'));
  await build({
    configFile: false,
    root: resolve(import.meta.dirname, '../../../src/renderer'),
    plugins: [react(), tailwindcss()],
    build: { outDir, emptyOutDir: true },
    logLevel: 'warn',
  });
  for (const kind of ['fresh', 'demo', 'busy', 'asking'] as const) {
    const address = await serveFake(() => createFakeEngine(fakeWorld(kind, Date.now())), outDir);
    process.stdout.write(`${kind} ${address}\n`);
  }
}
