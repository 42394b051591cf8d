import { hostname } from 'node:os';
import { BLANK_CHARACTERS } from '../../../shared/blank-characters';

/** Facts about a terminal that its program announces, or that follow from who looks at it. */
export interface AnnouncedFacts {
  readonly programTitle?: string;
  readonly cwd?: string;
  /** It rang while nobody looked. */
  readonly bell: boolean;
  /** It has printed since somebody last looked. */
  readonly unread: boolean;
}

/** Programs may announce thousands of titles a second; clients are told at most once in this time. Milliseconds. */
const TELL_MS = 100;
const MAX_TITLE_CHARS = 200;
const MAX_CWD_CHARS = 4_096;
/** The part of one announcement that is kept. Bytes. */
const MAX_BODY_BYTES = 8_192;

/** Follows what a program announces in its output, and tells of changes a little later. */
export class Announcements {
  readonly #changed: (facts: AnnouncedFacts) => void;
  readonly #scanner = new AnnouncementScanner();
  #facts: AnnouncedFacts = { bell: false, unread: false };
  #told = this.#facts;
  #wasSeen = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(changed: (facts: AnnouncedFacts) => void) {
    this.#changed = changed;
  }

  /** Looks through output. `isSeen`: somebody has it on screen. */
  output(batch: Buffer, isSeen: boolean): void {
    const { rang, ...announced } = this.#scanner.scan(batch);
    this.#change({
      ...announced,
      ...(rang && !isSeen ? { bell: true } : {}),
      // One that nobody has opened yet is new as a whole.
      ...(this.#wasSeen && !isSeen ? { unread: true } : {}),
    });
  }

  /** Notes that somebody has it on screen now. */
  seen(): void {
    this.#wasSeen = true;
    this.#change({ bell: false, unread: false });
  }

  /** Tells what is not told yet, and nothing later. */
  close(): void {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#tell();
  }

  #change(change: Partial<AnnouncedFacts>): void {
    const names = Object.keys(change) as (keyof AnnouncedFacts)[];
    if (names.every((name) => this.#facts[name] === change[name])) return;
    this.#facts = { ...this.#facts, ...change };
    this.#timer ??= setTimeout(() => this.#tell(), TELL_MS);
  }

  #tell(): void {
    this.#timer = null;
    if (this.#told === this.#facts) return;
    this.#told = this.#facts;
    this.#changed(this.#facts);
  }
}

/** The announcements of one batch of output; the last of each kind counts. */
interface Announced {
  readonly programTitle?: string;
  readonly cwd?: string;
  readonly rang: boolean;
}

const [BEL, CAN, SUB, ESC] = [0x07, 0x18, 0x1a, 0x1b];
const OSC = Buffer.from('\x1b]');
/** C1 controls in UTF-8: their first byte, and the second one of those that end (ST) and begin a string (OSC). */
const [C1, ST, C1_OSC] = [0xc2, 0x9c, 0x9d];

/** Finds titles (OSC 0 and 2), working directories (OSC 7) and bells in output that comes in any pieces. */
export class AnnouncementScanner {
  /** The pieces of an announcement that is not complete; null outside. */
  #body: Buffer[] | null = null;
  #bodyBytes = 0;
  /** The last batch ended with an ESC outside of an announcement. */
  #escaped = false;
  /** The last batch ended with the first byte of what may be a C1 control. */
  #isHalf = false;

