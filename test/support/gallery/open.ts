import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { build, preview } from 'vite';
import { startChromium } from '../chromium';

/** A built gallery in a real browser. */
export interface OpenGallery {
  /** The one page of this gallery, newly loaded with a scene; `theme` is light when not said. */
  readonly open: (scene: string, theme?: 'light' | 'dark') => Promise<Page>;
  /** Errors that any page threw. */
  readonly errors: readonly string[];
  readonly close: () => Promise<void>;
}

/** Builds the gallery into a folder of its own, serves it on a free port of 127.0.0.1 and starts Chromium. */
export async function openGallery(): Promise<OpenGallery> {
  const folder = await mkdtemp(join(tmpdir(), 'lathe-gallery-'));
  const shared = {
    configFile: join(import.meta.dirname, 'vite.config.ts'),
    logLevel: 'error',
    build: { outDir: folder, emptyOutDir: true },
  } as const;
  await build(shared);
  const server = await preview({ ...shared, preview: { host: '127.0.0.1', port: 0 } });
  const url = server.resolvedUrls?.local[0] ?? '';
  const browser = await startChromium();
  const errors: string[] = [];
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.on('pageerror', (error) => errors.push(error.message));
  return {
    errors,
    async open(scene, theme = 'light') {
      await page.goto(`${url}?scene=${scene}&theme=${theme}`);
      return page;
    },
    async close() {
      await browser.close();
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
