import { FitAddon } from '@xterm/addon-fit';
import { SearchAddon } from '@xterm/addon-search';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { WebglAddon } from '@xterm/addon-webgl';
import { type ITheme, Terminal } from '@xterm/xterm';
import { giveBoundedWidths } from '../../shared/combining-marks';
import { mendFaults } from '../../shared/xterm-faults';
import { modHeld, onApple } from '../ui/keys';
import { type FileReference, fileLinks } from './file-links';
import { guardTerminal } from './guards';
import type { TerminalLook } from './look';

/** One xterm with everything it may and may not do, not yet on screen. */
interface Xterm {
  readonly terminal: Terminal;
  readonly fit: FitAddon;
  readonly search: SearchAddon;
}

/** Follows a link. */
interface LinkEvents {
  onHover(target: string | null): void;
  /** Opens an address. Only http and https get here. */
  open(target: string): void;
  openFile(file: FileReference): void;
}

/** Builds a terminal of our look and guards. */
export function createXterm(theme: ITheme, look: TerminalLook, links: LinkEvents): Xterm {
  const follow = (event: MouseEvent, target: string) => {
    if (modHeld(event, onApple()) && isWebLink(target)) links.open(target);
  };
  const hover = (_event: MouseEvent, target: string) => links.onHover(target);
  const leave = () => links.onHover(null);
  const terminal = new Terminal({
    allowProposedApi: true,
    lineHeight: 1.25,
    theme,
    ...look,
    cursorInactiveStyle: 'outline',
    macOptionIsMeta: true,
    minimumContrastRatio: 4.5,
    linkHandler: { activate: follow, hover, leave, allowNonHttpProtocols: false },
  });
  const fit = new FitAddon();
  const search = new SearchAddon();
  terminal.loadAddon(fit);
  terminal.loadAddon(search);
  giveBoundedWidths(terminal, (taker) => new Unicode11Addon().activate(taker as Terminal));
  terminal.loadAddon(new WebLinksAddon(follow, { hover, leave }));
  terminal.registerLinkProvider(
    fileLinks(terminal, {
      activate: (event, file) => {
        if (modHeld(event, onApple())) links.openFile(file);
      },
      hover: ({ path, line, column }) =>
        links.onHover([path, line, column].filter((part) => part !== undefined).join(':')),
      leave,
    }),
  );
  guardTerminal(terminal);
  mendFaults(terminal);
  return { terminal, fit, search };
}

const isWebLink = (target: string): boolean => /^https?:\/\//i.test(target);

/** Renderers that draw with the processor; for text they are slower than plain DOM. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/** Returns true when a WebGL renderer's name is that of a graphics card. */
export const isHardware = (renderer: string): boolean =>
  renderer !== '' && !SOFTWARE.test(renderer);

/**
 * Draws with WebGL where there is a graphics card. Returns a function that releases it, which also happens by itself
 * when the card takes the context away; xterm then draws with DOM.
 */
export function attachFastRenderer(terminal: Terminal): () => void {
  if (!isHardware(rendererName())) return () => {};
  const addon = new WebglAddon();
  let released = false;
  const release = () => {
    if (released) return;
    released = true;
    addon.dispose();
  };
  addon.onContextLoss(release);
  try {
    terminal.loadAddon(addon);
  } catch {
    release();
  }
  return release;
}

/** Returns the name of what would draw, or '' when nothing would. The probing context is given back at once. */
function rendererName(): string {
  const context = document.createElement('canvas').getContext('webgl2');
  if (context === null) return '';
  const names = context.getExtension('WEBGL_debug_renderer_info');
  const name: unknown = context.getParameter(names?.UNMASKED_RENDERER_WEBGL ?? context.RENDERER);
  context.getExtension('WEBGL_lose_context')?.loseContext();
  return typeof name === 'string' ? name : '';
}
