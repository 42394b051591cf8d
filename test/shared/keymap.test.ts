import { describe, expect, test } from 'vitest';
import type { KeyBinding, KeyBindings, KeyChange } from '../../src/shared/key-bindings';
import {
  changesFor,
  changesForAll,
  conflictsOf,
  createKeymap,
  isChanged,
} from '../../src/shared/keymap';
import { readShortcut, shortcutOf } from '../../src/shared/shortcut';
import { COMMANDS } from '../../src/shared/window-commands';

const FILE = '/home/ann/.claude/keybindings.json';

type Row = readonly [context: string, key: string, command: string | null];

const fileOf = (...rows: readonly Row[]): KeyBindings => ({
  file: FILE,
  bindings: rows.map(([context, key, command], at) => ({ context, key, command, line: at + 4 })),
  problems: [],
});

const mapOf = (...rows: readonly Row[]) => createKeymap(fileOf(...rows), false);

/** Applies changes as the host writes them: an entry is replaced in its place, or comes last. */
function applied(before: KeyBindings, changes: readonly KeyChange[]): KeyBindings {
  let bindings: readonly KeyBinding[] = before.bindings;
  for (const { context, key, command } of changes) {
    const others = bindings.filter((one) => one.context !== context || one.key !== key);
    bindings = command === undefined ? others : [...others, { context, key, command, line: 0 }];
  }
  return { ...before, bindings };
}

const press = (
  key: string,
  code = '',
  held: Partial<Record<'ctrl' | 'alt' | 'shift', true>> = {},
) => ({
  ...{ key, code, mod: held.ctrl === true, other: false, ctrl: held.ctrl === true },
  ...{ alt: held.alt === true, shift: held.shift === true },
});

describe('a user’s keys', () => {
  test('add to ours, take them from others, and null takes one away', () => {
    const map = mapOf(
      ['Lathe', 'ctrl+j', 'palette'],
      ['Lathe', 'Control+N', null],
      ['LatheComposer', 'alt+enter', 'send'],
    );
    expect(map.problems).toEqual([]);
    expect(map.keysOf('palette')).toEqual(['mod+k', 'ctrl+j']);
    expect(map.keysOf('toggleDock')).toEqual([]);
    expect(map.keysOf('newSession')).toEqual(['alt+n']);
    expect(map.commandFor(press('j', 'KeyJ', { ctrl: true }), 'window')?.id).toBe('palette');
    expect(map.commandFor(press('n', 'KeyN', { ctrl: true }), 'window')).toBeNull();
    expect(map.commandFor(press('Enter', '', { alt: true }), 'composer')?.id).toBe('send');
  });

  test('are shown as far as they reach the page', () => {
    const shown = (inTab: boolean) => createKeymap(fileOf(), false, inTab).keyOf('newSession');
    expect(shown(false)).toBe('mod+n');
    expect(shown(true)).toBe('alt+n');
    const own = createKeymap(fileOf(['Lathe', 'ctrl+y', 'newSession']), false, true);
    expect(own.keyOf('session3')).toBe('alt+3');
    expect(own.keysOf('newSession')).toEqual(['mod+n', 'alt+n', 'ctrl+y']);
  });

  test.each<[Row, string]>([
    [
      ['Lathe', 'ctrl+y', 'palete'],
      'there is no command “palete”, so it is ignored; “palette” may be meant',
    ],
    [['Lathee', 'ctrl+y', 'palette'], 'there is no context “Lathee”; “Lathe” may be meant'],
    [['Lathe', 'enter', 'palette'], 'this key belongs to what has the focus, so it is ignored'],
    [
      ['Lathe', 'k', 'palette'],
      'a key that types a character needs Ctrl, Alt or ⌘, so it is ignored',
    ],
    [
      ['Lathe', 'ctrl+k ctrl+s', 'palette'],
      'Lathe has no keys of several strokes, so it is ignored',
    ],
    [['Lathe', 'hyper+k', 'palette'], '“hyper” is no modifier, so it is ignored'],
    [['Lathe', 'ctrl+foo', 'palette'], '“foo” is no key, so it is ignored'],
    [
      ['Lathe', 'ctrl+y', 'send'],
      'the command “send” belongs in the context “LatheComposer”, so it is ignored',
    ],
    [
      ['LatheTerminal', 'esc', 'splitRight'],
      'this key belongs to what has the focus, so it is ignored',
    ],
  ])('%j is told with its line and changes nothing', (row, message) => {
    const map = mapOf(row);
    expect(map.problems).toEqual([
      { file: FILE, line: 4, field: row[1], message, level: 'warning' },
    ]);
    for (const { id } of COMMANDS) expect(isChanged(map, id)).toBe(false);
  });

  test('of one key written twice the later entry counts, and that is told', () => {
    const map = mapOf(['Lathe', 'ctrl+y', 'palette'], ['Lathe', 'mod+y', 'files']);
    expect(map.keysOf('files')).toContain('mod+y');
    expect(map.keysOf('palette')).toEqual(['mod+k']);
    expect(map.problems.map(({ line }) => line)).toEqual([5]);
  });

  test('blocks of other programs are left alone', () => {
    expect(mapOf(['Chat', 'enter', 'chat:submit'], ['Global', 'k', 'x']).problems).toEqual([]);
  });
});

