import { resolve } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';

const entry = (name: string) => resolve(import.meta.dirname, 'src', name);

/** Set-up builds beside the last build and swaps the two, so that nobody ever starts half a build. */
const out = (part: string) =>
  resolve(import.meta.dirname, process.env['LATHE_BUILD_FOLDER'] ?? 'out', part);

export default defineConfig({
  main: {
    build: {
      outDir: out('main'),
      rolldownOptions: {
        input: {
          index: entry('main/index.ts'),
          web: entry('main/web.ts'),
          cli: entry('main/cli.ts'),
          'terminal-host': entry('main/terminal-host.ts'),
        },
      },
    },
  },
  preload: {
    build: {
      outDir: out('preload'),
      externalizeDeps: false,
      isolatedEntries: true,
      rolldownOptions: {
        input: { index: entry('preload/index.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: entry('renderer'),
    plugins: [react(), tailwindcss()],
    build: {
      outDir: out('renderer'),
      minify: true,
      chunkSizeWarningLimit: 2000,
      rolldownOptions: { input: { index: entry('renderer/index.html') } },
    },
  },
});
