import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from '@playwright/test';
import { systemChromium } from '../../scripts/lib/system.mjs';

/** Anything that takes longer than this hangs. Milliseconds. */
const LIMIT_MS = 120_000;

/** A home and a project of their own; call `remove` at the end. */
export function makeHome() {
  const home = mkdtempSync(join(tmpdir(), 'lathe-bench-page-'));
  const project = join(home, 'harbour');
  mkdirSync(project);
  return {
    home,
    project,
    remove: () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Starts `lathe serve` of the build whose command line is `entry`, on the project of `place`, connected to `apiUrl`. */
export async function startHost(entry, { home, project }, apiUrl) {
  const child = spawn(process.execPath, [entry, 'serve', '--no-open', '--port', '0', project], {
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: home,
      LATHE_HOME: join(home, '.lathe'),
      SHELL: '/bin/bash',
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      ANTHROPIC_API_KEY: 'bench',
      ANTHROPIC_BASE_URL: apiUrl,
    },
  });
  const link = await linkOf(child);
  return {
    link,
    pid: child.pid,
    cpuMs: () => cpuMsOf(child.pid),
    /** Resolves when the host has had nothing to do for a second. */
    async quiet() {
      for (let before = -1, now = cpuMsOf(child.pid); now > before; now = cpuMsOf(child.pid)) {
        before = now;
        await delay(1_000);
      }
    },
    stop: () =>
      new Promise((resolve) => {
        const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
        child.once('exit', () => {
          clearTimeout(timer);
          resolve();
        });
        child.kill('SIGINT');
      }),
  };
}

function linkOf(child) {
  let said = '';
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no link: ${said}`)), LIMIT_MS);
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        said += text;
        const link = /http:\/\/127\.0\.0\.1:\d+\/#ticket=\S+/.exec(said)?.[0];
        if (link === undefined) return;
        clearTimeout(timer);
        resolve(link);
      });
    child.once('exit', (code) => reject(new Error(`lathe serve ended with ${code}: ${said}`)));
  });
}

/** Returns the user and system time of a process so far, in milliseconds. Linux counts it in ticks of 10 ms. */
function cpuMsOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Starts the browser people have, without a window; Debian's where it is installed, else Playwright's own. */
export const startBrowser = () =>
  chromium.launch({
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'],
    executablePath: existsSync('/usr/bin/chromium')
      ? '/usr/bin/chromium'
      : (systemChromium() ?? undefined),
  });

/** Opens a page of the app in a profile of its own, trusting the project when it is asked. */
export async function openPage(browser, link) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  page.setDefaultTimeout(LIMIT_MS);
  await page.goto(link);
  const composer = page.getByRole('textbox', { name: 'Message to Lathe' });
  const trust = page.getByRole('button', { name: 'Trust and open' });
  await composer.or(trust).waitFor();
  if (await trust.isVisible()) await trust.click();
  await composer.waitFor();
  return { page, composer, close: () => context.close() };
}
