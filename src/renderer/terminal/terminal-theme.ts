import type { ITheme } from '@xterm/xterm';
import { cssColor } from '../ui/css-color';

/** The terminal's colours as the page's tokens say them now; read again whenever the theme changes. */
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
