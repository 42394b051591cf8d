import { parseTime } from './clock.js';

/**
 * Reads a timetable: one departure a line, columns apart by two spaces or more, `#` starts a comment.
 * Throws with the line number when a line cannot be read.
 */
export function parseTimetable(text) {
  const departures = [];
  text.split('\n').forEach((line, index) => {
    const content = line.replace(/#.*/, '').trim();
    if (content === '') return;
    const columns = content.split(/\s{2,}/);
    if (columns.length !== 4) {
      throw new Error(`line ${index + 1}: expected 4 columns, found ${columns.length}`);
    }
    const [leaves, ferry, to, crossing] = columns;
    departures.push({ leaves: parseTime(leaves), ferry, to, crossing: Number(crossing) });
  });
  return departures;
}
