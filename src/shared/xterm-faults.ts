/** A link that a program opened, and a marker for each line it is on. */
interface Link {
  readonly data: { readonly uri: string };
  readonly lines: object[];
}

/** The inside of an xterm 6, as far as its faults need it. */
interface Inside {
  readonly cols: number;
  readonly rows: number;
  readonly buffers: {
    readonly alt: { readonly lines: { maxLength: number } };
    activateAltBuffer(fill?: object): void;
    readonly active: {
      x: number;
      readonly y: number;
      readonly lines: { get(y: number): object | undefined };
    };
  };
  readonly coreService: { readonly decPrivateModes: { readonly wraparound: boolean } };
  readonly _oscLinkService: { _removeMarkerFromLink(link: Link, line: object): void };
  readonly _inputHandler: {
    readonly _parser: { reset(): void };
    readonly _curAttrData: { readonly fg: number; readonly extended: { readonly _ext: number } };
    print(data: Uint32Array, start: number, end: number): void;
    restoreCursor(params?: Params): boolean;
    _processUnderline(style: number, pen: object): void;
    parse(data: string | Uint8Array, isResumed?: boolean): unknown;
    eraseInDisplay(params: Params, respectsProtection: boolean): boolean;
    eraseInLine(params: Params, respectsProtection: boolean): boolean;
    tabSet(): boolean;
  };
}

interface Params {
  readonly params: { readonly [at: number]: number };
}

/** Mends what in xterm 6 stops a terminal for good, or makes it forget what is still on its screen. */
export function mendFaults(terminal: object): void {
  const inside = (terminal as { readonly _core: Inside })._core;
  eraseToTheEnd(inside);
  outliveFaults(inside);
  keepLinks(inside);
  restorePen(inside);
  boundAlternateScreen(inside);
  printAtTheEdge(inside);
  setStopsInside(inside);
}

const ERASE_ABOVE = 1;

/** Erases up to the last cell of a screen, too: there xterm looks for the line below, and throws because there is none. */
function eraseToTheEnd(inside: Inside): void {
  const { _inputHandler: handler } = inside;
  const erase = handler.eraseInDisplay.bind(handler);
  handler.eraseInDisplay = (params, respectsProtection) => {
    const buffer = inside.buffers.active;
    const { x, y, lines } = buffer;
    const throws = params.params[0] === ERASE_ABOVE && x + 1 >= inside.cols;
    if (!throws || lines.get(y + 1) !== undefined) return erase(params, respectsProtection);
    buffer.x = 0;
    erase(params, respectsProtection);
    buffer.x = x;
    return handler.eraseInLine(params, respectsProtection);
  };
}

/** Leaves out what makes xterm throw, with the rest of what came at once: it would never read on. */
function outliveFaults({ _inputHandler: handler }: Inside): void {
  const parse = handler.parse.bind(handler);
  handler.parse = (data, isResumed) => {
    try {
      return parse(data, isResumed);
    } catch {
      handler._parser.reset();
      return undefined;
    }
  };
}

/** Links without a line that are kept; the oldest are forgotten first. */
const MAX_LINES_GONE = 256;
/** Addresses that are longer are not kept. Characters. */
const MAX_URI_CHARS = 4_096;

/**
 * Has an xterm 6 keep links whose last line is gone, within bounds. By itself it forgets them at once, although one may still be
 * open. A new width takes away lines whose text goes on elsewhere, too. Then text looks like a link and is none.
 */
function keepLinks({ _oscLinkService: service }: Inside): void {
  const forget = service._removeMarkerFromLink.bind(service);
  /** Links without lines, with the last line of each, by which they are forgotten. */
  const kept = new Map<Link, object>();
  service._removeMarkerFromLink = (link, line) => {
    const isLast = link.lines.length === 1 && link.lines[0] === line;
    if (!isLast || link.data.uri.length > MAX_URI_CHARS) return forget(link, line);
    link.lines.pop();
    kept.delete(link);
    kept.set(link, line);
    for (const [oldest, last] of kept) {
      if (kept.size <= MAX_LINES_GONE) break;
      kept.delete(oldest);
      // Unless it was written to since.
      if (oldest.lines.push(last) === 1) forget(oldest, last);
      else oldest.lines.pop();
    }
  };
}

/** A flag of a foreground: underlined. */
const UNDERLINED = 0x10000000;
/** Where the style of an underline is, and the plain one. */
const STYLE_SHIFT = 26;
const STYLE_BITS = 7;
const PLAIN = 1;

/**
 * Has an xterm 6 restore a pen with its cursor that is drawn as it says. By itself it forgets style and link with a flag, and
 * has both again at the next change of attributes. The link stays the one that is open, as where no terminal saves it.
 */
function restorePen({ _inputHandler: handler }: Inside): void {
  const restore = handler.restoreCursor.bind(handler);
  handler.restoreCursor = (params) => {
    const restored = restore(params);
    const { fg, extended } = handler._curAttrData;
    const style = (extended._ext >>> STYLE_SHIFT) & STYLE_BITS;
    handler._processUnderline((fg & UNDERLINED) === 0 ? 0 : style || PLAIN, handler._curAttrData);
    return restored;
  };
}

/**
 * Bounds an alternate screen that is opened to the rows there are: after a terminal got lower xterm keeps lines above it, and
 * pulls them in when the terminal gets higher again.
 */
function boundAlternateScreen(inside: Inside): void {
  const { buffers } = inside;
  const activate = buffers.activateAltBuffer.bind(buffers);
  buffers.activateAltBuffer = (fill) => {
    buffers.alt.lines.maxLength = inside.rows;
    activate(fill);
  };
}

/**
 * Prints one character at a time where nothing wraps. There one that is left out puts the cursor into the middle of a wide one, and
 * xterm looks for that only where what came at once begins: the next character was written over its half, or not.
 */
function printAtTheEdge({ coreService, _inputHandler: handler }: Inside): void {
  const print = handler.print.bind(handler);
  handler.print = (data, start, end) => {
    if (coreService.decPrivateModes.wraparound) return print(data, start, end);
    for (let at = start; at < end; at += 1) print(data, at, at + 1);
  };
}

/**
 * Sets a tab stop in the last column where the cursor waits behind it, as VT terminals do. By itself xterm sets one beyond the line,
 * which shows once the terminal gets wider.
 */
function setStopsInside(inside: Inside): void {
  const { _inputHandler: handler } = inside;
  const set = handler.tabSet.bind(handler);
  handler.tabSet = () => {
    const { active } = inside.buffers;
    const { x } = active;
    active.x = Math.min(x, inside.cols - 1);
    set();
    active.x = x;
    return true;
  };
}
