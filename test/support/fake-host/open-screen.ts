import type { Page, ViewportSize } from '@playwright/test';
import type { AppInfo } from '../../../src/shared/contract';
import { builtPage } from '../built-page';
import { startChromium } from '../chromium';
import { createFakeEngine } from './fake-engine';
import { fakeScenario } from './scenario';
import { EMPTY, type FakeHost, serveFake } from './serve';

/** The look of the page. */
interface ScreenOptions {
  readonly viewport?: ViewportSize;
  readonly colorScheme?: 'light' | 'dark';
  readonly forcedColors?: 'active';
}

const SIZE: ViewportSize = { width: 1280, height: 800 };

/** The product's page over a fake engine, in a real browser. */
export interface OpenScreen {
  readonly host: FakeHost;
  /**
   * Loads the page with a scenario, with nothing kept of what was loaded before. It is the same one until a test closes it, as
   * those have to that change its network: the code of a page is compiled once that way.
   */
  open(
    scenario: Parameters<typeof fakeScenario>[0],
    options?: ScreenOptions,
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
  let page: Page | null = null;
  const newPage = async (): Promise<Page> => {
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    const made = await context.newPage();
    made.setDefaultTimeout(60_000);
    made.on('pageerror', (error) => errors.push(error.message));
    made.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    return made;
  };
  /** Leaves the page that is shown, and removes all that it keeps. */
  const forget = async (from: Page): Promise<void> => {
    const { origin } = new URL(host.url);
    await from.goto(`${origin}${EMPTY}`);
    // No other way leads to what a tab keeps for itself.
    await from.evaluate(() => sessionStorage.clear());
    const inspector = await from.context().newCDPSession(from);
    await inspector.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    await inspector.detach();
  };
  return {
    host,
    errors,
    async open(
      scenario,
      { viewport = SIZE, colorScheme = null, forcedColors = null } = {},
      info = {},
    ) {
      host.use(() => {
        const made = fakeScenario(scenario, Date.now());
        return createFakeEngine({ ...made, info: { ...made.info, ...info } });
      });
      page = page === null || page.isClosed() ? await newPage() : page;
      await page.emulateMedia({ colorScheme, forcedColors });
      await page.setViewportSize(viewport);
      await forget(page);
      await page.goto(host.url);
      return page;
    },
    async close() {
      await browser.close();
      await host.close();
    },
  };
}
