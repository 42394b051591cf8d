import { expect, test } from 'vitest';
import { quantile } from '../../../src/renderer/health/frames';
import {
  hostFigures,
  pageFigures,
  reportText,
  sessionWords,
} from '../../../src/renderer/health/health-lines';
import { HEALTHY } from '../../support/health';

const PAGE = {
  ...{ median: 16.6, p95: 18, slow: 2, slowest: 130 },
  ...{ heap: 60_000_000, elements: 2_400 },
};
const SESSION = {
  ...{ id: 's1', title: 'Fix login', running: true, rows: 12, queued: 1 },
  ...{ unwritten: 2_000, watchers: 1, behind: 3 },
};

test.each([
  [[], 0.5, null],
  [[3], 0.95, 3],
  [[30, 10, 20], 0.5, 20],
  [[1, 2, 3, 4], 1, 4],
] as const)('of %j the share %d lies below %s', (numbers, share, expected) =>
  expect(quantile(numbers, share)).toBe(expected),
);

test('what nears its limit, or is noticed, stands out', () => {
  const high = (host: Partial<typeof HEALTHY.host>) =>
    hostFigures({ ...HEALTHY, host: { ...HEALTHY.host, ...host } })
      .filter((figure) => figure.high)
      .map(({ label }) => label);
  expect(high({})).toEqual([]);
  expect(high({ openFiles: 1_000 })).toEqual(['Open files']);
  expect(high({ heap: 3_900_000_000, longestPauseMs: 900 })).toEqual(['Heap', 'Longest pause']);
  expect(high({ openFiles: null, openFilesLimit: null, longestPauseMs: null })).toEqual([]);
});

test('a session says what waits in it, and nothing of what does not', () => {
  expect(sessionWords(SESSION)).toBe(
    '12 rows · kept by 1 window · 1 prompt waiting · 3 events behind · 2 kB not saved yet',
  );
  expect(sessionWords({ ...SESSION, watchers: 0, queued: 0, behind: 0, unwritten: 0 })).toBe(
    '12 rows · in no window',
  );
});

test('a report has the numbers, and no names of sessions or folders', () => {
  const text = reportText('1.2.3', { ...HEALTHY, sessions: [SESSION] }, PAGE, [
    { label: 'Git', state: 'note', text: 'not found; branches are not shown' },
    { label: 'Settings', state: 'bad', text: '/home/ann/secret/settings.json is no JSON' },
  ]);
  expect(text).toContain('Lathe 1.2.3');
  expect(text).toContain('Frames: 17 ms');
  expect(text).toContain('at work, 12 rows');
  expect(text).toContain('Git: not found');
  expect(text).not.toMatch(/Fix login|secret/);
  expect(pageFigures({ ...PAGE, heap: null })).toContainEqual({
    ...{ label: 'Heap', value: '–', note: 'the browser does not tell', high: false },
  });
});
