import type { Pty } from './pty';

/** Answers that may follow each other at once: programs ask a dozen things when they start. */
const BURST = 40;
/** Answers a second in the long run. */
const PER_SECOND = 10;
/** A look at the mode of the terminal holds for this long. Milliseconds. */
const LOOK_MS = 100;

/**
 * One answer of an emulator to a status query: device attributes, status and cursor reports, modes, colours, version.
 * Shift and F3 look like a cursor report; a program that reads keys gets them all the same.
 */
const ANSWER =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what it looks for
  /\x1b\[[?>=]?[\d;]*(?:c|n|R|\$y)|\x1b\]\d+;[^\x07\x1b]*(?:\x07|\x1b\\)|\x1bP[^\x1b]*\x1b\\/g;

/**
 * A query that every emulator answers, or the mark (mode 2004, bracketed paste) by which a shell begins to read a line and
 * ends it.
 */
const QUERY_OR_MARK =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what it looks for
  /\x1b\[(?:\?2004([hl])|[>?]?[\d;]*(?:c|[56]n|\$p))|\x1b\](?:4|1[012])(?:;[^;\x07\x1b]*)+(?:\x07|\x1b\\)|\x1bP\$q/g;
/** A query of one sequence that is asked for several colours. */
const COLOURS = /;\?/g;
/** The last sequence of a text, with what follows it; a string with what ends it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what it looks for
const LAST = /(?:\x1b[\]P][^\x07\x1b]*)?\x1b[^\x1b]*$/;
/** More of an unfinished sequence is not kept. Characters. */
const MAX_REST = 256;
/** An answer that has not come by then comes no more. Milliseconds. */
const LATE_MS = 5_000;

/** Longer input is typed or pasted. Bytes. */
const MAX_ANSWER_BYTES = 4_096;

/** Returns the number of answers that an input consists of; 0 when something else is in it. Pure. */
export function answersIn(bytes: Uint8Array): number {
  if (bytes[0] !== 0x1b || bytes.byteLength > MAX_ANSWER_BYTES) return 0;
  const text = Buffer.from(bytes).toString('latin1');
  const rest = text.replace(ANSWER, '');
  return rest === '' ? (text.match(ANSWER)?.length ?? 0) : 0;
}

/** Returns how many answers a query asks for; 0 for one that sets a colour. Pure. */
const questionsIn = (query: string): number =>
  query.startsWith('\x1b]') ? (query.match(COLOURS)?.length ?? 0) : 1;

/** The parts a gate works with. */
interface ReplyGateOptions {
  readonly pty: Pick<Pty, 'pid' | 'write' | 'foreground' | 'readsKeys'>;
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  failed(error: unknown): void;
}

/**
 * Lets the answers of an emulator through to the program that asked, at a bounded rate. They are dropped when another
 * program has the terminal by now, when it reads whole lines, or when a shell reads its next line, which no query before it was
 * about: they would be typed where nobody waits for them.
 */
export class ReplyGate {
  readonly #options: ReplyGateOptions;
  #left = BURST;
  #filledAt: number;
  #asker: number | null = null;
  /** The shell that the terminal began with runs a line, as far as its marks tell. */
  #runsLine = false;
  /** Queries that came from that line, and were not answered yet. */
  #asked = 0;
  /** Answers that nobody waits for any more. */
  #late = 0;
  /** A sequence at the end of the output that may go on. */
  #rest = '';
  #lateSince = 0;
  #looked: { readonly at: number; readonly reads: Promise<boolean> } | null = null;

  constructor(options: ReplyGateOptions) {
    this.#options = options;
    this.#filledAt = options.now();
  }

  /** Notes who may have asked. */
  output(chunk: Uint8Array): void {
    if (!chunk.includes(0x1b) && this.#rest === '') return;
    const { pty, now } = this.#options;
    this.#asker = pty.foreground();
    for (const [query, mark] of this.#whole(chunk).matchAll(QUERY_OR_MARK)) {
      if (mark === undefined) this.#asked += this.#runsLine ? questionsIn(query) : 0;
      else if (mark === 'l') this.#runsLine = true;
      else if (this.#runsLine && this.#asker === pty.pid) {
        // What a line before it asked may still be answered, too: lines can be typed ahead.
        this.#forgetOld();
        if (this.#asked > 0) this.#lateSince = now();
        this.#late += this.#asked;
        this.#asked = 0;
        this.#runsLine = false;
      }
    }
  }

  /** Returns the sequences that end in `chunk`; the last one waits for the next chunk unless something is known of it. */
  #whole(chunk: Uint8Array): string {
    const text = this.#rest + Buffer.from(chunk).toString('latin1');
    const [last = ''] = LAST.exec(text) ?? [];
    const isOpen = last !== '' && last.length <= MAX_REST && last.search(QUERY_OR_MARK) !== 0;
    this.#rest = isOpen ? last : '';
    return isOpen ? text.slice(0, -last.length) : text;
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
    const { pty } = this.#options;
    if (this.#areLate(answers)) return;
    if (!this.#take(answers) || !this.#isAskers() || !(await this.#readsKeys())) return;
    if (this.#isAskers()) pty.write(bytes);
  }

  #take(answers: number): boolean {
    const now = this.#options.now();
    this.#left = Math.min(BURST, this.#left + ((now - this.#filledAt) / 1000) * PER_SECOND);
    this.#filledAt = now;
    if (this.#left < answers) return false;
    this.#left -= answers;
    return true;
  }

  /** Tells whether answers belong to what a shell ran before its prompt, and counts them. */
  #areLate(answers: number): boolean {
    this.#forgetOld();
    const areLate = this.#late > 0;
    if (areLate) this.#late = Math.max(0, this.#late - answers);
    else this.#asked = Math.max(0, this.#asked - answers);
    return areLate;
  }

  #forgetOld(): void {
    if (this.#options.now() - this.#lateSince > LATE_MS) this.#late = 0;
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
