import { Lexer } from 'marked';
import { labelsIn } from './footnotes';
import { levelled } from './tangled';

/**
 * A Markdown text that grows, cut into blocks. Blocks that later text cannot change are frozen and kept in
 * groups whose identity never changes, so that drawing only touches the tail.
 */
export interface MarkdownBlocks {
  readonly source: string;
  /** Full groups of frozen blocks. */
  readonly groups: readonly (readonly string[])[];
  /** Frozen blocks of the group that is filling. */
  readonly open: readonly string[];
  /** Blocks that may still change. */
  readonly tail: readonly string[];
  /** Number of characters of `source` that are frozen. */
  readonly frozenLength: number;
  /** Link definitions among the frozen blocks. */
  readonly frozenDefinitions: string;
  /** Link definitions among all blocks ("[docs]: https://…"), which any other block may use; '' when there are none. */
  readonly definitions: string;
  /** Labels of the footnotes that blocks define. */
  readonly notes: ReadonlySet<string>;
}

/**
 * The first group is full when it holds this many characters. A text up to this length is drawn as a whole, and as the
 * first group it stays as it is when it gets longer: what a user reads or has selected is not drawn anew.
 */
export const FIRST_GROUP_CHARS = 4000;
/** Another group is full when it holds this many characters, about two screens of prose. */
const GROUP_CHARS = 3000;
/** Another group is full when it holds this many blocks. */
const GROUP_SIZE = 24;

/**
 * Blocks at the end that stay open while the text grows: the last one is being written, and the one before it
 * may still take it in (a list takes in what looked like a paragraph).
 */
const OPEN_BLOCKS = 2;

/** The blocks of no text. */
export const NO_BLOCKS: MarkdownBlocks = {
  source: '',
  groups: [],
  open: [],
  tail: [],
  frozenLength: 0,
  frozenDefinitions: '',
  definitions: '',
  notes: new Set(),
};

/** Returns the blocks of `text`, reusing all that is frozen in `before` when `text` only adds to it. */
export function advance(before: MarkdownBlocks, text: string): MarkdownBlocks {
  if (text === before.source) return before;
  const base = text.startsWith(before.source.slice(0, before.frozenLength)) ? before : NO_BLOCKS;
  const blocks = lexBlocks(text.slice(base.frozenLength));
  const frozen = blocks.slice(0, Math.max(0, blocks.length - OPEN_BLOCKS)).map(copied);
  const { full, open } = grouped([...base.open, ...frozen], base.groups.length === 0);
  const tail = blocks.slice(frozen.length);
  const frozenDefinitions = withDefinitions(base.frozenDefinitions, frozen);
  return {
    source: text,
    groups: full.length === 0 ? base.groups : [...base.groups, ...full],
    open,
    tail,
    frozenLength: base.frozenLength + frozen.reduce((sum, block) => sum + block.length, 0),
    frozenDefinitions,
    definitions: withDefinitions(frozenDefinitions, tail),
    notes: withLabels(base.notes, blocks),
  };
}

/** Some blocks of a long text, which are drawn by themselves. */
export interface TextPart {
  readonly blocks: readonly string[];
  /** Number of blocks of the text before it. */
  readonly from: number;
  /** Link definitions of the whole text. */
  readonly definitions: string;
  /** Labels of the footnotes of the whole text. */
  readonly notes: ReadonlySet<string>;
  /** The last block is still being written. */
  readonly writing: boolean;
  /** The text begins with it. */
  readonly first: boolean;
  /** The text ends with it. */
  readonly last: boolean;
}

/** Creates a function that cuts a growing text into parts; those that did not change stay the same objects. */
export function createPartList(): (text: string, done: boolean) => readonly TextPart[] {
  let blocks = NO_BLOCKS;
  let parts: readonly TextPart[] = [];
  return (text, done) => {
    blocks = advance(blocks, text);
    const { groups, definitions, notes } = blocks;
    const end = lastBlocks(blocks);
    const all = end.length === 0 && groups.length > 0 ? groups : [...groups, end];
    let before = 0;
    parts = all.map((own, at) => {
      const from = before;
      before += own.length;
      const part: TextPart = {
        blocks: own,
        from,
        definitions,
        notes,
        writing: !done && at === groups.length,
        first: at === 0,
        last: at === all.length - 1,
      };
      const known = parts[at];
      return known !== undefined && samePart(known, part) ? known : part;
    });
    return parts;
  };
}

const samePart = (a: TextPart, b: TextPart): boolean =>
  a.from === b.from &&
  a.definitions === b.definitions &&
  a.notes === b.notes &&
  a.writing === b.writing &&
  a.last === b.last &&
  (a.blocks === b.blocks ||
    (a.blocks.length === b.blocks.length && a.blocks.every((block, at) => block === b.blocks[at])));

