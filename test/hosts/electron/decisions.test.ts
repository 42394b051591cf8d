import { expect, test, vi } from 'vitest';
import {
  commandWords,
  isCommandLine,
  parseDeepLink,
  parseLaunch,
  wordsFor,
} from '../../../src/main/hosts/electron/launch-request';
import { acceleratorOf, menuTemplate, startMenu } from '../../../src/main/hosts/electron/menu';
import { externalLink } from '../../../src/main/hosts/electron/page-guard';
import { quitAnswer, quitMessage } from '../../../src/main/hosts/electron/quit';
import { jumpList } from '../../../src/main/hosts/electron/system-ui';
import { trayMenu } from '../../../src/main/hosts/electron/tray';
import { fitted, windowOptions } from '../../../src/main/hosts/electron/window-state';
import type { SessionSummary } from '../../../src/shared/contract';
import { createKeymap, NO_BINDINGS } from '../../../src/shared/keymap';
import { COMMANDS, type CommandId, commandOf } from '../../../src/shared/window-commands';
import { nextZoom } from '../../../src/shared/zoom';

// Only decisions are tested here; what they lead to is tested with the double of Electron.
vi.mock('electron', () => ({}));

test.each<[string, unknown]>([
  ['lathe://open?prompt=fix%20it', { draft: 'fix it' }],
  ['lathe://open?folder=%2Fhome%2Fann%2Fp&prompt=a', { project: '/home/ann/p', draft: 'a' }],
  ['lathe://open?folder=C%3A%5Cx', { project: 'C:\\x' }],
  ['lathe://open?folder=relative', {}],
  ['lathe://open?folder=%2F%2Fserver%2Fshare', {}],
  ['lathe://open?folder=%5C%5Cserver%5Cshare', {}],
  ['lathe://open?prompt=a%1B%5B2J%00b%E2%80%AEc%E2%80%8Bd%0Ae', { draft: 'a[2Jbcd\ne' }],
  ['lathe://open?mode=bypassPermissions&trust=1', {}],
  ['lathe://run?prompt=x', null],
  ['https://open?prompt=x', null],
  ['not a link', null],
])('the link %s fills in %j', (link, expected) => {
  expect(parseDeepLink(link)).toEqual(expected);
});

test('a link fills in no more than a user would read', () => {
  expect(parseDeepLink(`lathe://open?prompt=${'x'.repeat(50_000)}`)?.draft).toHaveLength(10_000);
});

test.each<[string[], unknown]>([
  [[], { demo: false }],
  [['sub'], { demo: false, folder: '/w/sub' }],
  [['--demo', '/x'], { demo: true, folder: '/x' }],
  [['--new-window'], { demo: false, newWindow: true }],
  [['file:///home/ann/my%20boat'], { demo: false, folder: '/home/ann/my boat' }],
  [['file://other-host/share'], { demo: false }],
  [['file:///%zz', '/x'], { demo: false, folder: '/x' }],
  [['--no-sandbox', '--remote-debugging-port=1'], { demo: false }],
  [['--demo', 'lathe://open?prompt=hi', '/etc'], { demo: false, link: { draft: 'hi' } }],
  [['LATHE://nonsense', '/etc', '--demo'], { demo: false }],
])('the words %j start with %j', (words, expected) => {
  expect(parseLaunch(words, '/w')).toEqual(expected);
});

test('what an AppImage adds for Chromium does not reach the command line', () => {
  expect(commandWords(['--no-sandbox', '-p', 'fix it'])).toEqual(['-p', 'fix it']);
});

