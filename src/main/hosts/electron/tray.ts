import { join } from 'node:path';
import { Menu, type MenuItemConstructorOptions, nativeImage, Tray } from 'electron';
import type { SessionSummary } from '../../../shared/contract';
import type { ShowTarget } from '../../app/app-feed';

/** Acts of the icon besides the system's own. */
export interface TrayActions {
  show(target: ShowTarget): void;
  newWindow(): void;
}

/** Sessions that the menu names. */
const MAX_SESSIONS = 8;
/** The length of a title in the menu. Characters. */
const MAX_TITLE = 60;

/**
 * Returns a function that shows what goes on in the system's tray, in the menu bar on macOS, or takes the icon away.
 * `resources` is the folder of the pictures.
 */
export function createTray(
  resources: string,
  actions: TrayActions,
): (wanted: boolean, sessions: readonly SessionSummary[]) => void {
  let tray: Tray | null = null;
  let shown = '';
  return (wanted, sessions) => {
    if (!wanted) {
      tray?.destroy();
      tray = null;
      shown = '';
      return;
    }
    tray ??= openTray(resources, actions);
    const busy = sessions.filter(({ running, needsAnswer }) => running || needsAnswer);
    const now = JSON.stringify(busy.map(({ id, title, needsAnswer }) => [id, title, needsAnswer]));
    if (now === shown) return;
    shown = now;
    const waiting = busy.filter(({ needsAnswer }) => needsAnswer).length;
    tray.setToolTip(`Lathe: ${trayState(busy)}`);
    if (process.platform === 'darwin') tray.setTitle(waiting === 0 ? '' : String(waiting));
    // Linux takes a changed menu only as a whole.
    tray.setContextMenu(Menu.buildFromTemplate(trayMenu(busy, actions)));
  };
}

function openTray(resources: string, actions: TrayActions): Tray {
  const tray = new Tray(trayImage(resources));
  // On macOS a click opens the menu.
  if (process.platform !== 'darwin') tray.on('click', () => actions.show({}));
  return tray;
}

const IMAGES: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['tray', 'trayTemplate.png'],
  win32: ['icons', 'icon.ico'],
};

/** macOS colours a picture whose name ends in `Template` by itself. */
const trayImage = (resources: string) =>
  nativeImage.createFromPath(
    join(resources, ...(IMAGES[process.platform] ?? ['icons', '32x32.png'])),
  );

/** Returns what goes on in a few words. */
function trayState(busy: readonly SessionSummary[]): string {
  const waiting = busy.filter(({ needsAnswer }) => needsAnswer).length;
  const working = busy.length - waiting;
  const parts = [
    waiting === 0 ? '' : `${waiting} ${waiting === 1 ? 'waits' : 'wait'} for your answer`,
    working === 0 ? '' : `${working} at work`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'nothing runs' : parts.join(', ');
}

/** Returns the menu of the icon: the sessions that work or wait, those that wait first. Pure. */
export function trayMenu(
  busy: readonly SessionSummary[],
  actions: TrayActions,
): MenuItemConstructorOptions[] {
  const line: MenuItemConstructorOptions = { type: 'separator' };
  const first = busy.toSorted((a, b) => Number(b.needsAnswer) - Number(a.needsAnswer));
  const more = first.length - MAX_SESSIONS;
  const state = trayState(busy);
  return [
    { label: `${state.charAt(0).toUpperCase()}${state.slice(1)}`, enabled: false },
    ...first.slice(0, MAX_SESSIONS).map(
      ({ id, project, title, needsAnswer }): MenuItemConstructorOptions => ({
        label: `${needsAnswer ? '● ' : ''}${title.slice(0, MAX_TITLE).replaceAll('&', '&&')}`,
        click: () => actions.show({ sessionId: id, project }),
      }),
    ),
    ...(more > 0 ? [{ label: `and ${more} more`, enabled: false }] : []),
    line,
    { label: 'Open Lathe', click: () => actions.show({}) },
    { label: 'New Window', click: () => actions.newWindow() },
    line,
    { role: 'quit' },
  ];
}
