import { expect, test } from 'vitest';
import { dayLabel, sessionsOf, withDays } from '../../../src/renderer/sessions/group-sessions';
import { nextMode } from '../../../src/renderer/store/sessions';
import type { SessionSummary } from '../../../src/shared/contract';

/** Local noon of a Wednesday. */
const NOW = new Date(2026, 10, 18, 12).getTime();
const at = (year: number, month: number, day: number, hour = 12, minute = 0) =>
  new Date(year, month, day, hour, minute).getTime();

test.each([
  [NOW, 'Today'],
  [at(2026, 10, 18, 0, 1), 'Today'],
  [NOW + 3_600_000, 'Today'], // a clock that jumped
  [at(2026, 10, 17, 23, 59), 'Yesterday'],
  [at(2026, 10, 16), 'Monday'],
  [at(2026, 10, 12), 'Thursday'],
  [at(2026, 10, 11), 'November 11'],
  [at(2025, 11, 31), 'December 31, 2025'],
  [0, 'Without a date'],
])('%i is %s', (time, label) => expect(dayLabel(time, NOW)).toBe(label));

const session = (id: string, over: Partial<SessionSummary> = {}): SessionSummary => ({
  ...{ id, project: '/p', title: id, createdAt: 0, updatedAt: 0 },
  ...{ running: false, needsAnswer: false, demo: false },
  ...over,
});

test('one project, newest first, narrowed without regard to case', () => {
  const all = [
    session('Fix login', { updatedAt: 1 }),
    session('GRÖSSE prüfen', { updatedAt: 3 }),
    session('elsewhere', { project: '/q', updatedAt: 9 }),
  ];
  const ids = (filter: string) => sessionsOf(all, '/p', filter).map((s) => s.id);
  expect(ids('')).toEqual(['GRÖSSE prüfen', 'Fix login']);
  expect(ids(' größe')).toEqual([]);
  expect(ids('grösse')).toEqual(['GRÖSSE prüfen']);
  expect(ids('LOGIN')).toEqual(['Fix login']);
});

test('each day is named once and numbers go on across days', () => {
  const rows = withDays(
    [
      session('a', { updatedAt: NOW }),
      session('b', { updatedAt: NOW - 60_000 }),
      session('c', { updatedAt: at(2026, 10, 17) }),
    ],
    NOW,
  );
  expect(rows.map((row) => (row.kind === 'day' ? row.label : row.number))).toEqual([
    'Today',
    1,
    2,
    'Yesterday',
    3,
  ]);
});

test('⇧Tab goes round the three everyday modes and comes back from the others', () => {
  expect(nextMode('default')).toBe('acceptEdits');
  expect(nextMode('acceptEdits')).toBe('plan');
  expect(nextMode('plan')).toBe('default');
  expect(nextMode('bypassPermissions')).toBe('default');
});
