import type { ITerminalOptions, ITheme } from '@xterm/xterm';
import { TERMINAL_DEFAULTS, type TerminalPreferences } from '../../shared/settings';
import { cssColor } from '../ui/css';

/** The mono family of the page; xterm measures with it, so it must be a real name. */
export const TERMINAL_FONT =
  '"JetBrains Mono Variable", ui-monospace, "SF Mono", Menlo, Consolas, monospace';

/** The part of xterm's options that a user chooses. */
export type TerminalLook = Required<
  Pick<
    ITerminalOptions,
    'fontFamily' | 'fontSize' | 'cursorStyle' | 'cursorBlink' | 'scrollback' | 'screenReaderMode'
  >
>;

/** Returns how terminals look by the user's preferences, on a page of this zoom (1 is the normal size). Pure. */
export function terminalLook(preferences: TerminalPreferences, zoom: number): TerminalLook {
  const { fontFamily, fontSize, screenReader, ...same } = { ...TERMINAL_DEFAULTS, ...preferences };
  return {
    ...same,
    fontFamily: [...fontNames(fontFamily), TERMINAL_FONT].join(', '),
    fontSize: Math.round(fontSize * zoom),
    screenReaderMode: screenReader,
  };
}

/** Returns the fonts of a list, quoted for a style sheet. */
const fontNames = (list: string): string[] =>
  list
    .split(',')
    .map((name) => name.replace(/[^\p{L}\p{N} ._-]/gu, '').trim())
    .filter((name) => name !== '')
    .map((name) => `"${name}"`);

/** Returns the terminal's colours as the page's tokens say them now; read again whenever the theme changes. */
export const terminalTheme = (read: (token: string) => string = cssColor): ITheme => ({
  background: read('--term-background'),
  foreground: read('--term-foreground'),
  cursor: read('--term-cursor'),
  cursorAccent: read('--term-background'),
  selectionBackground: read('--term-selection'),
  black: read('--term-black'),
  red: read('--term-red'),
  green: read('--term-green'),
  yellow: read('--term-yellow'),
  blue: read('--term-blue'),
  magenta: read('--term-magenta'),
  cyan: read('--term-cyan'),
  white: read('--term-white'),
  brightBlack: read('--term-bright-black'),
  brightRed: read('--term-bright-red'),
  brightGreen: read('--term-bright-green'),
  brightYellow: read('--term-bright-yellow'),
  brightBlue: read('--term-bright-blue'),
  brightMagenta: read('--term-bright-magenta'),
  brightCyan: read('--term-bright-cyan'),
  brightWhite: read('--term-bright-white'),
});
