import { type Browser, chromium, expect } from '@playwright/test';

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

/** Debian's Chromium where it is, else the browser Playwright installed. */
export async function startChromium(): Promise<Browser> {
  try {
    return await chromium.launch({ executablePath: '/usr/bin/chromium', args });
  } catch {
    return chromium.launch({ args });
  }
}
