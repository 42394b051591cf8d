import { describe, expect, test } from 'vitest';
import {
  appTakesFromTerminal,
  COMMANDS,
  commandFor,
  matches,
  type Stroke,
} from '../../../src/renderer/app/keys';

/** A stroke written as `ctrl+shift+k`; the key's place on the keyboard as `@KeyK`. */
function stroke(text: string): Stroke {
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
])('%s → %s', (text, id) => expect(commandFor(stroke(text), false)?.id ?? null).toBe(id));

test('on Apple keyboards ⌘ is the modifier and Ctrl is not', () => {
  expect(commandFor(stroke('meta+k'), true)?.id).toBe('palette');
  expect(commandFor(stroke('ctrl+k'), true)).toBeNull();
});

describe('over a terminal', () => {
  test.each(['ctrl+k', 'ctrl+n', 'ctrl+b', 'ctrl+o', 'ctrl+j', 'ctrl+/', 'Escape', 'shift+Tab'])(
    '%s belongs to the shell',
    (text) => expect(appTakesFromTerminal(stroke(text), false)).toBe(false),
  );

  test.each(['ctrl+`', 'ctrl+shift+D', 'ctrl+,'])('%s belongs to the app', (text) =>
    expect(appTakesFromTerminal(stroke(text), false)).toBe(true),
  );

  test('⌘ always belongs to the app, Esc never', () => {
    expect(appTakesFromTerminal(stroke('meta+k'), true)).toBe(true);
    expect(appTakesFromTerminal(stroke('Escape'), true)).toBe(false);
  });
});

test('no two acts share a key', () => {
  const all = COMMANDS.flatMap((command) => command.keys);
  expect(new Set(all).size).toBe(all.length);
});

test('a key does not match with a modifier too many', () => {
  expect(matches(stroke('ctrl+alt+n'), 'alt+n', false)).toBe(false);
});
