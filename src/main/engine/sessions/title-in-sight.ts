import type { Transcript } from '../../../shared/transcript';
import { encodeLine } from '../event-log';
import type { AppendFile, Clock } from '../ports';

/** Lists read the first and the last 64 kB of a log. Characters, of which each may take three bytes. */
const SEEN_AT_BEGIN = 20 * 1024;
const SEEN_AT_END = 16 * 1024;

/** The beginnings of the events that lists look for; within texts their quotes would be escaped. */
const TITLE = '"event":{"type":"title_changed"';
const COLOR = '"event":{"type":"color_changed"';

/**
 * Wraps the file of a log so that lists find its title: one that was given later than at the beginning is written again
 * whenever much was written since, and the colour with it. `size`: what the file has by now.
 */
export function withTitleInSight(
  file: AppendFile,
  {
    size,
    shown,
    clock,
  }: { size: number; shown: () => Pick<Transcript, 'title' | 'color'>; clock: Clock },
): AppendFile {
  let written = size;
  let since = size;
  // Where the title of a long log stands is not known.
  let late = size > SEEN_AT_BEGIN;
  return {
    close: file.close,
    append: async (lines) => {
      const place = Math.max(lines.lastIndexOf(TITLE), lines.lastIndexOf(COLOR));
      const isLate = late || (place >= 0 && written + place > SEEN_AT_BEGIN);
      const length = place < 0 ? since + lines.length : lines.length - place;
      const again = isLate && length > SEEN_AT_END ? linesOf(shown(), clock.date()) : '';
      const done = await file.append(lines + again);
      if (!done.ok) return done;
      written += lines.length + again.length;
      since = again === '' ? length : again.length;
      late = isLate;
      return done;
    },
  };
}

/** Returns the lines of what lists show. */
function linesOf({ title, color }: Pick<Transcript, 'title' | 'color'>, at: number): string {
  const titled = title === '' ? '' : encodeLine({ at, event: { type: 'title_changed', title } });
  const colored =
    color === undefined ? '' : encodeLine({ at, event: { type: 'color_changed', color } });
  return titled + colored;
}