test('any command gets any keys by changes of the file, and back', () => {
  let file = fileOf(['Lathe', 'mod+j', 'palette'], ['Chat', 'enter', 'chat:submit']);
  const steps = [
    ['palette', ['alt+p']],
    ['toggleDock', ['mod+j', 'f9']],
    ['files', ['mod+k']],
    ['newSession', []],
    ['send', ['mod+enter']],
    ['palette', ['mod+k']],
  ] as const;
  for (const [id, keys] of steps) {
    file = applied(file, changesFor(file, id, keys, false));
    const map = createKeymap(file, false);
    expect(map.problems).toEqual([]);
    expect([...map.keysOf(id)].sort()).toEqual([...keys].sort());
  }
  expect(createKeymap(file, false).keysOf('files')).toEqual([]);
  file = applied(file, changesForAll(file));
  for (const { id } of COMMANDS) expect(isChanged(createKeymap(file, false), id)).toBe(false);
  expect(file.bindings.map(({ context }) => context)).toEqual(['Chat']);
});

test('conflicts are looked for where keys count at the same time', () => {
  const map = mapOf();
  const ids = (id: 'files' | 'steer' | 'allowOne', key: string) =>
    conflictsOf(map, id, key, false).map((one) => one.id);
  expect(ids('files', 'ctrl+k')).toEqual(['palette']);
  expect(ids('files', 'mod+enter')).toEqual(['steer']);
  expect(ids('steer', 'mod+b')).toEqual(['background']);
  expect(ids('allowOne', 'mod+k')).toEqual([]);
  expect(ids('files', 'mod+p')).toEqual([]);
});

test.each([
  ['Ctrl+Shift+K', 'ctrl+shift+k'],
  ['shift+cmd+K', 'mod+shift+k'],
  ['option+Return', 'alt+enter'],
  ['ctrl++', 'ctrl++'],
  ['F12', 'f12'],
  ['ctrl+Escape', 'ctrl+esc'],
])('%s is read as %s', (written, read) =>
  expect(readShortcut(written)).toEqual({ ok: true, value: read }),
);

test.each([
  ['ctrl++', 'ctrl++'],
  ['Ctrl+F24', 'ctrl+f24'],
  ['ctrl+', 'a modifier alone is no key'],
  ['ctrl+shift+', 'a modifier alone is no key'],
  ['ctrl+shift', 'a modifier alone is no key'],
  ['k+', '“k” is no modifier'],
  ['f0', '“f0” is no key'],
  ['f30', '“f30” is no key'],
  ['f01', '“f01” is no key'],
  ['', '“” is no key'],
])('%j, which keyboards have or not, is read as %s', (written, said) => {
  const read = readShortcut(written);
  expect(read.ok ? read.value : read.error).toBe(said);
});

test.each([
  [press('k', 'KeyK', { ctrl: true }), 'mod+k'],
  [press('K', 'KeyK', { ctrl: true, shift: true }), 'mod+shift+k'],
  [press('л', 'KeyK', { ctrl: true }), 'mod+k'],
  [press('?', 'Slash', { ctrl: true, shift: true }), 'mod+?'],
  [press('F2'), 'f2'],
  [press('ArrowUp', 'ArrowUp', { alt: true }), 'alt+up'],
  [press('k', 'KeyK'), null],
  [press('Control', 'ControlLeft', { ctrl: true }), null],
])('%j is written %s', (pressed, written) => expect(shortcutOf(pressed, false)).toBe(written));
