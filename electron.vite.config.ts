import { resolve } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';

const entry = (name: string) => resolve(import.meta.dirname, 'src', name);

export default defineConfig({
  main: {
    build: {
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
      minify: true,
      chunkSizeWarningLimit: 2000,
      rolldownOptions: { input: { index: entry('renderer/index.html') } },
    },
  },
});
