import { formatTime, formatWait } from './clock.js';
import { nextDepartures } from './departures.js';

/** Draws the board for a moment of the day, as lines of text. */
export function drawBoard(timetable, now, rows = 4) {
  const head = `HARBOUR  ${formatTime(now)}`;
  const lines = nextDepartures(timetable, now, rows).map(
    ({ leaves, to, ferry, wait }) =>
      `${formatTime(leaves)}  ${to.padEnd(10)}  ${ferry.padEnd(10)}  in ${formatWait(wait)}`,
  );
  return [head, ''.padEnd(head.length, '-'), ...(lines.length > 0 ? lines : ['no departures'])];
}
