import { type ChildProcess, spawn } from 'node:child_process';
import { type Browser, chromium, type Page } from '@playwright/test';
import type { ElectronProgram } from '../../../src/main/hosts/common/desktop';

/** The longest a start or an end may take before the test fails. Milliseconds. */
const PATIENCE_MS = 60_000;

/** Lathe with its own window. */
export interface ElectronApp {
  readonly page: Page;
  /** Everything the process printed. */
  output(): string;
  /** Quits as the menu does; kills it when that takes too long. */
  quit(): Promise<void>;
}

/**
 * Starts the app and takes its first window. It is driven over Chromium's own port: Playwright's way to start Electron
 * inspects the main process, which the fuses of a packaged app forbid. Rejects when no window comes.
 */
export async function startElectronApp(
  { path, words }: ElectronProgram,
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<ElectronApp> {
  const switches = ['--remote-debugging-port=0', ...(process.env['CI'] ? ['--no-sandbox'] : [])];
  const child = spawn(path, [...words, ...switches], { env, cwd });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.once('error', (error) => {
    output += error.message;
  });
  const quitWithin = async (browser: Browser | null) => {
    const limit = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    const session = await browser?.newBrowserCDPSession().catch(() => null);
    if (session) await session.send('Browser.close').catch(() => {});
    else child.kill();
    if (child.pid !== undefined) await exited;
    clearTimeout(limit);
  };
  let browser: Browser | null = null;
  try {
    browser = await chromium.connectOverCDP(await debuggerOf(child, () => output));
    const [context] = browser.contexts();
    if (context === undefined) throw new Error('The app has no windows.');
    const page =
      context.pages()[0] ?? (await context.waitForEvent('page', { timeout: PATIENCE_MS }));
    const opened = browser;
    return { page, output: () => output, quit: () => quitWithin(opened) };
  } catch (error) {
    await quitWithin(browser);
    throw new Error(`The app did not open. It printed:\n${output}`, { cause: error });
  }
}

/** Resolves with the address of the debugger that the app prints. */
function debuggerOf(child: ChildProcess, output: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const address = /DevTools listening on (ws:\S+)/.exec(output())?.[1];
      if (address === undefined) return;
      clearTimeout(timer);
      resolve(address);
    };
    const timer = setTimeout(() => reject(new Error('It took too long.')), PATIENCE_MS);
    child.stderr?.on('data', look);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`It ended with ${code}.`)));
  });
}