test.each<[readonly string[], readonly string[], readonly string[]]>([
  [[], [], []],
  [['p'], [], ['/w/p']],
  [['--demo', '--new-window'], [], ['--demo', '--new-window']],
  [['p'], ['--no-sandbox', '--demo', '--new-window', 'old'], ['--no-sandbox', '/w/p']],
  [['p'], ['lathe://open?prompt=hi', '--no-sandbox'], ['/w/p']],
  [['lathe://open?prompt=a%26b%0Ac'], [], ['lathe://open?prompt=a%26b%0Ac']],
  [
    ['lathe://open?folder=/a%20b/%C3%A4&prompt=--demo'],
    [],
    ['lathe://open?folder=%2Fa+b%2F%C3%A4&prompt=--demo'],
  ],
])('what %j asks for is asked for again, after a start with %j, by %j', (asked, before, again) => {
  const request = parseLaunch(asked, '/w');
  expect(wordsFor(request, before)).toEqual(again);
  expect(parseLaunch(again, '/elsewhere')).toEqual(request);
});

test.each<[readonly string[], boolean]>([
  [['-p', 'fix it'], true],
  [['--no-sandbox', '-p', 'fix it', '--output-format', 'json'], true],
  [['--print', '--no-such-flag'], true],
  [['doctor'], true],
  [['path', 'add'], true],
  [['--help'], true],
  [['serve', '--no-open'], true],
  [[], false],
  [['.'], false],
  [['--demo'], false],
  [['/home/ann/p'], false],
  [['--ozone-platform=wayland', '/home/ann/p'], false],
  [['-p', 'x', 'lathe://open?prompt=hi'], false],
])('the words %j are for the command line: %s', (words, expected) => {
  expect(isCommandLine(words, '/w')).toBe(expected);
});

test.each<[readonly string[], boolean]>([
  [['.'], true],
  [[], true],
  [['--no-sandbox', '/home/ann/p'], true],
  [['/home/ann/p', '--wait'], false],
  [['--ozone-platform=wayland', '/home/ann/p'], false],
  [['lathe://open?prompt=hi'], false],
])('in a terminal an AppImage gives %j to the command line: %s', (words, expected) => {
  expect(isCommandLine(words, '/w', true)).toBe(expected);
});

test.each([
  ['https://example.com/x?y', 'example.com'],
  ['http://127.0.0.1:8080/', '127.0.0.1:8080'],
  ['mailto:ann@example.com?subject=x', 'ann@example.com'],
  ['https://good.example@evil.example/', 'evil.example'],
])('%s opens outside after naming %s', (url, target) => {
  expect(externalLink(url)?.target).toBe(target);
});

test.each([
  'file:///etc/passwd',
  'javascript:alert(1)',
  'lathe://open',
  'ms-settings:x',
  'smb://server/x',
  'ftp://x/y',
  'nonsense',
  `https://example.com/${'x'.repeat(5000)}`,
])('%s never opens outside', (url) => {
  expect(externalLink(url)).toBeNull();
});

test('quitting asks only when something runs, and says what', () => {
  expect(
    quitMessage({ queries: 0, tasks: [], shells: 0, pinned: ['dev'], leftovers: 0, unsaved: [] }),
  ).toBeNull();
  const tasks = Array.from({ length: 10 }, (_, at) => `task ${at}`);
  const question = quitMessage({
    queries: 1,
    tasks,
    shells: 2,
    pinned: ['dev', 'db'],
    leftovers: 1,
    unsaved: [],
  });
  expect(question?.detail).toContain('1 query will be stopped');
  expect(question?.detail).toContain('10 tasks:\n• task 0');
  expect(question?.detail).toContain('• and 2 more');
  expect(question?.detail).toContain('2 shells of your own');
  expect(question?.detail).toContain('1 process that an earlier Lathe left running');
  expect(question?.detail).toContain('Goes on in any case: dev, db.');
  expect(question?.detail).toContain('started through the system are not ended.');
  const { buttons = [], cancelId, defaultId } = question ?? {};
  expect(buttons.map((_, at) => quitAnswer(at))).toEqual(['end', 'keep', 'choose', 'stay']);
  expect([cancelId, defaultId]).toEqual([3, 3]);
  expect(quitAnswer(-1)).toBe('stay');
  const idle = { queries: 0, tasks: [], shells: 0, pinned: [], leftovers: 0 };
  const lossy = quitMessage({ ...idle, queries: 1, unsaved: ['Fix the parser'] });
  expect(lossy?.message).toBe('Quit Lathe although 1 conversation is not saved?');
  expect(lossy?.detail).toContain('What cannot be saved is lost: Fix the parser.');
  expect(lossy?.detail).not.toContain('is kept');
  expect(lossy?.detail).not.toContain('not ended');
  expect(quitMessage({ ...idle, unsaved: ['Fix the parser'] })).not.toBeNull();
  const loose = quitMessage({ ...idle, shells: 1, unsaved: [], loose: true });
  expect(loose?.detail).toContain('nor is a program that cut every tie to its terminal');
});

