import { defaultFilter } from 'cmdk';
import { describe, expect, test } from 'vitest';
import type { CommandContext } from '../../../src/renderer/commands/actions';
import { runCommand } from '../../../src/renderer/commands/table';
import { appTakesFromTerminal, terminalKey } from '../../../src/renderer/commands/terminal-keys';
import { commandEntries } from '../../../src/renderer/palette/Palette';
import { type KeyStroke, pressOf } from '../../../src/renderer/ui/keys';
import { createKeymap, NO_BINDINGS } from '../../../src/shared/keymap';
import { matches } from '../../../src/shared/shortcut';
import { COMMANDS, type CommandScope } from '../../../src/shared/window-commands';

const KEYMAP = createKeymap(NO_BINDINGS, false);

/** A stroke written as `ctrl+shift+k`; the key's place on the keyboard as `@KeyK`. */
function stroke(text: string): KeyStroke {
  const [keys = '', code = ''] = text.split('@');
  const parts = keys.split('+');
  const key = parts.at(-1) ?? '';
  return {
    key,
    code,
    metaKey: parts.includes('meta'),
    ctrlKey: parts.includes('ctrl'),
    altKey: parts.includes('alt'),
    shiftKey: parts.includes('shift'),
  };
}

const idOf = (text: string, scope: CommandScope = 'window', apple = false) =>
  KEYMAP.commandFor(pressOf(stroke(text), apple), scope)?.id ?? null;

test.each([
  ['ctrl+k', 'palette'],
  ['ctrl+shift+F', 'searchSessions'],
  ['ctrl+shift+D', 'changes'],
  ['ctrl+shift+M', 'model'],
  ['ctrl+shift+E', 'effort'],
  ['ctrl+`', 'terminal'],
  ['ctrl+,', 'settings'],
  ['ctrl+/', 'keys'],
  ['ctrl+shift+/', 'keys'], // where / is typed with shift
  ['ctrl+.', 'stop'],
  ['Escape', 'stop'],
  ['shift+Tab', 'cycleMode'],
  ['ctrl+7', 'session7'],
  ['alt+n', 'newSession'],
  ['ctrl+л@KeyK', 'palette'], // another alphabet, the same place
  ['k', null],
  ['ctrl+shift+k', null],
  ['ctrl+alt+k', null],
  ['meta+k', null],
])('%s → %s', (text, id) => expect(idOf(text)).toBe(id));

test('on Apple keyboards ⌘ is the modifier and Ctrl is not', () => {
  expect(idOf('meta+k', 'window', true)).toBe('palette');
  expect(idOf('ctrl+k', 'window', true)).toBeNull();
});

describe('over a terminal', () => {
  test.each(['ctrl+k', 'ctrl+n', 'ctrl+b', 'ctrl+o', 'ctrl+j', 'ctrl+/', 'Escape', 'shift+Tab'])(
    '%s belongs to the shell',
    (text) =>
      expect(appTakesFromTerminal(KEYMAP, pressOf(stroke(text), false), false, false)).toBe(false),
  );

  test.each(['ctrl+`', 'ctrl+shift+D', 'ctrl+,'])('%s belongs to the app', (text) =>
    expect(appTakesFromTerminal(KEYMAP, pressOf(stroke(text), false), false, false)).toBe(true),
  );

  test.each([
    ['ctrl+k', true],
    ['alt+n', true],
    ['ctrl+b', true],
    ['Escape', false],
    ['shift+Tab', false],
    ['Enter', false],
    ['PageUp', false],
    ['ctrl+c', false],
  ])('%s in a terminal that has ended belongs to the app: %s', (text, taken) =>
    expect(appTakesFromTerminal(KEYMAP, pressOf(stroke(text), false), false, true)).toBe(taken),
  );

  test('⌘ always belongs to the app, Esc never', () => {
    expect(appTakesFromTerminal(KEYMAP, pressOf(stroke('meta+k'), true), true, false)).toBe(true);
    expect(appTakesFromTerminal(KEYMAP, pressOf(stroke('Escape'), true), true, false)).toBe(false);
  });

  test.each([
    ['meta+c', true, 'copy'],
    ['ctrl+c', true, 'program'],
    ['ctrl+shift+C', false, 'copy'],
    ['ctrl+c', false, 'program'],
    ['meta+c', false, 'program'],
    ['shift+F10', false, 'app'],
    ['shift+F10', true, 'program'],
    ['F10', false, 'program'],
    ['ctrl+shift+F10', false, 'program'],
  ])('%s (on Apple: %s) is for: %s', (text, apple, whom) =>
    expect(terminalKey(KEYMAP, pressOf(stroke(text), apple), apple, false)).toBe(whom),
  );
});

test.each<CommandScope>(['window', 'composer', 'asking', 'files'])(
  'no two commands of the %s share a key',
  (scope) => {
    const all = COMMANDS.filter((one) => one.scope === scope).flatMap((c) => c.keys);
    expect(new Set(all).size).toBe(all.length);
  },
);

test.each([
  ['Enter', 'composer', 'send'],
  ['shift+Enter', 'composer', 'newLine'],
  ['ctrl+Enter', 'composer', 'steer'],
  ['ArrowUp', 'composer', 'older'],
  ['Enter', 'asking', 'allow'],
  ['ctrl+e', 'asking', 'edit'],
  ['Tab', 'asking', 'giveReason'],
  ['ctrl+Enter', 'files', 'allowOne'],
  ['Backspace', 'files', 'denyOne'],
  ['Enter', 'window', null],
] as const)('%s in the %s is %s', (text, scope, id) => expect(idOf(text, scope)).toBe(id));

test('a key does not match with a modifier too many', () => {
  expect(matches(pressOf(stroke('ctrl+alt+n'), false), 'alt+n')).toBe(false);
});

test('the palette lists what the window can do and what the host adds, and no keys of forms', () => {
  const entries = commandEntries(
    [{ name: 'init', description: 'Write a memory file', argumentHint: '' }],
    KEYMAP,
  );
  const values = entries.map(({ value }) => value);
  expect(values[0]).toBe('command newSession');
  expect(values).toContain('command settings');
  expect(values).toContain('host init');
  expect(values).not.toContain('command send');
  expect(values).not.toContain('command palette');
  expect(new Set(values).size).toBe(values.length);
});

test('the palette finds a command by the words of its id too', () => {
  const found = commandEntries([], KEYMAP).filter(({ value, label, words }) =>
    defaultFilter(value, 'split down', [label, ...(words ?? [])]),
  );
  expect(found.map(({ value }) => value)).toEqual(['command splitDown']);
});

test('a command that fails says so, so that what was typed can be kept', async () => {
  const lathe = { store: { getState: () => ({ sessionId: null, transcripts: {} }) } };
  const context = { lathe, focus: {} } as unknown as CommandContext;
  expect(await runCommand(context, 'model', 'opus')).toBe(false);
});
