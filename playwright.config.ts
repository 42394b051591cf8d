import './test/support/own-environment';
import { defineConfig } from '@playwright/test';
import { systemChromium } from './scripts/lib/system.mjs';
import { type ElectronProgram, findElectron } from './src/main/hosts/common/desktop';
import { electronDouble } from './test/e2e/support/electron-app';
import type { ProjectOptions } from './test/e2e/support/lathe';
import { webOnly } from './test/e2e/support/web-only';
import { CHROMIUM_WORDS } from './test/support/chromium';

/** Debian's browser where it is installed, else Playwright's own. */
const chromium = systemChromium();

const double = electronDouble(import.meta.dirname);

/** The desktop app that is tried: a packaged one that `LATHE_E2E_APP` names, or the double, else Electron with the build in `out/`. */
const named = process.env['LATHE_E2E_APP'];
const electron: ElectronProgram | null =
  named === undefined
    ? await findElectron(import.meta.dirname)
    : named === 'double'
      ? double
      : { path: named, words: [] };
if (electron === null && process.argv.includes('--project=electron'))
  throw new Error(
    'There is no Electron here. Run node_modules/electron/install.js, or set LATHE_E2E_APP to the program of a packaged app, or to `double`.',
  );

export default defineConfig<ProjectOptions>({
  testDir: 'test/e2e',
  outputDir: 'test-results/e2e',
  // For what hangs, on a machine in use too. Milliseconds.
  timeout: 240_000,
  expect: { timeout: 60_000 },
  fullyParallel: true,
  // A test waits for its page as often as it works: with three, two processors are never idle.
  workers: 3,
  reporter: 'list',
  use: {
    browserName: 'chromium',
    // What moves is drawn by the processor here: without it the tests take an eighth less.
    contextOptions: { reducedMotion: 'reduce' },
    actionTimeout: 60_000,
    viewport: { width: 1280, height: 800 },
    // A film of the page would cost as much time as everything else together, and copies of it at every step a quarter.
    trace: { mode: 'retain-on-failure', screenshots: false, snapshots: false },
    screenshot: 'only-on-failure',
    launchOptions: {
      args: CHROMIUM_WORDS,
      ...(chromium === null ? {} : { executablePath: chromium }),
    },
  },
  projects: [
    { name: 'web', testIgnore: 'screenshots/**' },
    { name: 'screenshots', testMatch: 'screenshots/**/*.spec.ts' },
    // One, so that what drives the app is never broken unseen.
    { name: 'double', testMatch: 'undo.spec.ts', use: { electron: double } },
    ...(electron === null
      ? []
      : [
          {
            name: 'electron',
            testIgnore: 'screenshots/**',
            grepInvert: webOnly(),
            use: { electron },
          },
        ]),
  ],
});