test.each(['linux', 'darwin', 'win32'] as const)(
  'every key in the %s menu is one of the page',
  (platform) => {
    const zooms: number[] = [];
    const ran: string[] = [];
    const actions = {
      run: (id: string) => ran.push(id),
      newWindow: () => {},
      openFolder: () => {},
      showReports: () => {},
      zoom: (factor: number) => zooms.push(factor),
      lookForUpdate: null,
      installCommand: null,
    };
    const template = menuTemplate(
      platform,
      { recents: ['/a&b'], zoom: 1.25, keymap: createKeymap(NO_BINDINGS, platform === 'darwin') },
      actions,
    );
    const items = template.flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []));
    const pressed = items
      .filter(({ label = '' }) => !/^(New Window|Zoom|Actual Size)/.test(label))
      .flatMap(({ accelerator }) => (accelerator === undefined ? [] : [accelerator]));
    const known = COMMANDS.flatMap(({ keys }) => keys);
    expect(pressed.length).toBeGreaterThan(8);
    for (const accelerator of pressed)
      expect(known).toContain(accelerator.replace('CmdOrCtrl', 'mod').toLowerCase());
    for (const { id = '', accelerator = '', click } of items.filter((item) => item.id)) {
      click?.({} as never, undefined, {} as never);
      expect(ran.at(-1)).toBe(id);
      // Elsewhere the page alone hears its keys: what it leaves to a shell is not for the menu.
      expect(items.find((item) => item.id === id)?.registerAccelerator).toBe(platform === 'darwin');
      const { keys } = commandOf(id as CommandId);
      expect(keys[0]).toBe(accelerator.replace('CmdOrCtrl', 'mod').toLowerCase());
    }
    expect(ran.length).toBe(pressed.length);
    expect(JSON.stringify(template)).toContain('/a&&b');
    for (const item of items.filter(({ label = '' }) => /^(Zoom|Actual Size)/.test(label)))
      item.click?.({} as never, undefined, {} as never);
    expect(zooms).toEqual([1, 1.5, 1.5, 1.1]);
  },
);

test('the menu looks for new versions only where there is a feed', () => {
  const keymap = createKeymap(NO_BINDINGS, false);
  const looked: string[] = [];
  const labels = (lookForUpdate: (() => void) | null) => {
    const acts = { run() {}, newWindow() {}, openFolder() {}, zoom() {}, showReports() {} };
    const help = menuTemplate(
      'linux',
      { recents: [], zoom: 1, keymap },
      { ...acts, lookForUpdate, installCommand: null },
    ).flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []));
    help
      .find(({ label }) => label === 'Check for Updates…')
      ?.click?.({} as never, undefined, {} as never);
    return help.map(({ label }) => label);
  };
  expect(labels(null)).not.toContain('Check for Updates…');
  expect(labels(() => looked.push('look'))).toContain('Check for Updates…');
  expect(looked).toEqual(['look']);
  expect(labels(null)).not.toContain("Install the Command 'lathe'");
});

test.each([
  ['linux', [{ role: 'minimize' }, { role: 'close' }]],
  ['win32', [{ role: 'minimize' }, { role: 'close' }]],
  // The system's own, with all that it knows.
  ['darwin', undefined],
] as const)('on %s every item of the window menu does something', (platform, items) => {
  const acts = { run() {}, newWindow() {}, openFolder() {}, zoom() {}, showReports() {} };
  const state = { recents: [], zoom: 1, keymap: createKeymap(NO_BINDINGS, false) };
  const actions = { ...acts, lookForUpdate: null, installCommand: null };
  for (const menu of [startMenu(platform), menuTemplate(platform, state, actions)])
    expect(menu.find(({ role }) => role === 'windowMenu')?.submenu).toEqual(items);
});

