/** A footnote: its label, as the text refers to it, and its own text. */
export interface Footnote {
  readonly label: string;
  readonly text: string;
}

const NOTE = /^\[\^(?<label>[^\]\s^]{1,60})\]:[ \t]*/;
/** Pieces of code in a line, and references; what is code is left alone. */
const REFERENCE = /(?<code>`+)[\s\S]*?\k<code>|\[\^(?<label>[^\]\s^]{1,60})\](?!:)/g;

/** Begins the target of a reference in the Markdown that is drawn. */
const NOTE_LINK = '#note-';

/** Returns the labels of the footnotes that a block defines. */
export const labelsIn = (block: string): readonly string[] =>
  block.includes('[^') && !isCode(block)
    ? block.split('\n').flatMap((line) => NOTE.exec(line)?.groups?.['label'] ?? [])
    : [];

/**
 * Takes a block apart into its text, with links for the references to `labels`, and the footnotes that it defines. A
 * footnote goes on over lines that are indented. Pure.
 */
export function footnotesOf(
  block: string,
  labels: ReadonlySet<string>,
): { readonly text: string; readonly notes: readonly Footnote[] } {
  if (labels.size === 0 || !block.includes('[^') || isCode(block))
    return { text: block, notes: [] };
  const text: string[] = [];
  const notes: { label: string; lines: string[] }[] = [];
  for (const line of block.split('\n')) {
    const match = NOTE.exec(line);
    const label = match?.groups?.['label'];
    const last = notes.at(-1);
    if (match && label !== undefined) notes.push({ label, lines: [line.slice(match[0].length)] });
    else if (last && (/^\s/.test(line) || line === '')) last.lines.push(line.trimStart());
    else if (last) last.lines.push(line);
    else text.push(line);
  }
  return {
    text: withLinks(text.join('\n'), labels),
    notes: notes.map(({ label, lines }) => ({
      label,
      text: withLinks(lines.join('\n').trim(), labels),
    })),
  };
}

const withLinks = (text: string, labels: ReadonlySet<string>): string =>
  text.replace(REFERENCE, (whole: string, ...rest: unknown[]) => {
    const groups = rest.at(-1) as { readonly label?: string };
    const { label } = groups;
    if (label === undefined || !labels.has(label)) return whole;
    return `[${label.replace(/[\\[\]*_`]/g, '\\$&')}](${NOTE_LINK}${encodeURIComponent(label)})`;
  });

/** Returns true for a listing, in which nothing is a footnote. */
const isCode = (block: string): boolean => /^(?: {0,3}(?:```|~~~)| {4}|\t)/.test(block);

/** Returns the label that the target of a link refers to, or null. */
export function noteOf(href: string): string | null {
  if (!href.startsWith(NOTE_LINK)) return null;
  try {
    return decodeURIComponent(href.slice(NOTE_LINK.length));
  } catch {
    return null;
  }
}

/** A place in an answer that can be jumped to: a footnote, or the first reference to it. */
export interface NotePlace {
  /** The answer. */
  readonly scope: string;
  readonly label: string;
  readonly kind: 'note' | 'reference';
}

/** Returns the name that a place has in the page. */
export const nameOfPlace = ({ scope, label, kind }: NotePlace): string =>
  `${kind} ${scope} ${label}`;

/** Returns true when a place is in a block. */
export const blockHolds = (block: string, { label, kind }: NotePlace): boolean =>
  kind === 'note'
    ? labelsIn(block).includes(label)
    : block
        .split(`[^${label}]`)
        .slice(1)
        .some((rest) => !rest.startsWith(':'));
