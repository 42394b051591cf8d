import type { ITheme } from '@xterm/xterm';
import { TerminalPalette } from '../../shared/terminal-palette';
import { bufferText, writeInPieces } from '../../shared/terminal-text';
import { type ExitPayload, FLOW } from '../../shared/terminal-wire';
import { createByteMarkCutter } from '../ui/combining';
import { createCell, type Observable } from './cell';
import type { FileReference } from './file-links';
import type { FramesLink, Viewer, ViewerEvents } from './frames-link';
import { type PastePlan, resetAfterExit } from './guards';
import type { TerminalLook } from './look';
import { holdScrollBar, paceFollowers } from './pacing';
import { createPromptGutter } from './prompt-gutter';
import { createTerminalInput, type TerminalKey } from './terminal-input';
import { createTerminalSearch, type Matches, type TerminalSearch } from './terminal-search';
import { attachFastRenderer, createXterm } from './xterm';

/** One terminal of the host as this window draws it. It keeps its screen, and gets no output, while it is not shown. */
export interface LiveTerminal {
  readonly state: Observable<ViewerState>;
  /** It is on screen. */
  readonly isShown: boolean;
  /** Puts the screen into an element and fits it; gives back how to take it out again. */
  mount(element: HTMLElement): () => void;
  /** Fits the screen to its element, as after a resize. */
  fit(): void;
  /** Goes there, as soon as it is on screen. */
  focus(): void;
  setTheme(theme: ITheme): void;
  setLook(look: TerminalLook): void;
  /** Lets keys and pastes reach the program, or stops them. */
  setInput(allowed: boolean): void;
  /** Answers a program that reads a secret. */
  sendSecret(text: string): void;
  /** Asks first when the program would run each pasted line by itself. */
  paste(text: string): void;
  answerPaste(send: boolean): void;
  readonly find: TerminalSearch['find'];
  readonly endFind: TerminalSearch['end'];
  /** Returns the lines that are below what is on screen; 0 at the bottom. */
  scrolledUp(): number;
  /** Everything it holds, as text. */
  text(): string;
  /** The same once it has had a screen; null before. */
  lastSeen(): string | null;
  selection(): string;
  selectAll(): void;
  /** Scrolls to the prompt before (-1) or after (1). */
  jump(step: 1 | -1): void;
  /** Empties screen and scrollback, here and after a reload; the program is not told. */
  clear(): void;
  dispose(): void;
}

/** RIS: empties screen and scrollback and resets every mode. */
const FULL_RESET = '\x1bc';

/** The dependencies of a live terminal. */
export interface LiveTerminalDeps {
  readonly link: FramesLink;
  readonly theme: ITheme;
  readonly look: TerminalLook;
  /** The lines below what was on screen before a reload. */
  readonly scrolledUp: number;
  /** The text that was seen before a reload of a terminal that its host took along; null for others. */
  readonly lastSeen: string | null;
  /** Tells a command of the agent from a user's shell. */
  readonly isCommand: (terminalId: string) => boolean;
  /** Says whom a key press is for: the program, the app, or copying the selection. */
  readonly keyMeaning: (event: KeyboardEvent) => TerminalKey;
  /** Puts text on the clipboard. */
  copy(text: string): void;
  openLink(target: string): void;
  /** Opens a file that a program named in the user's editor. */
  openFile(terminalId: string, file: FileReference): void;
}

