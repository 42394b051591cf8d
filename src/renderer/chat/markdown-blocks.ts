import { lexer } from 'marked';

/**
 * A Markdown text that grows, cut into blocks. Blocks that later text cannot change are frozen and kept in
 * groups of fixed size whose identity never changes, so that drawing only touches the tail.
 */
export interface MarkdownBlocks {
  readonly source: string;
  /** Full groups of {@link GROUP_SIZE} frozen blocks. */
  readonly groups: readonly (readonly string[])[];
  /** Frozen blocks of the group that is filling. */
  readonly open: readonly string[];
  /** Blocks that may still change. */
  readonly tail: readonly string[];
  /** Number of characters of `source` that are frozen. */
  readonly frozenLength: number;
}

/** Blocks per frozen group; at about this size `content-visibility` stays cheap. */
export const GROUP_SIZE = 24;

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
};

/** Returns the blocks of `text`, reusing all that is frozen in `before` when `text` only adds to it. */
export function advance(before: MarkdownBlocks, text: string): MarkdownBlocks {
  if (text === before.source) return before;
  const base = text.startsWith(before.source.slice(0, before.frozenLength)) ? before : NO_BLOCKS;
  const blocks = lexBlocks(text.slice(base.frozenLength));
  const frozen = blocks.slice(0, Math.max(0, blocks.length - OPEN_BLOCKS));
  const pending = [...base.open, ...frozen];
  const full = Math.floor(pending.length / GROUP_SIZE);
  const added = Array.from({ length: full }, (_, i) =>
    pending.slice(i * GROUP_SIZE, (i + 1) * GROUP_SIZE),
  );
  return {
    source: text,
    groups: added.length === 0 ? base.groups : [...base.groups, ...added],
    open: pending.slice(full * GROUP_SIZE),
    tail: blocks.slice(frozen.length),
    frozenLength: base.frozenLength + frozen.reduce((sum, block) => sum + block.length, 0),
  };
}

/** Returns the source of each top-level block, blank lines kept with the block before them; joined they give `text`. */
export function lexBlocks(text: string): readonly string[] {
  const blocks: string[] = [];
  let at = 0;
  for (const token of lexer(text)) {
    // The lexer rewrites line ends and tabs, so places are counted in what it was given.
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

/** Returns the link definitions among the blocks ("[docs]: https://…"), which any other block may use. */
export const definitionsIn = (blocks: MarkdownBlocks): string =>
  [...blocks.groups.flat(), ...blocks.open, ...blocks.tail]
    .filter((block) => DEFINITION.test(block))
    .map((block) => block.trimEnd())
    .join('\n');

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
