import { formatTime } from './clock.js';

/** What is said, and how many minutes before the ferry leaves. */
const CALLS = [
  { before: 10, words: 'now boarding' },
  { before: 2, words: 'last call' },
  { before: 0, words: 'departed' },
];

/**
 * Plays the announcements of one departure in order and passes each to `say`.
 * A minute lasts `minuteMs` milliseconds, so an evening can be played fast.
 */
export async function announce(departure, now, say, minuteMs = 60_000) {
  let time = now;
  for (const { before, words } of CALLS) {
    const moment = departure.leaves - before;
    if (moment < now) continue;
    await pause((moment - time) * minuteMs);
    time = moment;
    say(`${formatTime(time)}  ${departure.ferry} to ${departure.to}: ${words}`);
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
