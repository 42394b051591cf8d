import type { Terminal } from '@xterm/xterm';
import { focusHome } from '../ui/Dialog';
import { hidesSomething } from '../ui/visible-text';
import type { Viewer } from './frames-link';
import { type PastePlan, planAgain, planPaste } from './guards';

/** The receiver of a key press in a focused terminal. */
export type TerminalKey = 'program' | 'app' | 'copy';

/** The ways in which a user's input reaches the program, besides the keys that the terminal itself reads. */
interface TerminalInput {
  /** Answers a program that reads a secret. */
  sendSecret(text: string): void;
  /** Sends a pasted text, or asks first. */
  paste(text: string): void;
  /** Sends a paste that the user agreed to. */
  sendAgreed(plan: PastePlan): void;
}

interface TerminalInputOptions {
  readonly viewer: Pick<Viewer, 'input' | 'secret'>;
  /** Says whom a key press is for. */
  readonly keyMeaning: (event: KeyboardEvent) => TerminalKey;
  /** Puts text on the clipboard. */
  copy(text: string): void;
  /** Returns whether the program has ended. */
  hasEnded(): boolean;
  /** Returns whether the screen is being drawn anew from what the host kept. */
  isReplaying(): boolean;
  /** Asks for the user's consent to a paste. */
  askFirst(plan: PastePlan): void;
  /** Tells how many control characters were left out of a paste; 0 when the next input comes. */
  leftOut(count: number): void;
}

/** Returns true for what an emulator answers as soon as a program wishes for reports of its focus. */
const isFocusReport = (text: string): boolean => text === '\x1b[I' || text === '\x1b[O';

/** The keys with which a user leaves a terminal that takes no input. */
const LEAVES: ReadonlySet<string> = new Set(['Tab', 'Escape']);

/** Sends what a user types and pastes into a terminal to its program. */
export function createTerminalInput(
  terminal: Terminal,
  options: TerminalInputOptions,
): TerminalInput {
  const { viewer } = options;
  const encoder = new TextEncoder();

  const send = (bytes: Uint8Array) => {
    // Of two windows on one terminal only the one in use may answer what a program asks of the emulator.
    if (document.hasFocus() && !options.hasEnded()) viewer.input(bytes);
  };
  terminal.onData((text) => {
    // A screen that is drawn anew asks for nothing but this. Keys go through: they may be what ends a flood.
    if (!options.isReplaying() || !isFocusReport(text)) send(encoder.encode(text));
  });
  terminal.onKey(() => options.leftOut(0));
  terminal.onBinary((text) => send(Uint8Array.from(text, (c) => c.charCodeAt(0) & 0xff)));
  terminal.attachCustomKeyEventHandler((event) => {
    // Where nothing can be typed, the keys that leave a place leave it.
    if (terminal.options.disableStdin === true && LEAVES.has(event.key)) {
      if (event.key === 'Escape' && event.type === 'keydown') focusHome();
      return false;
    }
    const meaning = options.keyMeaning(event);
    if (meaning !== 'copy') return meaning === 'program';
    // Otherwise the browser takes it for a shortcut of its own.
    event.preventDefault();
    if (event.type === 'keydown' && terminal.hasSelection()) options.copy(terminal.getSelection());
    return false;
  });

  const carryOut = (plan: PastePlan) => {
    if (terminal.options.disableStdin === true) return;
    if (plan.needsConsent) options.askFirst(plan);
    else send(encoder.encode(plan.text));
  };
  const isBracketed = () => terminal.modes.bracketedPasteMode;
  return {
    sendSecret: (text) => viewer.secret(encoder.encode(`${text}\r`)),
    paste: (text) => {
      if (text === '') return;
      const plan = planPaste(text, isBracketed(), hidesSomething);
      carryOut(plan);
      const isSent = !plan.needsConsent && terminal.options.disableStdin !== true;
      options.leftOut(isSent ? plan.removed : 0);
    },
    sendAgreed: (plan) => carryOut(planAgain(plan, isBracketed())),
  };
}
