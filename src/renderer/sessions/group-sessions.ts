import type { SessionSummary } from '../../shared/contract';

/** One line of the list: a day's name, or a session with its number for ⌘1…9. */
export type SessionRow =
  | { readonly kind: 'day'; readonly label: string }
  | { readonly kind: 'session'; readonly session: SessionSummary; readonly number: number };

/** Name of a session without a title. */
const UNTITLED = 'New session';

/** Returns the sessions of one project whose title contains the filter, newest first; archived ones when asked for. */
export function sessionsOf(
  sessions: readonly SessionSummary[],
  project: string,
  filter: string,
  withArchived = false,
): readonly SessionSummary[] {
  const wanted = filter.trim().toLocaleLowerCase();
  return sessions
    .filter((s) => withArchived || s.archived !== true)
    .filter((s) => s.project === project && titleOf(s).toLocaleLowerCase().includes(wanted))
    .sort((a, b) => b.updatedAt - a.updatedAt);
}

/** Returns the title, or the name of a session that has none yet. */
export const titleOf = (session: { readonly title: string }): string =>
  session.title.trim() === '' ? UNTITLED : session.title;

/** Returns the last part of a path, the name of the folder. */
export const folderName = (path: string): string =>
  path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;

/** Puts day headings between sessions that are already sorted, newest first. `now` is epoch milliseconds. */
export function withDays(sessions: readonly SessionSummary[], now: number): readonly SessionRow[] {
  const rows: SessionRow[] = [];
  let last = '';
  sessions.forEach((session, at) => {
    const label = dayLabel(session.updatedAt, now);
    if (label !== last) rows.push({ kind: 'day', label });
    last = label;
    rows.push({ kind: 'session', session, number: at + 1 });
  });
  return rows;
}

/** Formats a day: "Today", "Yesterday", a weekday within the last week, otherwise a date, with the year only when it differs. */
export function dayLabel(at: number, now: number): string {
  if (at === 0) return 'Without a date';
  const days = daysBetween(at, now);
  if (days <= 0) return 'Today';
  if (days === 1) return 'Yesterday';
  const date = new Date(at);
  if (days < 7) return date.toLocaleDateString('en', { weekday: 'long' });
  const sameYear = date.getFullYear() === new Date(now).getFullYear();
  return date.toLocaleDateString('en', {
    day: 'numeric',
    month: 'long',
    ...(sameYear ? {} : { year: 'numeric' }),
  });
}

/** Counts whole calendar days; comparing noons handles days of 23 and 25 hours. */
function daysBetween(at: number, now: number): number {
  const noon = (time: number) => new Date(time).setHours(12, 0, 0, 0);
  return Math.round((noon(now) - noon(at)) / 86_400_000);
}
