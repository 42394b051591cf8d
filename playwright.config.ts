import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';

/** Debian's browser where it is installed, else Playwright's own. */
const chromium = ['/usr/bin/chromium'].find((path) => existsSync(path));

export default defineConfig({
  testDir: 'test/e2e',
  outputDir: 'test-results/e2e',
  // For what hangs, on a machine in use too. Milliseconds.
  timeout: 240_000,
  expect: { timeout: 60_000 },
  fullyParallel: true,
  workers: 2,
  reporter: 'list',
  use: {
    browserName: 'chromium',
    actionTimeout: 60_000,
    viewport: { width: 1280, height: 800 },
    // A film of the page would cost as much time as everything else together, and copies of it at every step a quarter.
    trace: { mode: 'retain-on-failure', screenshots: false, snapshots: false },
    screenshot: 'only-on-failure',
    launchOptions: {
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
      ...(chromium === undefined ? {} : { executablePath: chromium }),
    },
  },
  projects: [
    { name: 'web', testIgnore: 'screenshots/**' },
    { name: 'screenshots', testMatch: 'screenshots/**/*.spec.ts' },
  ],
});
