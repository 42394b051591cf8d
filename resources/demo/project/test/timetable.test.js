import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTimetable } from '../src/timetable.js';

test('a line is one departure', () => {
  assert.deepEqual(parseTimetable('06:10  Alma  Southey  25\n'), [
    { leaves: 370, ferry: 'Alma', to: 'Southey', crossing: 25 },
  ]);
});

test('comments and empty lines are skipped, names may have spaces', () => {
  const text = '# a comment\n\n00:15  Night Owl  Northholm  40  # late\n';
  assert.equal(parseTimetable(text)[0].ferry, 'Night Owl');
});

test('a line that cannot be read is named', () => {
  assert.throws(() => parseTimetable('06:10  Alma  Southey  25\n06:10 Alma'), /line 2/);
});