test.each<[NodeJS.Platform, readonly string[]]>([
  ['linux', ['fileMenu', 'editMenu', 'windowMenu']],
  ['darwin', ['appMenu', 'fileMenu', 'editMenu', 'windowMenu']],
])(
  'before Lathe can do anything, the menu on %s has what the system does by itself',
  (platform, roles) => {
    expect(startMenu(platform).map(({ role }) => role)).toEqual(roles);
  },
);

test('the keys in the menu are those of the user', () => {
  const binding = (key: string, command: string | null) => ({
    ...{ context: 'Lathe', key, command, line: 1 },
  });
  const bindings = [
    binding('cmd+shift+y', 'toggleDock'),
    binding('mod+j', null),
    binding('mod+b', 'palette'),
    binding('mod+k', null),
    binding('mod+shift+n', 'files'),
    binding('mod+.', null),
  ];
  const keymap = createKeymap({ ...NO_BINDINGS, bindings }, true);
  const actions = {
    ...{ run() {}, newWindow() {}, openFolder() {}, zoom() {}, showReports() {} },
    lookForUpdate: null,
    installCommand: null,
  };
  const items = menuTemplate('darwin', { recents: [], zoom: 1, keymap }, actions).flatMap(
    ({ submenu }) => (Array.isArray(submenu) ? submenu : []),
  );
  const keyOf = (wanted: string) => items.find(({ label }) => label === wanted)?.accelerator;
  expect(keyOf('Show or Hide Dock')).toBe('CmdOrCtrl+Shift+Y');
  expect(keyOf('Command Palette')).toBe('CmdOrCtrl+B');
  expect(keyOf('Changes')).toBe('CmdOrCtrl+Shift+D');
  // Both are taken by another command now.
  expect(keyOf('Move Command to Background')).toBeUndefined();
  expect(keyOf('New Window')).toBeUndefined();
  // Only Escape is left, which dialogs need.
  expect(keyOf('Stop')).toBeUndefined();
});

test.each([
  ['mod+shift+k', 'CmdOrCtrl+Shift+K'],
  ['ctrl+alt+pageup', 'Ctrl+Alt+PageUp'],
  ['mod++', 'CmdOrCtrl+Plus'],
  ['mod+`', 'CmdOrCtrl+`'],
  ['alt+enter', 'Alt+Return'],
  ['f6', 'F6'],
  ['esc', null],
  ['shift+tab', null],
  ['mod+ö', null],
  ['', null],
])('Electron writes %j as %j', (shortcut, accelerator) => {
  expect(acceleratorOf(shortcut)).toBe(accelerator);
});

test('zoom goes step by step and ends where the preference does', () => {
  expect([0.8, 1, 1.05, 2].map((zoom) => nextZoom(zoom, 1))).toEqual([0.9, 1.1, 1.1, 2]);
  expect([0.8, 1, 1.05, 2].map((zoom) => nextZoom(zoom, -1))).toEqual([0.8, 0.9, 1, 1.75]);
});

test('the jump list quotes folders as Windows does, and leaves out what the user removed', () => {
  const folders = ['C:\\a b', 'D:\\', 'C:\\gone'];
  const [recent, tasks] = jumpList(
    folders,
    ['C:\\src\\lathe'],
    new Set(['"C:\\src\\lathe" "C:\\gone"']),
  );
  expect(recent?.items?.map(({ title, args }) => [title, args])).toEqual([
    ['a b', '"C:\\src\\lathe" "C:\\a b"'],
    ['D:\\', '"C:\\src\\lathe" "D:\\\\"'],
  ]);
  expect(tasks?.items?.map(({ args }) => args)).toEqual(['"C:\\src\\lathe" "--new-window"']);
  // An empty category of our own is an error to Windows.
  expect(jumpList([], [], new Set())).toHaveLength(1);
});

