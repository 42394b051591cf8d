import { minutesUntil } from './clock.js';

/**
 * The next `count` departures after `now` (minutes since midnight), soonest first.
 * Each one gets `wait`: how many minutes until it leaves.
 */
export function nextDepartures(timetable, now, count = 3) {
  return timetable
    .map((departure) => ({ ...departure, wait: minutesUntil(departure.leaves, now) }))
    .filter((departure) => departure.wait >= 0)
    .sort((a, b) => a.wait - b.wait)
    .slice(0, count);
}

/** The next departure to one place, or null when no ferry goes there. */
export function nextTo(place, timetable, now) {
  const there = timetable.filter((departure) => departure.to === place);
  return nextDepartures(there, now, 1)[0] ?? null;
}
