import { join } from 'node:path';
import type { BrowserWindowConstructorOptions, Rectangle } from 'electron';
import { z } from 'zod';
import type { Files } from '../../engine/ports';

const Bounds = z.object({ x: z.int(), y: z.int(), width: z.int().min(1), height: z.int().min(1) });
const WindowStatesFile = z.record(z.string(), z.object({ bounds: Bounds, maximized: z.boolean() }));

/** Remembered windows; the oldest go first beyond this. */
const MAX_WINDOWS = 50;
/** More than the longest list with the longest paths. Bytes. */
const MAX_BYTES = 1024 * 1024;

/** The remembered states of windows, by project. */
export interface WindowStates {
  /** Returns the state of a project's window; without a project, of the first window. */
  of(project: string | undefined): WindowState;
  remember(project: string | undefined, place: WindowState): Promise<void>;
}

/** Opens the list in Lathe's home. A missing or broken file is an empty list; on a full disk nothing is remembered. */
export async function openWindowStates(files: Files, latheHome: string): Promise<WindowStates> {
  const path = join(latheHome, 'windows.json');
  const known = new Map(Object.entries(await read(files, path)));
  return {
    of: (project) => known.get(project ?? '') ?? { maximized: false },
    async remember(project, { bounds, maximized }) {
      if (bounds === undefined) return;
      const key = project ?? '';
      known.delete(key);
      known.set(key, { bounds, maximized });
      const oldest = known.keys().next().value;
      if (known.size > MAX_WINDOWS && oldest !== undefined) known.delete(oldest);
      const text = JSON.stringify(Object.fromEntries(known));
      await files.write(path, text, 0o600);
    },
  };
}

async function read(files: Files, path: string): Promise<z.infer<typeof WindowStatesFile>> {
  const bytes = await files.read(path, MAX_BYTES);
  if (!bytes.ok) return {};
  try {
    const parsed = WindowStatesFile.safeParse(JSON.parse(Buffer.from(bytes.value).toString()));
    return parsed.success ? parsed.data : {};
  } catch {
    return {};
  }
}

/** The bounds of a window, and whether it fills the screen. */
export interface WindowState {
  readonly bounds?: Rectangle;
  readonly maximized: boolean;
}

const DEFAULT_SIZE = { width: 1280, height: 800 };

/** Returns the options of every window: a locked-down page (docs/security.md 10) in its remembered state. */
export const windowOptions = (
  place: WindowState,
  preload: string,
  dark: boolean,
  icon: string,
): BrowserWindowConstructorOptions => ({
  ...DEFAULT_SIZE,
  ...place.bounds,
  minWidth: 480,
  minHeight: 360,
  show: false,
  title: 'Lathe',
  icon,
  backgroundColor: dark ? '#16171a' : '#ffffff',
  webPreferences: {
    preload,
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    webviewTag: false,
    navigateOnDragDrop: false,
    spellcheck: false,
  },
});

/** Tells whether remembered bounds still lie on one of the screens, at least with a corner to grab. */
export const isVisible = (bounds: Rectangle, screens: readonly Rectangle[]): boolean =>
  screens.some(
    (screen) =>
      bounds.x < screen.x + screen.width - 50 &&
      bounds.x + bounds.width > screen.x + 50 &&
      bounds.y >= screen.y - 10 &&
      bounds.y < screen.y + screen.height - 50,
  );