const summary = (id: string, title: string, needsAnswer: boolean): SessionSummary => ({
  ...{ id, title, needsAnswer, project: `/p/${id}`, running: true },
  ...{ createdAt: 0, updatedAt: 0, demo: false },
});

test.each<[string, readonly SessionSummary[], readonly (string | undefined)[]]>([
  ['nothing', [], ['Nothing runs']],
  ['one that works', [summary('a', 'Fix R&D', false)], ['1 at work', 'Fix R&&D']],
  [
    'one that waits besides',
    [summary('a', 'Build', false), summary('b', 'Release', true)],
    ['1 waits for your answer, 1 at work', '● Release', 'Build'],
  ],
  [
    'more than the menu names',
    Array.from({ length: 11 }, (_, at) => summary(`${at}`, `Task ${at}`, false)),
    ['11 at work', ...Array.from({ length: 8 }, (_, at) => `Task ${at}`), 'and 3 more'],
  ],
])('the menu of the tray: %s', (_, busy, labels) => {
  const shown: unknown[] = [];
  const items = trayMenu(busy, { show: (target) => shown.push(target), newWindow: () => {} });
  const top = items.slice(
    0,
    items.findIndex(({ type }) => type === 'separator'),
  );
  expect(top.map(({ label }) => label)).toEqual(labels);
  top[1]?.click?.({} as never, undefined, {} as never);
  const [first] = busy.toSorted((a, b) => Number(b.needsAnswer) - Number(a.needsAnswer));
  expect(shown).toEqual(
    first === undefined ? [] : [{ sessionId: first.id, project: first.project }],
  );
});

test('a window is made hidden, with a background for the theme, an icon and room for the page', () => {
  const options = (dark: boolean) =>
    windowOptions({ titleBarStyle: 'hidden' }, undefined, '/preload.js', dark, '/icon.png');
  expect(options(true)).toMatchObject({
    ...{ show: false, title: 'Lathe', icon: '/icon.png', backgroundColor: '#16171a' },
    ...{ width: 1280, height: 800, minWidth: 480, minHeight: 360, titleBarStyle: 'hidden' },
  });
  expect(options(false).backgroundColor).toBe('#ffffff');
  const { webPreferences = {} } = options(false);
  expect(webPreferences).toMatchObject({ navigateOnDragDrop: false });
  // No feature that Chromium does not have for everybody.
  expect(Object.keys(webPreferences).filter((name) => /experiment|blink/i.test(name))).toEqual([]);
});

const LAPTOP = { x: 0, y: 25, width: 1440, height: 875 };
const LARGE = { x: 1440, y: 0, width: 2560, height: 1440 };
test.each([
  ['where it was', [LAPTOP], [100, 50, 900, 700], [100, 50, 900, 700]],
  ['on the second screen', [LAPTOP, LARGE], [1500, 20, 2400, 1300], [1500, 20, 2400, 1300]],
  ['over both', [LAPTOP, LARGE], [900, 50, 2000, 800], [900, 50, 2000, 800]],
  ['nowhere: its screen is gone', [LAPTOP], [1500, 20, 900, 700], undefined],
  ['nowhere: its title is above the screen', [LAPTOP], [100, -500, 900, 700], undefined],
  ['smaller: the large screen is gone', [LAPTOP], [100, 50, 2400, 1300], [-10, 15, 1460, 895]],
  ['whole: it stuck out', [LAPTOP], [1300, 800, 900, 700], [550, 210, 900, 700]],
  ['at the edge, where Windows puts it', [LAPTOP], [-7, 25, 734, 882], [-7, 25, 734, 882]],
])('a window comes back %s', (_where, screens, was, is) => {
  const rectangle = ([x = 0, y = 0, width = 0, height = 0]: readonly number[]) => ({
    ...{ x, y, width, height },
  });
  expect(fitted(rectangle(was), screens)).toEqual(is && rectangle(is));
});
