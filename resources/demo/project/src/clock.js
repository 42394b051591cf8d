/** Minutes in a day. */
export const DAY = 24 * 60;

/** '06:10' → 370. Throws when it is no time of day. */
export function parseTime(text) {
  const match = /^(\d{1,2}):(\d{2})$/.exec(text.trim());
  const hours = Number(match?.[1]);
  const minutes = Number(match?.[2]);
  if (!match || hours > 23 || minutes > 59) {
    throw new Error(`"${text}" is not a time of day`);
  }
  return hours * 60 + minutes;
}

/** 370 → '06:10'. Times past midnight wrap around. */
export function formatTime(minutes) {
  const time = ((minutes % DAY) + DAY) % DAY;
  const two = (n) => String(n).padStart(2, '0');
  return `${two(Math.floor(time / 60))}:${two(time % 60)}`;
}

/** How many minutes it takes, from `now`, until the clock shows `time`. */
export function minutesUntil(time, now) {
  return time - now;
}

/** 25 → '25 min', 95 → '1 h 35 min'. */
export function formatWait(minutes) {
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  const hours = `${Math.floor(minutes / 60)} h`;
  return rest === 0 ? hours : `${hours} ${rest} min`;
}
