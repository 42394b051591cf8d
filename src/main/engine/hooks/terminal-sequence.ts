import { plainLine, withoutHidden } from '../../../shared/plain-line';
import type { TerminalSequences, TerminalSignal } from '../../../shared/terminal-signal';

/** A text that was looked through: what of it may be emitted, and the names of what was dropped. */
export interface ReadSequences extends TerminalSequences {
  readonly dropped: readonly string[];
}

/** The most sequences of one answer; a bell counts as one. */
const MAX_SEQUENCES = 20;
/** The longest text of one sequence. UTF-16 units. */
const MAX_TEXT = 2_000;
/** Ends what is looked at of an answer. UTF-16 units. */
const MAX_INPUT = 20_000;
const MAX_TITLE = 200;
const MAX_BODY = 1_000;

const [BEL, ESC] = ['\u0007', '\u001b'];
/** The same as `ESC ]` and `ESC \`, in one character. */
const [C1_OSC, C1_ST] = ['\u009d', '\u009c'];

/** Titles and notifications, by the number of their sequence (docs/hooks.md). */
const TITLES: ReadonlySet<string> = new Set(['0', '1', '2']);
const NOTIFICATIONS: ReadonlySet<string> = new Set(['9', '99', '777']);

/** The part of a text that one step of the reader takes. */
interface Piece {
  readonly end: number;
  /** A sequence that may be emitted, made anew of its parts. */
  readonly sequence?: string;
  /** The name of something that may not. */
  readonly dropped?: string;
  /** The number and text of a sequence that may be emitted. */
  readonly osc?: readonly [code: string, text: string];
}

/**
 * Looks through the text that a hook wants emitted. Only titles, notifications and bells are passed on, and each is made
 * anew of its parts, so that nothing else can come along. Pure; never throws.
 */
export function readTerminalSequence(text: string): ReadSequences {
  const input = text.slice(0, MAX_INPUT);
  const sequences: string[] = [];
  const oscs: (readonly [code: string, text: string] | null)[] = [];
  const dropped = new Set<string>();
  for (let at = 0; at < input.length; ) {
    const piece = pieceAt(input, at);
    at = piece.end;
    if (piece.dropped !== undefined) dropped.add(piece.dropped);
    if (piece.sequence === undefined) continue;
    if (sequences.length === MAX_SEQUENCES) dropped.add(`more than ${MAX_SEQUENCES} sequences`);
    else {
      sequences.push(piece.sequence);
      oscs.push(piece.osc ?? null);
    }
  }
  if (text.length > MAX_INPUT) dropped.add(`what is behind ${MAX_INPUT} characters`);
  return { sequences, signals: signalsOf(oscs), dropped: [...dropped] };
}

/** Reads what stands at a place. It is never empty. */
function pieceAt(text: string, at: number): Piece {
  const char = text.charAt(at);
  const next = text.charAt(at + 1);
  if (char === BEL) return { end: at + 1, sequence: BEL };
  if (char === C1_OSC) return oscAt(text, at + 1);
  if (char === ESC && next === ']') return oscAt(text, at + 2);
  if (char === ESC && STRINGS.includes(next) && next !== '') return stringAt(text, at + 2);
  if (C1_STRINGS.includes(char)) return stringAt(text, at + 1);
  if (char === ESC && next === '[') return { end: endOfCsi(text, at + 2), dropped: OTHER };
  // Escape and one character; the next one is its own where it is a control character.
  if (char === ESC) return { end: at + (next === '' || isControl(next) ? 1 : 2), dropped: OTHER };
  if (isBlank(char)) return { end: at + 1 };
  if (isControl(char)) return { end: at + 1, dropped: 'control characters' };
  let end = at + 1;
  while (end < text.length && !isControl(text.charAt(end))) end += 1;
  return { end, dropped: 'text' };
}

const OTHER = 'other escape sequences';
const UNFINISHED = 'a sequence without an end';

/** The second characters of strings that are no OSC: DCS, SOS, PM, APC; and the same in one character. */
const STRINGS = 'PX^_';
const C1_STRINGS = '\u0090\u0098\u009e\u009f';

/** Reads an OSC sequence whose text begins at a place. */
function oscAt(text: string, from: number): Piece {
  const end = nextControl(text, from);
  if (end === text.length) return { end, dropped: UNFINISHED };
  const isBell = text[end] === BEL;
  const behind = isBell || text[end] === C1_ST ? end + 1 : afterSt(text, end);
  if (behind === null)
    return { end: endOfCut(text, end), dropped: 'a sequence with control characters in it' };
  const [, code = '', rest] = /^(\d{1,6})(?:;(.*))?$/s.exec(text.slice(from, end)) ?? [];
  if (code === '') return { end: behind, dropped: OTHER };
  const what = rest === undefined ? `OSC ${code}` : refusal(code, rest);
  if (what !== null || rest === undefined) return { end: behind, dropped: what ?? OTHER };
  const sound = withoutHidden(withoutAct(code, rest)).toWellFormed();
  const sequence = `${ESC}]${code};${sound}${isBell ? BEL : `${ESC}\\`}`;
  return { end: behind, sequence, osc: [code, sound] };
}

