import { encodeLine } from '../event-log';
import type { AppendFile, Clock } from '../ports';

/** Lists read the first and the last 64 kB of a log. Characters, of which each may take three bytes. */
const SEEN_AT_BEGIN = 20 * 1024;
const SEEN_AT_END = 16 * 1024;

/** The beginning of a title's event; within texts its quotes would be escaped. */
const TITLE = '"event":{"type":"title_changed"';

/**
 * Wraps the file of a log so that lists find its title: one that was given later than at the beginning is written again
 * whenever much was written since. `size`: what the file has by now.
 */
export function withTitleInSight(
  file: AppendFile,
  { size, title, clock }: { size: number; title: () => string; clock: Clock },
): AppendFile {
  let written = size;
  let since = size;
  // Where the title of a long log stands is not known.
  let late = size > SEEN_AT_BEGIN;
  return {
    close: file.close,
    append: async (lines) => {
      const place = lines.lastIndexOf(TITLE);
      const isLate = late || (place >= 0 && written + place > SEEN_AT_BEGIN);
      const length = place < 0 ? since + lines.length : lines.length - place;
      const again =
        isLate && length > SEEN_AT_END && title() !== ''
          ? encodeLine({ at: clock.now(), event: { type: 'title_changed', title: title() } })
          : '';
      const done = await file.append(lines + again);
      if (!done.ok) return done;
      written += lines.length + again.length;
      since = again === '' ? length : again.length;
      late = isLate;
      return done;
    },
  };
}
