import { type Browser, chromium, expect } from '@playwright/test';
import { systemChromium } from '../../scripts/lib/system.mjs';

/** Waits for what a page shows, also on a machine in use. */
export const see = expect.configure({ timeout: 60_000 });

/** The words that every Chromium of a test is started with. */
export const CHROMIUM_WORDS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A page of a test does not live long enough for what the optimising compilers take.
  '--js-flags=--no-opt --no-maglev',
];

/** Starts Debian's Chromium where it is, else the browser Playwright installed. */
export function startChromium(): Promise<Browser> {
  const executablePath = systemChromium();
  return chromium.launch({
    args: CHROMIUM_WORDS,
    ...(executablePath === null ? {} : { executablePath }),
  });
}
