import type { Press } from '../../shared/shortcut';

/** Returns true for Apple's keyboards, where ⌘ is the modifier. Takes `navigator.platform`. */
export const isApple = (platform: string): boolean => /mac|iphone|ipad/i.test(platform);

const APPLE: Readonly<Record<string, string>> = {
  mod: '⌘',
  ctrl: '⌃',
  alt: '⌥',
  shift: '⇧',
  enter: '↵',
  esc: 'esc',
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  tab: '⇥',
  del: '⌦',
  backspace: '⌫',
};

const OTHER: Readonly<Record<string, string>> = {
  mod: 'Ctrl',
  ctrl: 'Ctrl',
  alt: 'Alt',
  shift: 'Shift',
  enter: 'Enter',
  esc: 'Esc',
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  tab: 'Tab',
  del: 'Del',
  backspace: 'Backspace',
};

/**
 * Returns the key caps of a shortcut as this keyboard prints them: `mod+shift+k` → ⌘ ⇧ K, or Ctrl Shift K.
 * Names: mod, ctrl, alt, shift, enter, esc, up, down, left, right, tab, del, backspace; anything else is shown in capitals.
 */
export function keyCaps(shortcut: string, apple: boolean): readonly string[] {
  const names = apple ? APPLE : OTHER;
  return shortcut
    .split('+')
    .filter((key) => key !== '')
    .map((key) => names[key.toLowerCase()] ?? key.toUpperCase());
}

/** Formats a shortcut as one string, for tooltips and menus. */
export const keyText = (shortcut: string, apple: boolean): string =>
  keyCaps(shortcut, apple).join(apple ? '' : '+');

/** Adds a shortcut to a label, if there is one: "Deny (Esc)". */
export const withKeys = (label: string, keys: string, apple: boolean): string =>
  keys === '' ? label : `${label} (${keyText(keys, apple)})`;

/** Returns true while the platform's main modifier (⌘, or Ctrl elsewhere) is held. */
export const modHeld = (
  event: { readonly metaKey: boolean; readonly ctrlKey: boolean },
  apple: boolean,
): boolean => (apple ? event.metaKey : event.ctrlKey);

/** Returns true when this page runs on Apple's keyboard; false without a page (tests, server rendering). */
export const onApple = (): boolean =>
  typeof navigator !== 'undefined' && isApple(navigator.platform);

/** Returns true when this page is a tab of a browser, which keeps some keys for itself. */
export const inTab = (): boolean =>
  typeof window !== 'undefined' &&
  window.lathe === undefined &&
  window.matchMedia('(display-mode: browser)').matches;

/** The part of a keyboard event that shortcuts depend on. */
export type KeyStroke = Pick<
  KeyboardEvent,
  'key' | 'code' | 'metaKey' | 'ctrlKey' | 'altKey' | 'shiftKey'
>;

/** Reads a keyboard event. `apple`: the keyboard has ⌘. */
export const pressOf = (event: KeyStroke, apple: boolean): Press => ({
  key: event.key,
  code: event.code,
  mod: apple ? event.metaKey : event.ctrlKey,
  other: apple ? event.ctrlKey : event.metaKey,
  ctrl: event.ctrlKey,
  alt: event.altKey,
  shift: event.shiftKey,
});
