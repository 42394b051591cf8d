import { FitAddon } from '@xterm/addon-fit';
import { SearchAddon } from '@xterm/addon-search';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { type ITheme, Terminal } from '@xterm/xterm';
import { modHeld, onApple } from '../ui/keys';
import { guardTerminal } from './guards';

/** Lines kept above the screen; the terminal host keeps the rest of the output. */
const SCROLLBACK_LINES = 5000;

/** The mono family of the page; xterm measures with it, so it must be a real name. */
export const TERMINAL_FONT =
  '"JetBrains Mono Variable", ui-monospace, "SF Mono", Menlo, Consolas, monospace';

/** UI.md, "Tokens". */
export const FONT_PX = 13;

/** One xterm with everything it may and may not do, not yet on screen. */
export interface Xterm {
  readonly terminal: Terminal;
  readonly fit: FitAddon;
  readonly search: SearchAddon;
}

/** What a link does. Only http and https ever get here. */
export interface LinkEvents {
  onHover(target: string | null): void;
  open(target: string): void;
}

/** Builds a terminal of our look and guards. */
export function createXterm(theme: ITheme, links: LinkEvents): Xterm {
  const follow = (event: MouseEvent, target: string) => {
    if (modHeld(event, onApple()) && isWebLink(target)) links.open(target);
  };
  const hover = (_event: MouseEvent, target: string) => links.onHover(target);
  const leave = () => links.onHover(null);
  const terminal = new Terminal({
    allowProposedApi: true,
    fontFamily: TERMINAL_FONT,
    fontSize: FONT_PX,
    lineHeight: 1.25,
    scrollback: SCROLLBACK_LINES,
    theme,
    cursorStyle: 'bar',
    cursorInactiveStyle: 'outline',
    macOptionIsMeta: true,
    minimumContrastRatio: 4.5,
    linkHandler: { activate: follow, hover, leave, allowNonHttpProtocols: false },
  });
  const fit = new FitAddon();
  const search = new SearchAddon();
  terminal.loadAddon(fit);
  terminal.loadAddon(search);
  terminal.loadAddon(new Unicode11Addon());
  terminal.loadAddon(new WebLinksAddon(follow, { hover, leave }));
  terminal.unicode.activeVersion = '11';
  guardTerminal(terminal);
  return { terminal, fit, search };
}

const isWebLink = (target: string): boolean => /^https?:\/\//i.test(target);

/** All text a terminal holds, scrollback first, wrapped lines joined, without the empty rest of the screen. */
export function bufferText(terminal: Terminal): string {
  const { active } = terminal.buffer;
  const lines: string[] = [];
  for (let y = 0; y < active.length; y += 1) {
    const line = active.getLine(y);
    if (!line) continue;
    const wrapsOn = active.getLine(y + 1)?.isWrapped ?? false;
    const text = line.translateToString(!wrapsOn);
    if (line.isWrapped && lines.length > 0) lines[lines.length - 1] += text;
    else lines.push(text);
  }
  return `${lines.join('\n').trimEnd()}\n`;
}
