import { defineConfig } from '@playwright/test';
import { systemChromium } from './scripts/lib/system.mjs';
import { type ElectronProgram, findElectron } from './src/main/hosts/common/desktop';
import type { ProjectOptions } from './test/e2e/support/lathe';

/** Debian's browser where it is installed, else Playwright's own. */
const chromium = systemChromium();

/** The desktop app that is tried: a packaged one that `LATHE_E2E_APP` names, else Electron with the build in `out/`. */
const packaged = process.env['LATHE_E2E_APP'];
const electron: ElectronProgram | null =
  packaged === undefined ? await findElectron(import.meta.dirname) : { path: packaged, words: [] };
if (electron === null && process.argv.includes('--project=electron'))
  throw new Error(
    'There is no Electron here. Run node_modules/electron/install.js, or set LATHE_E2E_APP to the program of a packaged app.',
  );

/**
 * The tests of a person's work that need a page and nothing else of the web host: no restart, no second page, no words of its
 * command line, no clock or clipboard of the browser, no file that it saves.
 */
const DESKTOP_TESTS = [
  'answers',
  'branches',
  'changes',
  'combining-marks',
  'commits',
  'compact',
  'composer',
  'contents',
  'costs',
  'edits',
  'health',
  'keyboard',
  'monitor',
  'new-session',
  'prompt-history',
  'rules',
  'status-line',
  'steering',
  'sub-agents',
  'undo',
].map((name) => `test/e2e/${name}.spec.ts`);

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
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
      ...(chromium === null ? {} : { executablePath: chromium }),
    },
  },
  projects: [
    { name: 'web', testIgnore: 'screenshots/**' },
    { name: 'screenshots', testMatch: 'screenshots/**/*.spec.ts' },
    ...(electron === null
      ? []
      : [{ name: 'electron', testMatch: DESKTOP_TESTS, use: { electron } }]),
  ],
});