/** Returns the blocks after the last full group. */
export const lastBlocks = ({ open, tail }: MarkdownBlocks): readonly string[] => [...open, ...tail];

/** Copies a string: a part of a longer one would keep the whole of it in memory. */
const copied = (part: string): string => ` ${part}`.slice(1);

/** Cuts blocks into full groups and what is left over. */
function grouped(blocks: readonly string[], fromStart: boolean) {
  const full: (readonly string[])[] = [];
  let open: string[] = [];
  let chars = 0;
  const isFull = () =>
    fromStart && full.length === 0
      ? chars >= FIRST_GROUP_CHARS
      : chars >= GROUP_CHARS || open.length >= GROUP_SIZE;
  for (const block of blocks) {
    open.push(block);
    chars += block.length;
    if (!isFull()) continue;
    full.push(open);
    open = [];
    chars = 0;
  }
  return { full, open };
}

/** Returns the source of each top-level block, blank lines kept with the block before them; joined they give `text`. */
export function lexBlocks(text: string): readonly string[] {
  const blocks: string[] = [];
  let at = 0;
  // Only blocks are looked for: their contents are read when they are drawn.
  for (const token of new Lexer().blockTokens(levelled(text.replace(/\r\n?/g, '\n')))) {
    // Line ends were rewritten, so places are counted in what was given.
    const raw = sourceOf(text, at, token.raw);
    at += raw.length;
    const last = blocks.length - 1;
    if (token.type === 'space' && last >= 0) blocks[last] += raw;
    else blocks.push(raw);
  }
  if (at < text.length) blocks.push(text.slice(at));
  return blocks;
}

const DEFINITION = /^ {0,3}\[(?!\^)[^\]\n]+\]:[ \t]*\S/;

/** Returns `known` and the link definitions among `blocks`, one a line. */
const withDefinitions = (known: string, blocks: readonly string[]): string =>
  [known, ...blocks.filter((block) => DEFINITION.test(block)).map((block) => block.trimEnd())]
    .filter((part) => part !== '')
    .join('\n');

/** A block shorter than this is drawn with every delta while it is written. Characters. */
const DRAWN_AT_ONCE = 3000;
/** A longer block is drawn again when it has grown by this part of itself, so that the cost of each character is bounded. */
const GROWTH = 1 / 16;

/** Returns what to draw of a block that is being written, when `drawn` is on screen: itself, or `drawn` as it is. */
export function drawnWhileWriting(drawn: string, block: string): string {
  const grown = block.length - drawn.length;
  const soon = drawn.length < DRAWN_AT_ONCE || grown > drawn.length * GROWTH;
  return soon || grown < 0 || !block.startsWith(drawn) ? block : drawn;
}

/** A link whose target is written out, and so is no bare address. */
const WRITTEN_LINK = /\]\(https?:\/\/[^\s()<>]*\)/g;
/** The beginnings of what GitHub's Markdown has and plain Markdown has not: tables, strikethrough, tasks, notes, addresses. */
const GFM = /[|~@]|\[(?:[ \txX]|\n)?\]|\[\^|https?:\/\/|www\./i;

/** Returns true when a block may need GitHub's extensions: looking for them makes up most of the time of reading one. */
export const needsGfm = (block: string): boolean => GFM.test(block.replace(WRITTEN_LINK, ']'));

/** Returns `known`, or it with the labels of footnotes in `blocks` that are new. */
function withLabels(known: ReadonlySet<string>, blocks: readonly string[]): ReadonlySet<string> {
  const labels = blocks.flatMap(labelsIn).filter((label) => !known.has(label));
  return labels.length === 0 ? known : new Set([...known, ...labels]);
}

/** Returns the language and code so far of a code fence that is still open; null for any other block. */
export function openFence(
  block: string,
): { readonly language: string; readonly code: string } | null {
  const match =
    /^ {0,3}(?<fence>`{3,}|~{3,})[ \t]*(?<language>[^\s`]*)[^\n]*\n(?<code>[\s\S]*)$/.exec(block);
  const { fence = '', language = '', code = '' } = match?.groups ?? {};
  if (fence === '') return null;
  const lastLine = code.trimEnd().split('\n').at(-1)?.trim() ?? '';
  const closed = lastLine.length >= fence.length && lastLine.replaceAll(fence.charAt(0), '') === '';
  return closed ? null : { language, code };
}

/** Returns the part of `text` from `at` that the lexer read as `raw`, where it wrote \n for \r\n and \r. */
function sourceOf(text: string, at: number, raw: string): string {
  if (text.startsWith(raw, at)) return raw;
  let end = at;
  for (let i = 0; i < raw.length && end < text.length; i += 1) {
    end += text[end] === '\r' && text[end + 1] === '\n' ? 2 : 1;
  }
  return text.slice(at, end);
}
