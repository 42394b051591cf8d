import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { type Desktop, hasScreen } from '../common/desktop';

const LINUX_NAMES = [
  'google-chrome',
  'google-chrome-stable',
  'chromium',
  'chromium-browser',
  'microsoft-edge',
  'microsoft-edge-stable',
  'brave-browser',
];
const MAC_APPS = ['Google Chrome', 'Chromium', 'Microsoft Edge', 'Brave Browser'];
const WINDOWS_PATHS = [
  'Google\\Chrome\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
  'Chromium\\Application\\chrome.exe',
];

/** Returns where a browser that can show an app window may be, best first. Absolute paths. */
export function browserCandidates({ platform, env }: Pick<Desktop, 'platform' | 'env'>): string[] {
  if (platform === 'darwin')
    return MAC_APPS.map((app) => `/Applications/${app}.app/Contents/MacOS/${app}`);
  if (platform === 'win32') {
    const roots = [env['ProgramFiles'], env['ProgramFiles(x86)'], env['LOCALAPPDATA']];
    return WINDOWS_PATHS.flatMap((path) =>
      roots.filter((root) => root !== undefined).map((root) => `${root}\\${path}`),
    );
  }
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  return LINUX_NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
}

/** Returns the arguments of an app window with a profile of its own, which talks to nobody but us. */
export const browserArguments = (url: string, profile: string, superuser: boolean): string[] => [
  `--app=${url}`,
  `--user-data-dir=${profile}`,
  '--class=Lathe',
  '--window-size=1280,800',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  ...(superuser ? ['--no-sandbox', '--test-type'] : []),
];

/**
 * Opens a URL as an app window, when there is a screen and a Chromium-like browser. The window is the
 * user's: it outlives us. Returns true when one was started.
 */
export async function openAppWindow(
  url: string,
  profile: string,
  desktop: Desktop,
): Promise<boolean> {
  if (!hasScreen(desktop)) return false;
  const browser = await firstExecutable(browserCandidates(desktop));
  if (browser === null) return false;
  return new Promise((resolve) => {
    const child = spawn(browser, browserArguments(url, profile, desktop.superuser), {
      detached: true,
      stdio: 'ignore',
      env: desktop.env,
    });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

async function firstExecutable(paths: readonly string[]): Promise<string | null> {
  for (const path of paths) {
    if (await isExecutable(path)) return path;
  }
  return null;
}

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
