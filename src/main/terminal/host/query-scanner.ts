/** A sequence in the output of a terminal that says whether a program waits for an answer. */
export type Sign =
  /** A query that every emulator answers so many times; `isPosition`: where the cursor is. */
  | { readonly kind: 'query'; readonly answers: number; readonly isPosition: boolean }
  /** The mark by which a shell begins to read a line; `last`: the sign that it directly follows; `isEditing`: the line can be typed, and its prompt is there. */
  | { readonly kind: 'reads'; readonly last: Sign | null; readonly isEditing: boolean }
  /** The mark by which a shell runs the line that it has read. */
  | { readonly kind: 'runs' }
  | { readonly kind: 'screen'; readonly isAlternate: boolean };

/** Control characters that a terminal carries out or passes over inside of a sequence. */
const INNER = '\\x00-\\x17\\x19\\x1c-\\x1f\\x7f';
const INNERS = new RegExp(`[${INNER}]`, 'g');
/** A whole sequence that may be a sign: a mode, a report, a string up to its end, a reset. */
const CANDIDATE = new RegExp(
  `\\x1b[${INNER}]*(?:\\[[>?\\d;:${INNER}]*(?:[cnhl]|\\$[${INNER}]*p)|\\][^\\x07\\x18\\x1a\\x1b]*(?=[\\x07\\x1b])|P[${INNER}]*\\$[${INNER}]*q|c)`,
  'g',
);

/** Device attributes, a status or cursor report, a mode, a setting. The first number counts, further ones do not. */
const REPORT =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what it looks for
  /^\x1b(?:\[(?:>?0*(?:[;:].*)?c|0*5(?:[;:].*)?n|\??0*(6)(?:[;:].*)?n|\??[\d;:]*\$p)|P\$q)$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what it looks for
const MODES = /^\x1b\[\?([\d;:]*)([hl])$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what it looks for
const COLOURS = /^\x1b\]0*(4|1[012]);(.*)$/;
/** Shells of ours say where a prompt begins, and where a command does, also without bracketed paste. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what it looks for
const PROMPT = /^\x1b\]0*133;([AC])(?:;|$)/;
const RESET = '\x1bc';

const BRACKETED_PASTE = 2004;
const ALTERNATE_SCREEN: ReadonlySet<number> = new Set([47, 1047, 1049]);
/** The last of text, background and cursor, which one query can ask for in a row. */
const LAST_COLOUR = 12;

/** The last sequence of a text, with what follows it; a string with what ends it; or half of a C1 control. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what it looks for
const LAST = /(?:\x1b[\]P][^\x07\x1b]*)?\x1b[^\x1b]*$|\xc2$/;
/** More of an unfinished sequence is not kept. Characters. */
const MAX_REST = 4_096;
const [ESC, LEAD] = [0x1b, 0xc2];

/** Returns text without C1 controls: the two bytes of each (UTF-8, here as Latin 1) become an ESC and a letter. */
const withoutC1 = (text: string): string =>
  text.replace(/\xc2([\x80-\x9f])/g, (_, control: string) => {
    return `\x1b${String.fromCharCode(control.charCodeAt(0) - 0x40)}`;
  });

/** Finds queries and the marks of shells in output that comes in any pieces. */
export class QueryScanner {
  /** A sequence at the end of the output that may go on. */
  #rest = '';
  /** The sign that the output ends with; null when anything follows it. */
  #last: Sign | null = null;

  /** Returns the signs that `chunk` completes, in order; null when no sequence is in it. */
  scan(chunk: Uint8Array): readonly Sign[] | null {
    if (this.#rest === '' && !chunk.includes(ESC) && !chunk.includes(LEAD)) {
      if (chunk.byteLength > 0) this.#last = null;
      return null;
    }
    const text = withoutC1(this.#rest + Buffer.from(chunk).toString('latin1'));
    const signs: Sign[] = [];
    let end = 0;
    for (const { 0: found, index } of text.matchAll(CANDIDATE)) {
      const meant = signsOf(found.replace(INNERS, ''), index === end ? this.#last : null);
      signs.push(...meant);
      this.#last = meant.at(-1) ?? null;
      end = index + found.length;
    }
    if (end < text.length) this.#keep(text.slice(end));
    else this.#rest = '';
    return text.includes('\x1b') ? signs : null;
  }

  #keep(tail: string): void {
    const [last = ''] = LAST.exec(tail) ?? [];
    this.#rest = last.length <= MAX_REST ? last : '';
    if (this.#rest.length < tail.length) this.#last = null;
  }
}

/** Returns the meaning of a whole sequence; `last` is the sign that it directly follows. */
function signsOf(sequence: string, last: Sign | null): readonly Sign[] {
  if (sequence === RESET) return [{ kind: 'screen', isAlternate: false }];
  const [report, position] = REPORT.exec(sequence) ?? [];
  if (report !== undefined)
    return [{ kind: 'query', answers: 1, isPosition: position !== undefined }];
  const [, first, specs = ''] = COLOURS.exec(sequence) ?? [];
  if (first !== undefined) return coloursAsked(Number(first), specs);
  const [, prompt] = PROMPT.exec(sequence) ?? [];
  if (prompt !== undefined)
    return [prompt === 'A' ? { kind: 'reads', last, isEditing: false } : { kind: 'runs' }];
  const [, modes = '', set] = MODES.exec(sequence) ?? [];
  return modes.split(';').flatMap((mode): readonly Sign[] => {
    const number = Number.parseInt(mode, 10);
    if (ALTERNATE_SCREEN.has(number)) return [{ kind: 'screen', isAlternate: set === 'h' }];
    if (number !== BRACKETED_PASTE) return [];
    return [set === 'h' ? { kind: 'reads', last, isEditing: true } : { kind: 'runs' }];
  });
}

function coloursAsked(first: number, specs: string): readonly Sign[] {
  const asked = specs.split(';').filter((spec) => spec === '?').length;
  const answers = first === 4 ? asked : Math.min(asked, LAST_COLOUR + 1 - first);
  return answers === 0 ? [] : [{ kind: 'query', answers, isPosition: false }];
}