  scan(output: Buffer): Announced {
    const batch = this.#withoutC1(output);
    let announced: Announced = { rang: false };
    if (batch.byteLength === 0) return announced;
    let at = 0;
    if (this.#escaped && batch[0] === 0x5d) {
      this.#begin();
      at = 1;
    }
    this.#escaped = false;
    let bell = batch.indexOf(BEL, at);
    while (at < batch.byteLength) {
      if (this.#body !== null) {
        const end = endOfBody(batch, at);
        this.#keep(batch.subarray(at, end));
        if (end === batch.byteLength) return announced;
        if (batch[end] === BEL || batch[end] === ESC) announced = { ...announced, ...this.#take() };
        this.#body = null;
        // The ESC may begin what comes next.
        at = batch[end] === ESC ? end : end + 1;
        continue;
      }
      const osc = batch.indexOf(OSC, at);
      const end = osc < 0 ? batch.byteLength : osc;
      // Looked for anew only when it is behind: a batch may have thousands of announcements.
      if (bell >= 0 && bell < at) bell = announced.rang ? -1 : batch.indexOf(BEL, at);
      if (bell >= 0 && bell < end) announced = { ...announced, rang: true };
      if (osc < 0) break;
      this.#begin();
      at = osc + OSC.byteLength;
    }
    this.#escaped = this.#body === null && batch.at(-1) === ESC;
    return announced;
  }

  /** Returns output with C1 controls as an ESC and a character, which are as long. */
  #withoutC1(output: Buffer): Buffer {
    if (!this.#isHalf && !output.includes(C1)) return output;
    const all = Buffer.concat([Buffer.from(this.#isHalf ? [C1] : []), output]);
    this.#isHalf = all.at(-1) === C1;
    const batch = this.#isHalf ? all.subarray(0, -1) : all;
    for (let at = batch.indexOf(C1); at >= 0; at = batch.indexOf(C1, at + 2)) {
      const control = batch[at + 1];
      if (control === ST || control === C1_OSC) batch.set([ESC, control - 0x40], at);
    }
    return batch;
  }

  #begin(): void {
    this.#body = [];
    this.#bodyBytes = 0;
  }

  #keep(piece: Buffer): void {
    this.#bodyBytes += piece.byteLength;
    // A copy: the batch is not ours to hold on to.
    if (this.#bodyBytes <= MAX_BODY_BYTES) this.#body?.push(Buffer.from(piece));
  }

  /** Returns the meaning of the announcement that is complete now; nothing when it is too long or another kind. */
  #take(): Partial<Announced> {
    if (this.#bodyBytes > MAX_BODY_BYTES) return {};
    const text = Buffer.concat(this.#body ?? []).toString('utf8');
    const [, code, value = ''] = /^(\d+);(.*)$/s.exec(text) ?? [];
    if (code === '0' || code === '2') return { programTitle: plainTitle(value) };
    const cwd = code === '7' ? folderOf(value, hostname()) : null;
    return cwd === null ? {} : { cwd };
  }
}

/** Returns where an announcement ends in a batch; its length when it goes on. */
function endOfBody(batch: Buffer, from: number): number {
  for (let at = from; at < batch.byteLength; at += 1) {
    const byte = batch[at];
    if (byte === BEL || byte === ESC || byte === CAN || byte === SUB) return at;
  }
  return batch.byteLength;
}

/** Returns a title without what does not show or turns text around; bounded, and empty when it would look so. */
export const plainTitle = (title: string): string =>
  (PLAIN.test(title) ? title : withoutHidden(title))
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_TITLE_CHARS)
    .toWellFormed();

const PLAIN = /^[\x20-\x7e]*$/;

/** Removes what is hidden, outside of emoji; what only takes room becomes a space. */
function withoutHidden(title: string): string {
  // Only here, where it is needed: these expressions take long to read.
  const hidden = /(\p{RGI_Emoji})|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{DI}]/gv;
  const blank = new RegExp(`[\\u115F\\u1160\\u3164\\uFFA0${BLANK_CHARACTERS}]`, 'gv');
  return title.replace(blank, ' ').replace(hidden, '$1');
}

/** Returns the folder that an OSC 7 names; null when it is none of this machine. */
export function folderOf(value: string, thisHost: string): string | null {
  const [, host = '', encoded = ''] = /^file:\/\/([^/]*)(\/.*)$/s.exec(value) ?? [];
  if (host !== '' && host !== 'localhost' && host !== thisHost) return null;
  const path = decoded(encoded);
  return path === null || path === '' || path.length > MAX_CWD_CHARS || /\p{Cc}/u.test(path)
    ? null
    : path;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
