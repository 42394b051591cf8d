import type { Result } from '../../../shared/result';
import { ORIGIN_NAMES, type SearchAnswer, type SearchHit } from '../../../shared/session-search';
import type { Output } from './output';

/** The parts of `lathe sessions search`. */
export interface SearchCommandParts {
  readonly search: (text: string, signal: AbortSignal) => AsyncIterable<Result<SearchAnswer>>;
  readonly out: Output;
  /** Says something to the user that is no finding. */
  readonly complain: (line: string) => void;
}

/** Prints what was said in sessions, newest last, each with how to go on there. False when the search failed. */
export async function searchSessions(
  text: string,
  { search, out, complain }: SearchCommandParts,
  signal: AbortSignal,
): Promise<boolean> {
  let found: SearchAnswer | null = null;
  for await (const answer of search(text, signal)) {
    if (!answer.ok) {
      complain(answer.error.message);
      return false;
    }
    found = answer.value;
    const { progress } = found;
    if (progress !== null)
      complain(`Reading the sessions: ${progress.done} of ${progress.total} so far`);
  }
  if (found === null) return false;
  if (found.note !== null) complain(found.note);
  if (found.hits.length === 0) complain('No conversation has that.');
  for (const hit of found.hits.toReversed()) await out.text(hitLines(hit));
  if (found.more) complain('There are more: add words to narrow the search.');
  return true;
}

/** Formats a finding for a terminal: what is above the words says where they are. */
function hitLines({ sessionId, project, title, at, who, snippet, other }: SearchHit): string {
  const words = snippet.map(({ text }) => text).join('');
  const day = new Date(at).toISOString().slice(0, 10);
  const place = `${day}  ${printable(title) || sessionId}  (${printable(project)})`;
  const next =
    other === undefined
      ? `lathe -p --resume ${sessionId}`
      : `${ORIGIN_NAMES[other.origin]}: ${printable(other.log)}`;
  return `${place}\n  ${who}: ${printable(words)}\n  ${next}\n\n`;
}

/** Leaves out what a terminal would take for commands. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is meant
const printable = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
