import type { Page } from '@playwright/test';
import { preview } from 'vite';
import { builtGallery } from '../built-page';
import { startChromium } from '../chromium';

/** A built gallery in a real browser. */
export interface OpenGallery {
  /** The one page of this gallery, with a scene from its beginning in the light theme. */
  readonly open: (scene: string) => Promise<Page>;
  /** Shows the scene in the dark theme. */
  readonly darken: () => Promise<void>;
  /** Errors that any page threw. */
  readonly errors: readonly string[];
  readonly close: () => Promise<void>;
}

/** Shows another scene in the page, drawn when it returns. */
function showScene(scene: string): void {
  document.documentElement.setAttribute('data-theme', 'light');
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  window.dispatchEvent(new CustomEvent('scene', { detail: scene }));
}

/** Serves the built gallery on a free port of 127.0.0.1 and starts Chromium. */
export async function openGallery(): Promise<OpenGallery> {
  const server = await preview({
    configFile: false,
    logLevel: 'error',
    build: { outDir: await builtGallery() },
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
      if (page.url().startsWith(url)) await page.evaluate(showScene, scene);
      else await page.goto(`${url}?scene=${scene}&theme=light`);
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
