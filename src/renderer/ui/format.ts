const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const two = (n: number): string => String(n).padStart(2, '0');

/** Formats a duration in milliseconds: "0.1 s", "31 s", "2m 04s", "1h 02m". Negative counts as 0. */
export function duration(ms: number): string {
  const t = Math.max(0, ms);
  if (t < 9950) return `${(t / SECOND).toFixed(1)} s`;
  const seconds = Math.round(t / SECOND);
  if (seconds < 60) return `${seconds} s`;
  if (t < HOUR - SECOND / 2) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`;
  const minutes = Math.round(t / MINUTE);
  return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`;
}

/** Times under this are not worth a word. Milliseconds. */
const NO_TIME_MS = 50;

/** Formats how long something took; '' when it took no time to speak of. */
export const timeTaken = (ms: number): string => (ms < NO_TIME_MS ? '' : duration(ms));

/** Formats a running clock in milliseconds so that it changes once a second: "4 s", "2m 04s", "1h 02m". */
export function elapsed(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / SECOND);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`;
  return `${Math.floor(seconds / 3600)}h ${two(Math.floor((seconds % 3600) / 60))}m`;
}

/** Returns a limit of time for people, from milliseconds, whole minutes without seconds: "45 s", "2 m", "2m 30s". */
export function timeLimit(ms: number): string {
  const minutes = ms / MINUTE;
  return Number.isInteger(minutes) && minutes > 0 && ms < HOUR ? `${minutes} m` : elapsed(ms);
}

/** Returns a size of data for people: "812 B", "12.4 kB", "1.2 MB", "1.1 GB". */
export function dataSize(bytes: number): string {
  if (bytes < 1000) return `${Math.round(bytes)} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  const unit = Math.min(Math.floor(Math.log10(bytes * 1.0005) / 3), units.length);
  const scaled = bytes / 1000 ** unit;
  return `${scaled < 99.95 ? scaled.toFixed(1).replace(/\.0$/, '') : Math.round(scaled)} ${units[unit - 1]}`;
}

/** Formats US dollars: "$0.38"; under a cent with as many digits as it needs ("$0.004"), 0 as "$0.00". */
export function money(usd: number): string {
  if (usd > 0 && usd < 0.0001) return '<$0.0001';
  if (usd > 0 && usd < 0.00995) return `$${Number(usd.toPrecision(1))}`;
  return `$${usd.toFixed(2)}`;
}

/** Formats token counts: "812", "12.4k", "124k", "1.2M". */
export function tokens(count: number): string {
  const scaled = (n: number) =>
    n < 99.95 ? n.toFixed(1).replace(/\.0$/, '') : String(Math.round(n));
  if (count < 1000) return String(Math.round(count));
  if (count < 999_500) return `${scaled(count / 1000)}k`;
  return `${scaled(count / 1_000_000)}M`;
}

/** Formats a count with its noun: "1 file", "3 files". */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;

/** Writes the home folder in a path as ~. Both separators are understood. */
export function tildePath(path: string, home: string): string {
  if (home === '' || !path.startsWith(home)) return path;
  const rest = path.slice(home.length);
  return rest === '' || /^[\\/]/.test(rest) ? `~${rest}` : path;
}

/** Capitalises the first letter. */
export function capital(text: string): string {
  const [first = '', ...rest] = [...text];
  return first.toLocaleUpperCase('en') + rest.join('');
}

/** Writes the home folder in the paths of a sentence as ~. Both separators are understood. */
export function tildeText(text: string, home: string): string {
  if (home === '') return text;
  const plain = home.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  // Not in the middle of a longer path, or of a longer name.
  return text.replace(new RegExp(`(?<![\\w.~/\\\\-])${plain}(?=[\\\\/])`, 'g'), '~');
}

/** Returns a path inside `folder` relative to it; other paths unchanged. */
export function relativePath(path: string, folder: string): string {
  const root = folder.replace(/[\\/]+$/, '');
  const rest = path.slice(root.length);
  return root !== '' && path.startsWith(root) && /^[\\/]./.test(rest) ? rest.slice(1) : path;
}

/** Quotes text for a prompt: a line as it is, several lines in a fence. */
export const quoted = (text: string): string =>
  text.trim().includes('\n') ? fenced(text) : text.trim();

/** Puts text into a code fence that is longer than any in it. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.replace(/^\n+|\s+$/g, '')}\n${fence}\n`;
}
