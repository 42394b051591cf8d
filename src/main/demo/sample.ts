/** The script's knowledge of the sample project in `resources/demo/project`. A test compares it with the files. */

/** The file with the mistake. */
export const CLOCK = 'src/clock.js';
/** The file that is read first. */
export const DEPARTURES = 'src/departures.js';
export const FAILING_TEST = 'test/departures.test.js';

/** The name that leads from the failing test to the mistake. */
export const SUSPECT = 'minutesUntil';

export const TEST_COMMAND = 'npm test';

/** The mistake, as it stands in {@link CLOCK}. */
export const MISTAKE = '  return time - now;\n';

/** The repair the script proposes first. */
export const REPAIR = `  const minutes = time - now;
  // The moment has passed today: it comes round again tomorrow.
  return minutes < 0 ? minutes + DAY : minutes;
`;

/** The smaller repair it proposes when a user objects to the first. */
export const SMALLER_REPAIR = '  return (time - now + DAY) % DAY;\n';

/** The state of {@link CLOCK}. `unknown`: somebody changed it in a way the script does not know. */
export type ClockState = 'mistaken' | 'repaired' | 'unknown';

/** Judges the text of {@link CLOCK} as the Read tool gives it, line numbers included. */
export function judgeClock(text: string): ClockState {
  if (/return time - now;/.test(text)) return 'mistaken';
  return /minutes \+ DAY : minutes;|\(time - now \+ DAY\) % DAY;/.test(text)
    ? 'repaired'
    : 'unknown';
}
