import type { IDisposable, Terminal } from '@xterm/xterm';

/**
 * The largest count a control sequence may carry. `CSI 2147483647 S` keeps xterm 6.0 busy for many seconds
 * (docs/security.md 14); no honest program scrolls, inserts or repeats more than this at once.
 */
export const MAX_COUNT = 10_000;

/** Sequences that repeat something as often as their parameter says: insert, delete, scroll, tab, erase, repeat, move. */
const COUNTING_FINALS = [...'@ABCDEFGILMPSTXZ`abde'];

/** Returns true when a parameter of a control sequence exceeds {@link MAX_COUNT}. */
export const isExcessive = (params: readonly (number | number[])[]): boolean =>
  params.some((p) => (Array.isArray(p) ? isExcessive(p) : p > MAX_COUNT));

/** Clipboard protocols (OSC 52 and kitty's 5522): programs neither read nor write the clipboard. */
const CLIPBOARD_OSC = [52, 5522] as const;

/**
 * Refuses what a program in a terminal must not make the window do: touch the clipboard, echo the title or
 * settings back as if typed (DECRQSS, window reports), move the window, or burn the CPU with a huge count.
 */
export function guardTerminal(terminal: Pick<Terminal, 'parser'>): IDisposable {
  const { parser } = terminal;
  const refuse = () => true;
  const guards: IDisposable[] = [
    ...CLIPBOARD_OSC.map((code) => parser.registerOscHandler(code, refuse)),
    parser.registerDcsHandler({ intermediates: '$', final: 'q' }, refuse),
    parser.registerCsiHandler({ final: 't' }, refuse),
    ...COUNTING_FINALS.map((final) => parser.registerCsiHandler({ final }, isExcessive)),
    ...['@', 'A'].map((final) =>
      parser.registerCsiHandler({ intermediates: ' ', final }, isExcessive),
    ),
    ...['}', '~'].map((final) =>
      parser.registerCsiHandler({ intermediates: "'", final }, isExcessive),
    ),
  ];
  return {
    dispose() {
      for (const guard of guards) guard.dispose();
    },
  };
}

/** Brings a screen back to normal after its program ended without tidying up: alternate screen, mouse, cursor. */
export const RESET_AFTER_EXIT =
  '\x1b[?1049l\x1b[?1000;1002;1003;1006l\x1b[?2004l\x1b[?1004l\x1b[?25h\x1b[0m\x1b[4l\x1b>';

/** The effect of a paste, decided before a byte is sent. */
export interface PastePlan {
  /** The text to send, line ends as Return. */
  readonly text: string;
  /** The user is asked first: the program would run each line as it arrives, or something in it does not show. */
  readonly needsConsent: boolean;
  /** The program would run each line as it arrives. */
  readonly runsLines: boolean;
  /** Some characters in it do not show. */
  readonly hides: boolean;
  readonly lines: number;
  /** Control characters that were taken out. */
  readonly removed: number;
}

const START = '\x1b[200~';
const END = '\x1b[201~';

/** Returns the text of a paste without the marks that tell a program where it begins and ends. */
export const withoutBrackets = (text: string): string =>
  text.startsWith(START) ? text.slice(START.length, -END.length) : text;

/**
 * Plans a paste. Control characters other than tab and line ends are removed: they act like keys, and an
 * escape could end the bracket early and run the rest. `hidesSomething` tells of characters that do not show.
 */
export function planPaste(
  text: string,
  bracketed: boolean,
  hidesSomething: (text: string) => boolean,
): PastePlan {
  const unified = text.replace(/\r\n?/g, '\n');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
  const clean = unified.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '');
  const body = clean.replaceAll('\n', '\r');
  const runsLines = !bracketed && clean.includes('\n');
  const hides = hidesSomething(clean);
  return {
    text: bracketed ? START + body + END : body,
    needsConsent: runsLines || hides,
    runsLines,
    hides,
    lines: clean.replace(/\n$/, '').split('\n').length,
    removed: unified.length - clean.length,
  };
}
