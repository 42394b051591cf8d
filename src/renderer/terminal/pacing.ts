import type { Terminal } from '@xterm/xterm';

/** The insides of an xterm 6 that move what follows its output. */
interface Followers {
  readonly _core: {
    readonly _viewport?: {
      _sync(...place: readonly unknown[]): void;
      scrollLines(lines: number): void;
    };
    /** Moves the field that takes the keys to the cursor, for an input method's window. */
    _syncTextArea?(): void;
  };
}

/** The frames of a page. */
interface Frames {
  request(act: () => void): number;
  cancel(frame: number): void;
}

/** A user's ways to the scroll bar that do not go through the terminal. */
const SCROLLS = ['wheel', 'pointerdown', 'pointermove', 'touchmove'] as const;

/**
 * Moves the scroll bar and the field for keys of an open terminal once a frame. By itself xterm 6 moves the bar with every
 * line, and the field before it draws; each takes as long as parsing a line.
 */
export function paceFollowers(
  terminal: Pick<Terminal, 'element' | 'loadAddon'>,
  frames: Frames = { request: requestAnimationFrame, cancel: cancelAnimationFrame },
): void {
  const core = (terminal as object as Followers)._core;
  const stops = [paceTextArea(core, frames), paceScrollBar(core, terminal.element, frames)];
  terminal.loadAddon({
    activate: () => undefined,
    dispose: () => {
      for (const stop of stops) stop();
    },
  });
}

/** The inside of an xterm 6 that tells how high what it draws is. */
interface Drawing {
  readonly _core: {
    readonly rows: number;
    readonly _viewport?: { _sync(...place: readonly unknown[]): void };
    readonly _renderService?: {
      readonly dimensions: {
        readonly css: Readonly<Record<'canvas' | 'cell', { readonly height: number }>>;
      };
    };
  };
}

/**
 * Holds the scroll bar of an open terminal while what is drawn has another height than its rows. A new size that comes while it
 * is out of sight is drawn later; until then xterm takes the old height, finds the end above the last rows, and scrolls up to it.
 */
export function holdScrollBar(terminal: Pick<Terminal, 'onRender'>): void {
  const core = (terminal as object as Drawing)._core;
  const { _viewport: viewport, _renderService: drawn } = core;
  if (viewport === undefined || drawn === undefined) return;
  const sync = viewport._sync.bind(viewport);
  let isHeld = false;
  viewport._sync = (...place) => {
    const { canvas, cell } = drawn.dimensions.css;
    isHeld = Math.round(canvas.height / cell.height) !== core.rows;
    if (!isHeld) sync(...place);
  };
  terminal.onRender(() => {
    if (isHeld) viewport._sync();
  });
}

function paceTextArea(core: Followers['_core'], frames: Frames): () => void {
  const sync = core._syncTextArea?.bind(core);
  if (sync === undefined) return () => undefined;
  const move = oncePerFrame(sync, frames);
  core._syncTextArea = move.soon;
  return move.stop;
}

function paceScrollBar(
  { _viewport: viewport }: Followers['_core'],
  element: HTMLElement | undefined,
  frames: Frames,
): () => void {
  if (viewport === undefined) return () => undefined;
  const sync = viewport._sync.bind(viewport);
  const scrollLines = viewport.scrollLines.bind(viewport);
  const move = oncePerFrame(sync, frames);
  // Without a place it is asked for by the buffer, for one line.
  viewport._sync = (...place) => {
    if (place.length > 0) sync(...place);
    else move.soon();
  };
  // These count from where the bar is.
  viewport.scrollLines = (lines) => {
    move.now();
    scrollLines(lines);
  };
  for (const kind of SCROLLS)
    element?.addEventListener(kind, move.now, { capture: true, passive: true });
  return move.stop;
}

/** Puts an act off to the next frame; `now` does it at once when it waits. */
function oncePerFrame(act: () => void, { request, cancel }: Frames) {
  let frame: number | null = null;
  const stop = () => {
    if (frame !== null) cancel(frame);
    frame = null;
  };
  const now = () => {
    if (frame === null) return;
    stop();
    act();
  };
  const soon = () => {
    frame ??= request(now);
  };
  return { soon, now, stop };
}
