import { type Browser, chromium, expect } from '@playwright/test';
import { systemChromium } from '../../scripts/lib/system.mjs';

/** Waits for what a page shows, also on a machine in use. */
export const see = expect.configure({ timeout: 60_000 });

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts Debian's Chromium where it is, else the browser Playwright installed. */
export function startChromium(): Promise<Browser> {
  const executablePath = systemChromium();
  return chromium.launch({ args, ...(executablePath === null ? {} : { executablePath }) });
}
