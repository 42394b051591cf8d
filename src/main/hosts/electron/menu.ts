import type { MenuItemConstructorOptions } from 'electron';
import { nextZoom } from '../../../shared/zoom';

/** Actions of the menu besides the system's own roles. */
export interface MenuActions {
  /** Carries out a command of the page (docs/spec.md L2), by its id in the page's one table. */
  run(command: string): void;
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
  const command = (id: string, label: string, accelerator: string): MenuItemConstructorOptions => ({
    id,
    label,
    accelerator,
    // The page hears its keys itself; only a click on the item has to be passed on. macOS always asks the menu.
    registerAccelerator: mac,
    click: () => actions.run(id),
  });
  const line: MenuItemConstructorOptions = { type: 'separator' };
  const settings = command('settings', 'Settings…', 'CmdOrCtrl+,');
  return [
    ...(mac ? [appMenu(settings)] : []),
    {
      label: 'File',
      submenu: [
        command('newSession', 'New Session', 'CmdOrCtrl+N'),
        {
          label: 'New Window',
          accelerator: 'CmdOrCtrl+Shift+N',
          click: () => actions.newWindow(),
        },
        command('openFolder', 'Open Folder…', 'CmdOrCtrl+O'),
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
        command('searchSessions', 'Search Sessions', 'CmdOrCtrl+Shift+F'),
      ],
    },
    {
      label: 'View',
      submenu: [
        command('palette', 'Command Palette', 'CmdOrCtrl+K'),
        line,
        command('toggleDock', 'Show or Hide Dock', 'CmdOrCtrl+J'),
        command('terminal', 'Terminal', 'CmdOrCtrl+`'),
        command('changes', 'Changes', 'CmdOrCtrl+Shift+D'),
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
        command('stop', 'Stop', 'CmdOrCtrl+.'),
        command('background', 'Move Command to Background', 'CmdOrCtrl+B'),
        line,
        command('model', 'Choose Model…', 'CmdOrCtrl+Shift+M'),
        command('effort', 'Choose Effort…', 'CmdOrCtrl+Shift+E'),
      ],
    },
    { role: 'windowMenu' },
    {
      role: 'help',
      submenu: [command('keys', 'Keys', 'CmdOrCtrl+/'), ...(mac ? [] : [aboutItem])],
    },
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
