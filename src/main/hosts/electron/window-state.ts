import { join } from 'node:path';
import type { BrowserWindowConstructorOptions, Rectangle } from 'electron';
import { z } from 'zod';
import { replaceFile } from '../../engine/damaged-file';
import type { Files } from '../../engine/ports';

const Bounds = z.object({ x: z.int(), y: z.int(), width: z.int().min(1), height: z.int().min(1) });
const Place = z.object({ bounds: Bounds, maximized: z.boolean() });
/** A window that was open: its project, the session it showed, and where it was. */
const OpenWindow = Place.extend({
  project: z.string().nullable(),
  sessionId: z.string().nullable(),
});
const WindowsFile = z.object({
  /** By project; the empty name is the window without one. */
  places: z.record(z.string(), Place),
  open: z.array(OpenWindow),
});
type WindowsFile = z.infer<typeof WindowsFile>;
export type OpenWindow = z.infer<typeof OpenWindow>;

/** Remembered windows; the oldest go first beyond this. */
const MAX_WINDOWS = 50;
/** More than the longest list with the longest paths. Bytes. */
const MAX_BYTES = 1024 * 1024;

/** The remembered states of windows, by project. */
export interface WindowStates {
  /** Returns the state of a project's window; without a project, of the first window. */
  of(project: string | undefined): WindowState;
  /** The windows that were open when Lathe ran last, oldest first. */
  readonly lastOpen: readonly OpenWindow[];
  /** Takes in where a window is. */
  remember(window: OpenWindow): void;
  /** Writes down all that is remembered, and which windows are open now. */
  save(open: readonly OpenWindow[]): Promise<void>;
}

/** Opens the list in Lathe's home. A missing or broken file is an empty list; on a full disk nothing is remembered. */
export async function openWindowStates(files: Files, latheHome: string): Promise<WindowStates> {
  const path = join(latheHome, 'windows.json');
  const { places, open: lastOpen } = await read(files, path);
  const known = new Map(Object.entries(places));
  let writes: Promise<void> = Promise.resolve();
  let written = '';
  const write = async (file: WindowsFile) => {
    const text = JSON.stringify(file);
    if (text !== written && (await replaceFile(files, path, text, holdsWindows)).ok) written = text;
  };
  return {
    of: (project) => known.get(project ?? '') ?? { maximized: false },
    lastOpen,
    remember({ project, bounds, maximized }) {
      const key = project ?? '';
      known.delete(key);
      known.set(key, { bounds, maximized });
      const oldest = known.keys().next().value;
      if (known.size > MAX_WINDOWS && oldest !== undefined) known.delete(oldest);
    },
    save: (open) => {
      const file = { places: Object.fromEntries(known), open: open.slice(-MAX_WINDOWS) };
      // One after the other, so that the last one counts.
      writes = writes.then(() => write(file));
      return writes;
    },
  };
}

async function read(files: Files, path: string): Promise<WindowsFile> {
  const empty: WindowsFile = { places: {}, open: [] };
  const bytes = await files.read(path, MAX_BYTES);
  return (bytes.ok ? parsed(bytes.value) : null) ?? empty;
}

/** Tells whether bytes are what `windows.json` holds. */
export const holdsWindows = (bytes: Uint8Array): boolean => parsed(bytes) !== null;

function parsed(bytes: Uint8Array): WindowsFile | null {
  try {
    return WindowsFile.safeParse(JSON.parse(Buffer.from(bytes).toString())).data ?? null;
  } catch {
    return null;
  }
}

/** The bounds of a window, and whether it fills the screen. */
export interface WindowState {
  readonly bounds?: Rectangle;
  readonly maximized: boolean;
}

const DEFAULT_SIZE = { width: 1280, height: 800 };

/** Returns the options of every window: a locked-down page (docs/security.md 10), where it was. */
export const windowOptions = (
  titleBar: BrowserWindowConstructorOptions,
  bounds: Rectangle | undefined,
  preload: string,
  dark: boolean,
  icon: string,
): BrowserWindowConstructorOptions => ({
  ...DEFAULT_SIZE,
  ...bounds,
  minWidth: 480,
  minHeight: 360,
  show: false,
  title: 'Lathe',
  icon,
  ...titleBar,
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
    // Whether it does is said to the session (`setSpelling`).
    spellcheck: true,
  },
});

/** The invisible border of windows. Pixels. */
const BORDER = 10;
/** The corner that a hand needs to move a window. Pixels. */
const GRIP = 50;

/**
 * Returns remembered bounds, made to fit what the screens cover together; undefined when their corner lies on none of them, as
 * where a screen is gone. Pure.
 */
export function fitted(bounds: Rectangle, screens: readonly Rectangle[]): Rectangle | undefined {
  const seen = screens.some(
    (screen) =>
      bounds.x < screen.x + screen.width - GRIP &&
      bounds.x + bounds.width > screen.x + GRIP &&
      bounds.y >= screen.y - BORDER &&
      bounds.y < screen.y + screen.height - GRIP,
  );
  if (!seen) return undefined;
  const [x, width] = shifted(
    [bounds.x, bounds.width],
    screens.map((screen) => [screen.x, screen.width]),
  );
  const [y, height] = shifted(
    [bounds.y, bounds.height],
    screens.map((screen) => [screen.y, screen.height]),
  );
  return { x, y, width, height };
}

/** Returns a start and a length that lie within others, with the border of windows. */
function shifted(
  [start, length]: readonly [number, number],
  others: readonly (readonly [number, number])[],
): readonly [number, number] {
  const first = Math.min(...others.map(([from]) => from)) - BORDER;
  const end = Math.max(...others.map(([from, size]) => from + size)) + BORDER;
  const fitting = Math.min(length, end - first);
  return [Math.max(first, Math.min(start, end - fitting)), fitting];
}
