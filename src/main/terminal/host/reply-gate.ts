import { DueAnswers } from './due-answers';
import type { Pty } from './pty';
import { QueryScanner, type Sign } from './query-scanner';
import { QuerySource } from './query-source';

/** Answers that may follow each other at once: programs ask a dozen things when they start. */
const BURST = 40;
/** Answers a second in the long run. */
const PER_SECOND = 10;
/** A look at the mode of the terminal holds for this long. Milliseconds. */
const LOOK_MS = 100;
/** A look at who prints holds for this long. Milliseconds. */
const SOURCE_MS = 20;

/**
 * One answer of an emulator to a status query: device attributes, status and cursor reports, modes, colours, version.
 * Shift and F3 look like a cursor report; a program that reads keys gets them all the same.
 */
const ANSWER =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what it looks for
  /\x1b\[[?>=]?[\d;]*(?:c|n|R|\$y)|\x1b\]\d+;[^\x07\x1b]*(?:\x07|\x1b\\)|\x1bP[^\x1b]*\x1b\\/g;

/** Programs that mark the lines they read, and ask nothing right before. */
const SHELLS: ReadonlySet<string> = new Set(['bash', 'zsh', 'fish']);
/** More programs that marked a line are not remembered: shells in shells. */
const MAX_READERS = 16;

/** Longer input is typed or pasted. Bytes. */
const MAX_ANSWER_BYTES = 4_096;

/** Returns the number of answers that an input consists of; 0 when something else is in it. Pure. */
export function answersIn(bytes: Uint8Array): number {
  if (bytes[0] !== 0x1b || bytes.byteLength > MAX_ANSWER_BYTES) return 0;
  const text = Buffer.from(bytes).toString('latin1');
  const rest = text.replace(ANSWER, '');
  return rest === '' ? (text.match(ANSWER)?.length ?? 0) : 0;
}

/** The parts a gate works with. */
interface ReplyGateOptions {
  readonly pty: Pick<
    Pty,
    'pid' | 'write' | 'foreground' | 'programOf' | 'readsKeys' | 'writtenBy' | 'isPaused'
  >;
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  failed(error: unknown): void;
}

/**
 * Lets the answers of an emulator through to the program that asked, at a bounded rate. They are dropped when another program has
 * the terminal by now, when the background asked beside a shell at its prompt, when whole lines are read, or when a shell reads its
 * next line, which no query before it was about: they would be typed where nobody waits for them. A program that reads key by key and
 * marks no lines (Node's prompt, older ones of Python) cannot be told from one that asks: what it prints is answered.
 */
export class ReplyGate {
  readonly #options: ReplyGateOptions;
  readonly #scanner = new QueryScanner();
  readonly #due: DueAnswers;
  readonly #source: QuerySource;
  #left = BURST;
  #filledAt: number;
  #asker: number | null = null;
  /** The shell that the terminal began with runs a line, as far as its marks tell. */
  #runsLine = false;
  /** Programs that have marked a line that they read. */
  readonly #readers = new Set<number>();
  #isAlternate = false;
  /** The one that has the terminal is a shell; null until that is looked up. */
  #isShell: boolean | null = null;
  #looked: { readonly at: number; readonly reads: Promise<boolean> } | null = null;
  #sourceLook: { readonly at: number; readonly isBehind: boolean } | null = null;

  constructor(options: ReplyGateOptions) {
    this.#options = options;
    this.#filledAt = options.now();
    this.#due = new DueAnswers(options.now);
    this.#source = new QuerySource(options.pty);
  }

  /** Notes who may have asked, and returns the signs in their output. */
  output(chunk: Uint8Array): readonly Sign[] {
    const signs = this.#scanner.scan(chunk);
    this.#source.output();
    if (signs === null) return [];
    this.#asker = this.#options.pty.foreground();
    this.#isShell = null;
    for (const sign of signs) this.#note(sign);
    return signs;
  }

  close(): void {
    this.#source.end();
  }