/** Returns what an OSC sequence is called when it may not be emitted; null when it may. */
function refusal(code: string, text: string): string | null {
  if (!TITLES.has(code) && !NOTIFICATIONS.has(code)) return `OSC ${code}`;
  if (text.length > MAX_TEXT) return `a text of more than ${MAX_TEXT} characters`;
  // ConEmu runs programs and macros by numbers behind the 9; only 4, progress, tells the user something.
  const [, act] = /^(\d{1,2})(?:;|$)/.exec(text) ?? [];
  if (code === '9' && act !== undefined && act !== '4' && Number(act) <= 12) return `OSC 9;${act}`;
  // urxvt gives other words behind 777 to its extensions, and VTE some to its containers.
  if (code === '777') return text.startsWith('notify;') ? null : 'OSC 777 other than notify';
  const [metadata = ''] = text.split(';', 1);
  const isTold = metadata === '' || metadata.split(':').every((field) => TOLD.test(field));
  return code === '99' && !isTold ? 'OSC 99 that does more than tell' : null;
}

/**
 * A field in the metadata of OSC 99 that says how words are shown. Others ask the terminal for an answer, which it would type
 * into whatever reads there, or close what is shown (sw.kovidgoyal.net/kitty/desktop-notifications).
 */
const TOLD =
  /^(?:[definostuw]=.*|c=0|p=(?:title|body)|a=(?:-?focus|-report)(?:,(?:-?focus|-report))*)$/s;

/** Returns the text of a notification that ConEmu cannot take for one of its acts, which begin with a digit: `5` waits for a key. */
const withoutAct = (code: string, text: string): string =>
  code === '9' && /^\d/.test(text) && !/^4(;|$)/.test(text) ? ` ${text}` : text;

/** Returns the end of a sequence that a control character cuts: its own, or the next escape, which is looked at by itself. */
function endOfCut(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== ESC && text[at] !== BEL && text[at] !== C1_ST) at += 1;
  if (text[at] === ESC) return afterSt(text, at) ?? at;
  return Math.min(at + 1, text.length);
}

/** Skips a string that is no OSC, up to its end. */
function stringAt(text: string, from: number): Piece {
  for (let at = from; at < text.length; at += 1) {
    const behind = text[at] === C1_ST ? at + 1 : afterSt(text, at);
    if (behind !== null) return { end: behind, dropped: OTHER };
  }
  return { end: text.length, dropped: UNFINISHED };
}

const afterSt = (text: string, at: number): number | null =>
  text[at] === ESC && text[at + 1] === '\\' ? at + 2 : null;

function endOfCsi(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charAt(at) >= ' ' && text.charAt(at) <= '?') at += 1;
  return at < text.length && !isControl(text.charAt(at)) ? at + 1 : at;
}

function nextControl(text: string, from: number): number {
  let at = from;
  while (at < text.length && !isControl(text.charAt(at))) at += 1;
  return at;
}

/** Tells whether a character is of C0 or C1, or DEL. */
function isControl(char: string): boolean {
  const code = char.charCodeAt(0);
  return code < 0x20 || (code >= 0x7f && code <= 0x9f);
}

/** Blanks around sequences are left out without a word: many commands end with a line end. */
const isBlank = (char: string): boolean => ' \t\r\n'.includes(char);

/** Returns the meaning of sequences; null stands for a bell. */
function signalsOf(oscs: readonly (readonly [string, string] | null)[]): readonly TerminalSignal[] {
  /** Notifications of OSC 99 that come in several sequences, by their id. */
  const parts = new Map<string, { title: string; body: string }>();
  return oscs.flatMap((osc): TerminalSignal | readonly TerminalSignal[] => {
    if (osc === null) return { kind: 'bell' };
    const [code, text] = osc;
    if (TITLES.has(code)) return { kind: 'title', text: plainLine(text, MAX_TITLE).trim() };
    if (code === '99') return kittySignal(text, parts);
    if (code === '9') return /^4(;|$)/.test(text) ? [] : notification('', text);
    const [act, title = '', ...body] = text.split(';');
    return act === 'notify' ? notification(title, body.join(';')) : [];
  });
}

/** Reads an OSC 99 (`metadata;payload`, kitty's): one that is not done is kept for those that follow. */
function kittySignal(
  text: string,
  parts: Map<string, { title: string; body: string }>,
): readonly TerminalSignal[] {
  const [metadata = '', ...rest] = text.split(';');
  const fields = new Map(
    metadata.split(':').map((field) => [field.charAt(0), field.slice(2)] as const),
  );
  const payload = rest.join(';');
  const words = fields.get('e') === '1' ? Buffer.from(payload, 'base64').toString('utf8') : payload;
  const id = fields.get('i') ?? '';
  const so = parts.get(id) ?? { title: '', body: '' };
  const type = fields.get('p') ?? 'title';
  if (type === 'title') so.title += words;
  if (type === 'body') so.body += words;
  parts.set(id, so);
  if (fields.get('d') === '0') return [];
  parts.delete(id);
  return notification(so.title, so.body);
}

/** Returns a notification; nothing for one without words. One text alone is its body. */
function notification(title: string, body: string): readonly TerminalSignal[] {
  const [head, words] = [plainLine(title, MAX_TITLE).trim(), plainLine(body, MAX_BODY).trim()];
  if (head === '' && words === '') return [];
  return [{ kind: 'notification', title: words === '' ? '' : head, body: words || head }];
}
