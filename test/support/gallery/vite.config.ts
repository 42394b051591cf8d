import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The gallery: fixture states of the screen for screenshots and interaction tests. Never shipped. */
export default defineConfig({
  root: import.meta.dirname,
  cacheDir: '../../../node_modules/.vite-gallery',
  plugins: [react(), tailwindcss()],
  worker: { format: 'es' },
  server: { host: '127.0.0.1', fs: { allow: ['../../..'] } },
  build: { outDir: '../../../test-results/gallery', emptyOutDir: true },
});
