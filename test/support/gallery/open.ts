import type { Page } from '@playwright/test';
import { preview } from 'vite';
import { builtPage } from '../built-page';
import { startChromium } from '../chromium';

/** A built gallery in a real browser. */
export interface OpenGallery {
  /** The one page of this gallery, newly loaded with a scene in the light theme. */
  readonly open: (scene: string) => Promise<Page>;
  /** Shows the scene in the dark theme. */
  readonly darken: () => Promise<void>;
  /** Errors that any page threw. */
  readonly errors: readonly string[];
  readonly close: () => Promise<void>;
}

/** Serves the built gallery on a free port of 127.0.0.1 and starts Chromium. */
export async function openGallery(): Promise<OpenGallery> {
  const server = await preview({
    configFile: false,
    logLevel: 'error',
    build: { outDir: await builtPage('gallery') },
    preview: { host: '127.0.0.1', port: 0 },
  });
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
    async open(scene) {
      await page.goto(`${url}?scene=${scene}&theme=light`);
      return page;
    },
    async darken() {
      await page.evaluate(() => document.documentElement.setAttribute('data-theme', 'dark'));
    },
    async close() {
      await browser.close();
      await server.close();
    },
  };
}
