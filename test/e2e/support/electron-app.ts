import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, chromium, type Page } from '@playwright/test';
import type { ElectronProgram } from '../../../src/main/hosts/common/desktop';

/** The longest a start may take before the test fails. Milliseconds. */
const PATIENCE_MS = 60_000;
/** The time to quit in, where no question of the system stands in the way. Milliseconds. */
const QUIT_MS = 15_000;
/** The double has it on a slow machine, too: it says when there is a question. Milliseconds. */
const DOUBLE_QUIT_MS = 60_000;
/** Stands before a question in the output of the double. */
const ASKED = 'Asked: ';

/** Returns what stands for Electron's program where there is none: the built app on the double of `test/electron-double`. */
export const electronDouble = (root: string): ElectronProgram => {
  const folder = join(root, 'test', 'electron-double', 'double');
  return {
    path: process.execPath,
    words: [
      ...['--experimental-transform-types', '--disable-warning=ExperimentalWarning'],
      ...['--import', pathToFileURL(join(folder, 'typescript.mjs')).href],
      join(folder, 'stand-in.ts'),
    ],
  };
};

/** Lathe with its own window. */
export interface ElectronApp {
  readonly page: Page;
  /** Everything the process printed. */
  output(): string;
  /**
   * Quits as the menu does. Where work goes on, a dialog of the system asks first, which nobody can answer here: then it is
   * killed, and so is one that hangs. Only the double tells the two apart.
   */
  quit(): Promise<'quit' | 'asked' | 'hung'>;
}

/**
 * Starts the app and takes its first window. It is driven over Chromium's own port: Playwright's way to start Electron
 * inspects the main process, which the fuses of a packaged app forbid. Rejects when no window comes.
 */
export async function startElectronApp(
  { path, words }: ElectronProgram,
  env: Readonly<Record<string, string>>,
  cwd: string,
  more: readonly string[],
): Promise<ElectronApp> {
  const switches = [
    '--remote-debugging-port=0',
    // Else the name of the desktop decides, and a server has none.
    ...(process.platform === 'linux' ? ['--password-store=gnome-libsecret'] : []),
    ...(process.env['CI'] ? ['--no-sandbox'] : []),
  ];
  await makeKeychain(env);
  const child = spawn(path, [...words, ...more, ...switches], { env, cwd });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.once('error', (error) => {
    output += error.message;
  });
  const isDouble = path === process.execPath;
  const quitWithin = async (browser: Browser | null) => {
    const printed = output.length;
    let end: 'quit' | 'asked' | 'hung' = 'quit';
    const kill = (why: 'asked' | 'hung') => {
      if (child.kill('SIGKILL')) end = why;
    };
    const limit = isDouble
      ? setTimeout(() => kill('hung'), DOUBLE_QUIT_MS)
      : setTimeout(() => kill('asked'), QUIT_MS);
    const listen = () => {
      if (output.slice(printed).includes(ASKED)) kill('asked');
    };
    child.stderr.on('data', listen);
    const session = await browser?.newBrowserCDPSession().catch(() => null);
    const asked = session?.send('Browser.close') ?? Promise.reject(new Error('No connection'));
    await asked.catch(() => child.kill());
    if (child.pid !== undefined) await exited;
    child.stderr.off('data', listen);
    clearTimeout(limit);
    return end;
  };
  let browser: Browser | null = null;
  try {
    browser = await chromium.connectOverCDP(await debuggerOf(child, () => output));
    const [context] = browser.contexts();
    if (context === undefined) throw new Error('The app has no windows.');
    const page =
      context.pages()[0] ?? (await context.waitForEvent('page', { timeout: PATIENCE_MS }));
    await page.waitForURL(({ protocol }) => protocol !== 'about:', { timeout: PATIENCE_MS });
    const opened = browser;
    return { page, output: () => output, quit: () => quitWithin(opened) };
  } catch (error) {
    await quitWithin(browser);
    throw new Error(`The app did not open. It printed:\n${output}`, { cause: error });
  }
}

/**
 * Gives a home its keychain where the system looks for it there; without one the app takes no key. On Linux one must run, in the
 * workflow `gnome-keyring`.
 */
async function makeKeychain(env: Readonly<Record<string, string>>): Promise<void> {
  if (process.platform !== 'darwin') return;
  const security = (...words: readonly string[]) => promisify(execFile)('security', words, { env });
  await security('create-keychain', '-p', '', 'login.keychain');
  await security('default-keychain', '-s', 'login.keychain');
  await security('unlock-keychain', '-p', '', 'login.keychain');
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
