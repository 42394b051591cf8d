import type { BrowserContextOptions, Page } from '@playwright/test';
import type { AppInfo } from '../../../src/shared/contract';
import { builtPage } from '../built-page';
import { startChromium } from '../chromium';
import { createFakeEngine } from './fake-engine';
import { fakeScenario } from './scenario';
import { type FakeHost, serveFake } from './serve';

/** The product's page over a fake engine, in a real browser. */
export interface OpenScreen {
  readonly host: FakeHost;
  /** A new page of a new browser profile, loaded with a scenario. */
  open(
    scenario: Parameters<typeof fakeScenario>[0],
    options?: BrowserContextOptions,
    /** Facts of the host that the page is told, in the place of those of the scenario. */
    info?: Partial<AppInfo>,
  ): Promise<Page>;
  /** Errors that any page threw or logged, breaches of its security policy included. */
  readonly errors: readonly string[];
  close(): Promise<void>;
}

/** Serves the built page and starts Chromium. */
export async function openScreen(): Promise<OpenScreen> {
  const host = await serveFake(
    () => createFakeEngine(fakeScenario('busy', Date.now())),
    builtPage(),
  );
  const browser = await startChromium();
  const errors: string[] = [];
  return {
    host,
    errors,
    async open(scenario, options = {}, info = {}) {
      host.use(() => {
        const made = fakeScenario(scenario, Date.now());
        return createFakeEngine({ ...made, info: { ...made.info, ...info } });
      });
      const context = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        reducedMotion: 'reduce',
        ...options,
      });
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      page.on('pageerror', (error) => errors.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      await page.goto(host.url);
      return page;
    },
    async close() {
      await browser.close();
      await host.close();
    },
  };
}