  #note(sign: Sign): void {
    if (sign.kind === 'query') this.#due.asked(sign.answers, this.#isFromBehind());
    else if (sign.kind === 'screen') this.#isAlternate = sign.isAlternate;
    else this.#noteMark(sign);
  }

  #noteMark(mark: Sign & { readonly kind: 'reads' | 'runs' }): void {
    this.#sourceLook = null;
    if (mark.kind === 'reads') {
      // What makes a prompt may ask; once a line is typed, its shell does not.
      if (mark.isEditing && this.#asker !== null && this.#looksShell())
        this.#source.begin(this.#asker);
      else this.#source.end();
      if (this.#runsLine && this.#asker !== null) this.#beginLine(this.#asker, mark.last);
      return;
    }
    this.#source.end();
    // What was asked before a line is not what the line asks.
    if (!this.#runsLine) this.#due.forgetWanted();
    this.#runsLine = true;
  }

  /** Tells whether the background asks. */
  #isFromBehind(): boolean {
    const at = this.#options.now();
    if (this.#sourceLook === null || at - this.#sourceLook.at > SOURCE_MS) {
      this.#sourceLook = { at, isBehind: this.#source.isBehind(this.#asker) };
    }
    return this.#sourceLook.isBehind;
  }

  /** Tells whether the one that has the terminal is a shell. Looks once for a piece of output, which may hold thousands of marks. */
  #looksShell(): boolean {
    if (this.#asker === null) return false;
    this.#isShell ??= SHELLS.has(this.#options.pty.programOf(this.#asker) ?? '');
    return this.#isShell;
  }

  /** Notes that `reader` reads its next line, unless it is a program that begins, and asked before its first one. */
  #beginLine(reader: number, last: Sign | null): void {
    const isShell = this.#looksShell();
    if (reader !== this.#options.pty.pid && !isShell && !this.#readsAgain(reader)) return;
    // Line editors of other programs ask where the cursor is right before each line.
    const isOwn = !isShell && last?.kind === 'query' && last.isPosition;
    // What a line before it asked may still be answered, too: lines can be typed ahead.
    this.#due.giveUp(isOwn ? 1 : 0);
    this.#runsLine = false;
  }

  /** Tells whether a program has marked a line before. Editors with a screen of their own read no lines. */
  #readsAgain(program: number): boolean {
    if (this.#isAlternate) return false;
    const readsAgain = this.#readers.has(program);
    this.#readers.add(program);
    const [oldest] = this.#readers;
    if (this.#readers.size > MAX_READERS && oldest !== undefined) this.#readers.delete(oldest);
    return readsAgain;
  }

  /** Takes input that consists of answers, to pass it on or drop it; returns false for any other. */
  takes(bytes: Uint8Array): boolean {
    const answers = answersIn(bytes);
    if (answers === 0) return false;
    this.pass(bytes, answers).catch(this.#options.failed);
    return true;
  }

  /** Passes on some answers, or drops them. */
  async pass(bytes: Uint8Array, answers: number): Promise<void> {
    if (this.#due.came(answers)) return;
    if (!this.#take(answers) || !this.#isAskers() || !(await this.#readsKeys())) return;
    if (this.#isAskers()) this.#options.pty.write(bytes);
  }

  #take(answers: number): boolean {
    const now = this.#options.now();
    this.#left = Math.min(BURST, this.#left + ((now - this.#filledAt) / 1000) * PER_SECOND);
    this.#filledAt = now;
    if (this.#left < answers) return false;
    this.#left -= answers;
    return true;
  }

  #isAskers(): boolean {
    return this.#asker === null || this.#options.pty.foreground() === this.#asker;
  }

  #readsKeys(): Promise<boolean> {
    const now = this.#options.now();
    if (this.#looked === null || now - this.#looked.at > LOOK_MS)
      this.#looked = { at: now, reads: this.#options.pty.readsKeys() };
    return this.#looked.reads;
  }
}