/** Attaches to a terminal of the host. */
export function createLiveTerminal(terminalId: string, deps: LiveTerminalDeps): LiveTerminal {
  const state = createCell<ViewerState>(FRESH_VIEWER);
  const { terminal, fit, search } = createXterm(deps.theme, deps.look, {
    onHover: (link) => state.change({ link }),
    open: deps.openLink,
    openFile: (file) => deps.openFile(terminalId, file),
  });
  // A shell draws the line of its prompt again when it gets a new size; the end of a command's question would be cut off.
  terminal.options.reflowCursorLine = deps.isCommand(terminalId);
  const gutter = createPromptGutter(terminal);
  const palette = new TerminalPalette(terminal);
  let replaying = true;
  let scrolledUp = deps.scrolledUp;
  /** Scrolls to where it was; once what was written is drawn, for only then xterm knows how far it can. */
  const scrollBack = () => {
    if (scrolledUp === 0) return;
    const drawn = terminal.onRender(() => {
      drawn.dispose();
      requestAnimationFrame(() => {
        terminal.scrollLines(-scrolledUp);
        scrolledUp = 0;
      });
    });
  };
  const linesBelow = () => terminal.buffer.active.baseY - terminal.buffer.active.viewportY;
  // Two windows of different sizes would refit each other for ever: only the first screen after attaching fits.
  let fitsNextReplay = true;
  let cut = createByteMarkCutter();
  let unacknowledged = 0;
  let release: (() => void) | null = null;

  const acknowledge = (bytes: number) => {
    unacknowledged += bytes;
    if (unacknowledged < FLOW.ackEvery) return;
    viewer.ack(unacknowledged);
    unacknowledged = 0;
  };
  const write = (bytes: Uint8Array) =>
    writeInPieces(terminal, cut(bytes), () => acknowledge(bytes.byteLength));
  const events: ViewerEvents = {
    onReplay(size) {
      if (state.get().drawn && !replaying) scrolledUp = linesBelow();
      replaying = true;
      cut = createByteMarkCutter();
      // In order with what was written and is not parsed yet, or that would come to stand on the new screen.
      terminal.write(FULL_RESET, () => terminal.resize(size.cols, size.rows));
    },
    onReplayPart: write,
    onCaughtUp() {
      terminal.write('', () => {
        replaying = false;
        state.change({ phase: 'live', refused: null, drawn: true });
        if (fitsNextReplay) fitNow();
        fitsNextReplay = false;
        scrollBack();
      });
    },
    onData: write,
    onExit(exit) {
      resetAfterExit(terminal);
      terminal.options.cursorInactiveStyle = 'none';
      terminal.options.disableStdin = true;
      state.change({ exit, phase: 'live' });
    },
    onRefused(refused) {
      const { lastSeen } = deps;
      if (lastSeen === null || state.get().drawn) return state.change({ refused, phase: 'live' });
      replaying = false;
      terminal.write(lastSeen.replaceAll('\n', '\r\n'), scrollBack);
      terminal.options.disableStdin = true;
      state.change({ refused, phase: 'live', drawn: true });
      fitNow();
    },
    onLinked(linked) {
      fitsNextReplay = true;
      unacknowledged = 0;
      state.change({ phase: linked ? 'loading' : 'lost' });
    },
  };
  terminal.onCursorMove(() => {
    const cursorIsLow = terminal.buffer.active.cursorY * 2 >= terminal.rows;
    if (cursorIsLow !== state.get().cursorIsLow) state.change({ cursorIsLow });
  });
  terminal.onSelectionChange(() => state.change({ selected: terminal.hasSelection() }));
  const viewer: Viewer = deps.link.attach(terminalId, events);

  const input = createTerminalInput(terminal, {
    viewer,
    keyMeaning: deps.keyMeaning,
    copy: deps.copy,
    hasEnded: () => state.get().exit !== null,
    isReplaying: () => replaying,
    askFirst: (paste) => state.change({ paste }),
    leftOut: (leftOut) => {
      if (leftOut !== state.get().leftOut) state.change({ leftOut });
    },
  });
  const searching = createTerminalSearch(terminal, search, (matches) => state.change({ matches }));

  const fitNow = () => {
    if (release === null || replaying) return;
    const size = fit.proposeDimensions();
    if (!size || Number.isNaN(size.cols) || Number.isNaN(size.rows)) return;
    if (size.cols === terminal.cols && size.rows === terminal.rows) return;
    terminal.resize(size.cols, size.rows);
    // What has ended is laid out anew in this window alone.
    if (state.get().exit === null) viewer.resize(size.cols, size.rows);
  };
  let suspended = false;
  /** It was to have the focus before it was on screen. */
  let wanted = false;
  let hadFocus = false;

  return {
    state,
    get isShown() {
      return release !== null;
    },
    fit: fitNow,
    focus: () => {
      wanted = release === null;
      if (!wanted) terminal.focus();
    },
    selection: () => terminal.getSelection(),
    selectAll: () => terminal.selectAll(),
    scrolledUp: linesBelow,
    jump: gutter.jump,
    text: () => bufferText(terminal),
    lastSeen: () => (state.get().drawn ? bufferText(terminal) : null),
    clear: () => {
      terminal.clear();
      viewer.clear();
    },
    mount(element) {
      release?.();
      if (terminal.element) element.append(terminal.element);
      else {
        terminal.open(element);
        // xterm has colours only from here on; a program may have chosen some before.
        palette.restore();
        holdScrollBar(terminal);
        paceFollowers(terminal);
      }
      const drop = attachFastRenderer(terminal);
      if (suspended) {
        suspended = false;
        unacknowledged = 0;
        fitsNextReplay = true;
        viewer.resume();
      }
      const takePaste = (event: ClipboardEvent) => {
        event.preventDefault();
        event.stopPropagation();
        input.paste(event.clipboardData?.getData('text/plain') ?? '');
      };
      element.addEventListener('paste', takePaste, { capture: true });
      element.addEventListener('focusin', fitNow);
      const unmount = () => {
        if (release !== unmount) return;
        release = null;
        element.removeEventListener('paste', takePaste, { capture: true });
        element.removeEventListener('focusin', fitNow);
        drop();
        hadFocus = terminal.element?.contains(document.activeElement) ?? false;
        terminal.element?.remove();
        // What nobody looks at costs nothing; it catches up when it is shown again.
        suspended = true;
        viewer.suspend();
      };
      release = unmount;
      fitNow();
      // One that moves to another place on screen loses the focus to nobody.
      const lost = hadFocus && document.activeElement === document.body;
      if (wanted || lost) terminal.focus();
      wanted = false;
      return unmount;
    },
    setTheme(theme) {
      terminal.options.theme = theme;
      palette.restore();
    },
    setLook(look) {
      terminal.options = look;
      fitNow();
    },
    setInput(allowed) {
      terminal.options.disableStdin = !allowed || state.get().exit !== null;
    },
    sendSecret: input.sendSecret,
    paste: input.paste,
    answerPaste(agreed) {
      const plan = state.get().paste;
      state.change({ paste: null });
      if (plan && agreed) input.sendAgreed(plan);
      terminal.focus();
    },
    find: searching.find,
    endFind: searching.end,
    dispose() {
      viewer.detach();
      release?.();
      terminal.dispose();
    },
  };
}

/** The little that React shows around a terminal. The screen itself never passes through here. */
interface ViewerState {
  /** `loading` until the first replay; `lost` while the connection is down. */
  readonly phase: 'loading' | 'live' | 'lost';
  readonly exit: ExitPayload | null;
  /** It has had a screen, which stays whatever becomes of the terminal host. */
  readonly drawn: boolean;
  /** The cursor is in the lower half of the screen. */
  readonly cursorIsLow: boolean;
  /** The matches of the search that is shown. */
  readonly matches: Matches | null;
  /** The terminal host's reason for refusing to show it. */
  readonly refused: string | null;
  /** The target of the link under the pointer. */
  readonly link: string | null;
  /** Something is selected. */
  readonly selected: boolean;
  /** A paste that waits for the user's consent. */
  readonly paste: PastePlan | null;
  /** The control characters that were left out of the newest paste, until the next key. */
  readonly leftOut: number;
}

const FRESH_VIEWER: ViewerState = {
  phase: 'loading',
  exit: null,
  drawn: false,
  cursorIsLow: false,
  matches: null,
  refused: null,
  link: null,
  selected: false,
  paste: null,
  leftOut: 0,
};
