import { err, ok, type Result } from './result';

/** One key press with its modifiers; `mod` is ⌘ on Apple's keyboards and Ctrl elsewhere, `other` the other of the two. */
export interface Press {
  readonly key: string;
  /** The physical key, so that shortcuts work in any alphabet; empty when unknown. */
  readonly code: string;
  readonly mod: boolean;
  readonly other: boolean;
  /** Ctrl is held, whatever it is called above; for the few keys that are Ctrl on every keyboard. */
  readonly ctrl?: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
}

/** Names of keys in shortcuts that differ from `KeyboardEvent.key` in lower case. */
const NAMES: Readonly<Record<string, string>> = {
  esc: 'escape',
  space: ' ',
  up: 'arrowup',
  down: 'arrowdown',
  left: 'arrowleft',
  right: 'arrowright',
  del: 'delete',
};

const CODES: Readonly<Record<string, string>> = {
  '`': 'Backquote',
  ',': 'Comma',
  '.': 'Period',
  '/': 'Slash',
};

/** Returns true when a press is the shortcut, written as `mod+shift+k`. Letters also match by their physical key. */
export const matches = (press: Press, shortcut: string): boolean => matcherOf(shortcut)(press);

/** Reads a shortcut once for many presses: returns what {@link matches} says of each. */
export function matcherOf(shortcut: string): (press: Press) => boolean {
  const parts = shortcut.split('+');
  const key = parts.at(-1) ?? '';
  const [mod, ctrl, alt, shift] = MODIFIERS.map((name) => parts.includes(name));
  const punctuation = key.length === 1 && /[^a-z0-9]/.test(key);
  const name = NAMES[key] ?? key;
  const code = codeOf(key);
  return (press) => {
    if (!holds(press, mod === true, ctrl === true) || press.alt !== alt) return false;
    const typed = press.key.toLowerCase();
    if (punctuation && typed === key) return true;
    if (press.shift !== shift) return false;
    return typed === name || (press.code !== '' && press.code === code);
  };
}

/** Tells whether the modifiers ⌘ and Ctrl are held as a shortcut says. */
const holds = (press: Press, mod: boolean, ctrl: boolean): boolean =>
  ctrl ? press.ctrl === true && press.mod !== press.other : press.mod === mod && !press.other;

function codeOf(key: string): string {
  if (/^[a-z]$/.test(key)) return `Key${key.toUpperCase()}`;
  if (/^[0-9]$/.test(key)) return `Digit${key}`;
  return CODES[key] ?? '';
}

/** Other names of modifiers and keys that a hand may write. */
const ALIASES: Readonly<Record<string, string>> = {
  control: 'ctrl',
  cmd: 'mod',
  command: 'mod',
  meta: 'mod',
  super: 'mod',
  opt: 'alt',
  option: 'alt',
  escape: 'esc',
  return: 'enter',
  delete: 'del',
  arrowup: 'up',
  arrowdown: 'down',
  arrowleft: 'left',
  arrowright: 'right',
};

/** Modifiers in the order in which shortcuts are written. */
const MODIFIERS: readonly string[] = ['mod', 'ctrl', 'alt', 'shift'];

const NAMED_KEY =
  /^(?:esc|enter|tab|space|backspace|del|insert|home|end|pageup|pagedown|up|down|left|right|f(?:[1-9]|1\d|2[0-4]))$/;

/**
 * Reads a shortcut written by hand: any letter case, order and usual name. Gives it as {@link matches} reads it, or says
 * what is wrong with it. A key that types a character needs a modifier besides Shift.
 */
export function readShortcut(written: string): Result<string, string> {
  const text = written.trim().toLowerCase();
  if (/\s/.test(text)) return err('Lathe has no keys of several strokes');
  // A plus is a key only where another one joins it to what is held.
  const key = /^\+$|\+\+$/.test(text) ? '+' : (text.split('+').at(-1) ?? '');
  const before = text.slice(0, text.length - key.length).split('+');
  const held = before.filter((part) => part !== '').map((part) => ALIASES[part] ?? part);
  const name = ALIASES[key] ?? key;
  const strange = held.find((part) => !MODIFIERS.includes(part));
  if (strange !== undefined) return err(`“${strange}” is no modifier`);
  if (MODIFIERS.includes(name) || (name === '' && held.length > 0))
    return err('a modifier alone is no key');
  const types = [...name].length === 1;
  if (!types && !NAMED_KEY.test(name)) return err(`“${key}” is no key`);
  if ((types || name === 'space') && !held.some((part) => part !== 'shift'))
    return err('a key that types a character needs Ctrl, Alt or ⌘');
  return ok([...MODIFIERS.filter((part) => held.includes(part)), name].join('+'));
}

/** Returns true when two shortcuts are the same press on this keyboard. */
export function sameStroke(one: string, other: string, apple: boolean): boolean {
  const plain = (keys: string) => (apple ? keys : keys.replace(/(^|\+)mod\+/, '$1ctrl+'));
  return plain(one) === plain(other);
}

/** Returns the shortcut that a key press is; null for a modifier alone and for keys of input methods. */
export function shortcutOf(press: Press, apple: boolean): string | null {
  const [, letter] = /^(?:Key([A-Z])|Digit\d)$/.exec(press.code) ?? [];
  const typed = press.key.toLowerCase();
  const named = Object.entries(NAMES).find(([, value]) => value === typed)?.[0] ?? typed;
  const key =
    letter?.toLowerCase() ?? (press.code.startsWith('Digit') ? press.code.slice(5) : named);
  const punctuation = key.length === 1 && /[^a-z0-9]/.test(key);
  const held = [
    ...(press.mod ? ['mod'] : []),
    ...(press.other && apple ? ['ctrl'] : []),
    ...(press.alt ? ['alt'] : []),
    ...(press.shift && !punctuation ? ['shift'] : []),
  ];
  const read = readShortcut([...held, key].join('+'));
  return read.ok ? read.value : null;
}
