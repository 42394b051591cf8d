import { visibleText } from '../ui/visible-text';

/** Length of the beginning that is shown of a paste, in characters. */
const SHOWN_CHARS = 2000;
/** Characters that are shown on each side of one that does not show. */
const AROUND_CHARS = 60;
/** So many places with such characters are shown of what follows the beginning. */
const MAX_PLACES = 20;

/**
 * Returns the parts of a paste that a user has to see: its beginning, and of what follows each place in which something
 * does not show. The last part is empty where anything is left out behind it. Pure.
 */
export function pasteExcerpts(text: string): readonly string[] {
  const parts: { readonly from: number; to: number }[] = [{ from: 0, to: SHOWN_CHARS }];
  for (const segment of visibleText(text)) {
    const last = parts.at(-1);
    if (segment.kind !== 'mark' || last === undefined || segment.end <= last.to) continue;
    const to = segment.end + AROUND_CHARS;
    if (segment.start - AROUND_CHARS <= last.to) last.to = to;
    else if (parts.length > MAX_PLACES) break;
    else parts.push({ from: segment.start - AROUND_CHARS, to });
  }
  const shown = parts.map(({ from, to }) => text.slice(from, to));
  return (parts.at(-1)?.to ?? 0) < text.length ? [...shown, ''] : shown;
}
