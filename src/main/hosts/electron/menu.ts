import type { MenuItemConstructorOptions } from 'electron';
import { nextZoom } from '../../../shared/zoom';

/** Actions of the menu besides the system's own roles. */
export interface MenuActions {
  /** Presses a key of the page (docs/spec.md L2): the page has one table of keys, the menu only shows it. */
  press(accelerator: string): void;
  newWindow(): void;
  openFolder(folder: string): void;
  /** Sets the size of the page, 1 being the normal one. */
  zoom(factor: number): void;
}

/** The part of the app's state that the menu shows. */
export interface MenuState {
  /** Folders, most recent first. */
  readonly recents: readonly string[];
  readonly zoom: number;
}

/** Returns the application menu. */
export function menuTemplate(
  platform: NodeJS.Platform,
  { recents, zoom }: MenuState,
  actions: MenuActions,
): MenuItemConstructorOptions[] {
  const mac = platform === 'darwin';
  const key = (label: string, accelerator: string): MenuItemConstructorOptions => ({
    label,
    accelerator,
    // The page hears its keys itself; only a click on the item has to be passed on. macOS always asks the menu.
    registerAccelerator: mac,
    click: () => actions.press(accelerator),
  });
  const line: MenuItemConstructorOptions = { type: 'separator' };
  const settings = key('Settings…', 'CmdOrCtrl+,');
  return [
    ...(mac ? [appMenu(settings)] : []),
    {
      label: 'File',
      submenu: [
        key('New Session', 'CmdOrCtrl+N'),
        {
          label: 'New Window',
          accelerator: 'CmdOrCtrl+Shift+N',
          click: () => actions.newWindow(),
        },
        key('Open Folder…', 'CmdOrCtrl+O'),
        {
          label: 'Open Recent',
          enabled: recents.length > 0,
          submenu: recents.map((folder) => ({
            label: folder.replaceAll('&', '&&'),
            click: () => actions.openFolder(folder),
          })),
        },
        line,
        ...(mac ? [] : [settings, line]),
        mac ? { role: 'close' } : { role: 'quit' },
      ],
    },
    {
      label: 'Edit',
      submenu: [
        { role: 'undo' },
        { role: 'redo' },
        line,
        { role: 'cut' },
        { role: 'copy' },
        { role: 'paste' },
        { role: 'selectAll' },
        line,
        key('Search Sessions', 'CmdOrCtrl+Shift+F'),
      ],
    },
    {
      label: 'View',
      submenu: [
        key('Command Palette', 'CmdOrCtrl+K'),
        line,
        key('Show or Hide Dock', 'CmdOrCtrl+J'),
        key('Terminal', 'CmdOrCtrl+`'),
        key('Changes', 'CmdOrCtrl+Shift+D'),
        line,
        ...zoomItems(zoom, actions),
        line,
        { role: 'reload', label: 'Reload Window (everything keeps running)' },
        { role: 'togglefullscreen' },
        { role: 'toggleDevTools' },
      ],
    },
    {
      label: 'Session',
      submenu: [
        key('Stop', 'CmdOrCtrl+.'),
        key('Move Command to Background', 'CmdOrCtrl+B'),
        line,
        key('Choose Model…', 'CmdOrCtrl+Shift+M'),
        key('Choose Effort…', 'CmdOrCtrl+Shift+E'),
      ],
    },
    { role: 'windowMenu' },
    { role: 'help', submenu: [key('Keys', 'CmdOrCtrl+/'), ...(mac ? [] : [aboutItem])] },
  ];
}

/** Returns the zoom items. Plus without Shift is another key to the system, so it has a hidden item of its own. */
function zoomItems(zoom: number, actions: MenuActions): MenuItemConstructorOptions[] {
  const item = (label: string, accelerator: string, to: number): MenuItemConstructorOptions => ({
    label,
    accelerator,
    click: () => actions.zoom(to),
  });
  const larger = nextZoom(zoom, 1);
  return [
    item('Actual Size', 'CmdOrCtrl+0', 1),
    item('Zoom In', 'CmdOrCtrl+Plus', larger),
    { ...item('Zoom In', 'CmdOrCtrl+=', larger), visible: false, acceleratorWorksWhenHidden: true },
    item('Zoom Out', 'CmdOrCtrl+-', nextZoom(zoom, -1)),
  ];
}

const aboutItem: MenuItemConstructorOptions = { role: 'about' };

const appMenu = (settings: MenuItemConstructorOptions): MenuItemConstructorOptions => ({
  role: 'appMenu',
  submenu: [
    aboutItem,
    { type: 'separator' },
    settings,
    { type: 'separator' },
    { role: 'services' },
    { type: 'separator' },
    { role: 'hide' },
    { role: 'hideOthers' },
    { role: 'unhide' },
    { type: 'separator' },
    { role: 'quit' },
  ],
});

/** Converts an accelerator to the input event that presses it. */
export function keyPress(
  accelerator: string,
  platform: NodeJS.Platform,
): { keyCode: string; modifiers: ('meta' | 'control' | 'shift')[] } {
  const parts = accelerator.split('+');
  const keyCode = parts.at(-1) ?? '';
  const modifiers = parts.slice(0, -1).map((part) => {
    if (part === 'Shift') return 'shift';
    return platform === 'darwin' ? 'meta' : 'control';
  });
  return { keyCode, modifiers };
}
