import type { MenuItemConstructorOptions } from 'electron';
import type { Keymap } from '../../../shared/keymap';
import { COMMANDS, type CommandId } from '../../../shared/window-commands';
import { nextZoom } from '../../../shared/zoom';

/** Actions of the menu besides the system's own roles. */
export interface MenuActions {
  /** Carries out a command of the page (docs/spec.md L2), by its id in the page's one table. */
  run(command: string): void;
  newWindow(): void;
  openFolder(folder: string): void;
  /** Sets the size of the page, 1 being the normal one. */
  zoom(factor: number): void;
  /** Opens the folder of reports of what went wrong. */
  showReports(): void;
  /** Looks for a new version; null where none can be found. */
  readonly lookForUpdate: (() => void) | null;
  /** Makes `lathe` a command of terminals; null where a package or an installer has done so. */
  readonly installCommand: (() => void) | null;
}

/** The part of the app's state that the menu shows. */
export interface MenuState {
  /** Folders, most recent first. */
  readonly recents: readonly string[];
  readonly zoom: number;
  /** The keys of the window's commands: ours, and over them the user's. */
  readonly keymap: Keymap;
}

/** Returns the menu of the moment before Lathe can do anything: what the system does by itself. */
export const startMenu = (platform: NodeJS.Platform): MenuItemConstructorOptions[] => [
  ...(platform === 'darwin' ? [{ role: 'appMenu' as const }] : []),
  { role: 'fileMenu' },
  { role: 'editMenu' },
  windowMenu(platform),
];

/** Returns the menu of windows. Electron's own has an item that zooms windows, which only macOS can do. */
const windowMenu = (platform: NodeJS.Platform): MenuItemConstructorOptions => ({
  role: 'windowMenu',
  ...(platform === 'darwin' ? {} : { submenu: [{ role: 'minimize' }, { role: 'close' }] }),
});

/** Returns the application menu. */
export function menuTemplate(
  platform: NodeJS.Platform,
  { recents, zoom, keymap }: MenuState,
  actions: MenuActions,
): MenuItemConstructorOptions[] {
  const mac = platform === 'darwin';
  const command = (id: CommandId, label: string): MenuItemConstructorOptions => ({
    id,
    label,
    ...withAccelerator(acceleratorOf(keymap.keyOf(id))),
    // The page hears its keys itself; only a click on the item has to be passed on. macOS always asks the menu.
    registerAccelerator: mac,
    click: () => actions.run(id),
  });
  const line: MenuItemConstructorOptions = { type: 'separator' };
  const settings = command('settings', 'Settings…');
  return [
    ...(mac ? [appMenu(settings)] : []),
    {
      label: 'File',
      submenu: [
        command('newSession', 'New Session'),
        {
          label: 'New Window',
          ...withAccelerator(ownAccelerator(keymap, 'mod+shift+n')),
          click: () => actions.newWindow(),
        },
        command('openFolder', 'Open Folder…'),
        {
          label: 'Open Recent',
          enabled: recents.length > 0,
          submenu: recentItems(recents, actions),
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
        command('searchSessions', 'Search Sessions'),
      ],
    },
    {
      label: 'View',
      submenu: [
        command('palette', 'Command Palette'),
        line,
        command('toggleDock', 'Show or Hide Dock'),
        command('terminal', 'Terminal'),
        command('changes', 'Changes'),
        line,
        ...zoomItems(zoom, keymap, actions),
        line,
        { role: 'reload', label: 'Reload Window (everything keeps running)' },
        { role: 'togglefullscreen' },
        { role: 'toggleDevTools' },
      ],
    },
    {
      label: 'Session',
      submenu: [
        command('stop', 'Stop'),
        command('background', 'Move Command to Background'),
        line,
        command('model', 'Choose Model…'),
        command('effort', 'Choose Effort…'),
      ],
    },
    windowMenu(platform),
    {
      role: 'help',
      submenu: [
        command('keys', 'Keys'),
        { label: 'Show Fault Reports', click: () => actions.showReports() },
        ...installItem(actions),
        ...updateItem(actions),
        ...(mac ? [] : [aboutItem]),
      ],
    },
  ];
}

/** Returns an item for each folder; `&` would mark the key of an item. */
export const recentItems = (
  folders: readonly string[],
  actions: Pick<MenuActions, 'openFolder'>,
): MenuItemConstructorOptions[] =>
  folders.map((folder) => ({
    label: folder.replaceAll('&', '&&'),
    click: () => actions.openFolder(folder),
  }));

/** Returns the zoom items. Plus without Shift is another key to the system, so it has a hidden item of its own. */
function zoomItems(
  zoom: number,
  keymap: Keymap,
  actions: MenuActions,
): MenuItemConstructorOptions[] {
  const item = (label: string, key: string, to: number): MenuItemConstructorOptions => ({
    label,
    ...withAccelerator(ownAccelerator(keymap, key)),
    click: () => actions.zoom(to),
  });
  const larger = nextZoom(zoom, 1);
  return [
    item('Actual Size', 'mod+0', 1),
    item('Zoom In', 'mod++', larger),
    { ...item('Zoom In', 'mod+=', larger), visible: false, acceleratorWorksWhenHidden: true },
    item('Zoom Out', 'mod+-', nextZoom(zoom, -1)),
  ];
}

const withAccelerator = (accelerator: string | null): { readonly accelerator?: string } =>
  accelerator === null ? {} : { accelerator };

/** Returns the accelerator of an item that is no command; null when the user gave its key to a command. */
const ownAccelerator = (keymap: Keymap, key: string): string | null =>
  COMMANDS.some(({ id }) => keymap.keysOf(id).includes(key)) ? null : acceleratorOf(key);

/** Electron's names of keys that differ from ours by more than their first letter. */
const ACCELERATOR_NAMES: Readonly<Record<string, string>> = {
  mod: 'CmdOrCtrl',
  enter: 'Return',
  del: 'Delete',
  pageup: 'PageUp',
  pagedown: 'PageDown',
  '+': 'Plus',
};

/**
 * Returns a shortcut as Electron writes it; null for none. A key without a modifier would be taken from every field and dialog, and
 * Electron has no names for characters outside ASCII: the page hears those itself.
 */
export function acceleratorOf(shortcut: string): string | null {
  const held = /^(?:(?:mod|ctrl|alt|shift)\+)*/.exec(shortcut)?.[0] ?? '';
  const key = shortcut.slice(held.length);
  if (key === '' || /[^ -~]/.test(key)) return null;
  if (!/mod|ctrl|alt/.test(held) && !/^f\d/.test(key)) return null;
  return [...held.split('+').slice(0, -1), key]
    .map((name) => ACCELERATOR_NAMES[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`)
    .join('+');
}

const updateItem = ({ lookForUpdate }: MenuActions): MenuItemConstructorOptions[] =>
  lookForUpdate === null ? [] : [{ label: 'Check for Updates…', click: () => lookForUpdate() }];

const installItem = ({ installCommand }: MenuActions): MenuItemConstructorOptions[] =>
  installCommand === null
    ? []
    : [{ label: "Install the Command 'lathe'", click: () => installCommand() }];

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
