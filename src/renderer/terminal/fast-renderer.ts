import { WebglAddon } from '@xterm/addon-webgl';
import type { Terminal } from '@xterm/xterm';

/** Renderers that draw with the processor; for text they are slower than plain DOM. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/** Whether a WebGL renderer's name is that of a graphics card. */
export const isHardware = (renderer: string): boolean =>
  renderer !== '' && !SOFTWARE.test(renderer);

/**
 * Draws with WebGL where there is a graphics card. Gives back how to let it go, which also happens by itself
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

/** The name of what would draw, or '' when nothing would. The probing context is given back at once. */
function rendererName(): string {
  const context = document.createElement('canvas').getContext('webgl2');
  if (context === null) return '';
  const names = context.getExtension('WEBGL_debug_renderer_info');
  const name: unknown = context.getParameter(names?.UNMASKED_RENDERER_WEBGL ?? context.RENDERER);
  context.getExtension('WEBGL_lose_context')?.loseContext();
  return typeof name === 'string' ? name : '';
}
