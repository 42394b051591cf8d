import type { Terminal } from '@xterm/xterm';
import { boundCounts } from '../../shared/terminal-counts';

/** Clipboard protocols (OSC 52 and kitty's 5522): programs neither read nor write the clipboard. */
const CLIPBOARD_OSC = [52, 5522] as const;

/**
 * Refuses what a program in a terminal must not make the window do: touch the clipboard, echo the title or
 * settings back as if typed (DECRQSS, window reports), move the window, or burn the CPU with a huge count.
 */
export function guardTerminal(terminal: Pick<Terminal, 'parser'>): void {
  const { parser } = terminal;
  const refuse = () => true;
  for (const code of CLIPBOARD_OSC) parser.registerOscHandler(code, refuse);
  parser.registerDcsHandler({ intermediates: '$', final: 'q' }, refuse);
  parser.registerCsiHandler({ final: 't' }, refuse);
  boundCounts(terminal);
}

const RESET_AFTER_EXIT =
  '\x1b[?1000;1002;1003;1006l\x1b[?2004l\x1b[?1004l\x1b[?25h\x1b[0m\x1b[4l\x1b>';
const LEAVE_ALTERNATE_SCREEN = '\x1b[?1049l';

/**
 * Brings a screen back to normal after its program ended without tidying up: alternate screen, mouse, cursor. The cursor goes back to
 * the end of the output where it left that, and nowhere else.
 */
export function resetAfterExit(terminal: Pick<Terminal, 'buffer' | 'write'>): void {
  // Behind what was written and is not parsed yet.
  terminal.write('', () => {
    const isAlternate = terminal.buffer.active.type === 'alternate';
    terminal.write(isAlternate ? LEAVE_ALTERNATE_SCREEN + RESET_AFTER_EXIT : RESET_AFTER_EXIT);
  });
}

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

/**
 * Plans a paste anew that was agreed to: the program that reads it may be another one by now. Asks only where lines would run that
 * would not have before.
 */
export function planAgain(agreed: PastePlan, bracketed: boolean): PastePlan {
  const plan = planPaste(withoutBrackets(agreed.text), bracketed, () => agreed.hides);
  const needsConsent = plan.runsLines && !agreed.runsLines;
  return { ...plan, needsConsent, removed: agreed.removed };
}
