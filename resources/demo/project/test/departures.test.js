import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseTime } from '../src/clock.js';
import { nextDepartures, nextTo } from '../src/departures.js';
import { parseTimetable } from '../src/timetable.js';

const file = new URL('../timetable.txt', import.meta.url);
const timetable = parseTimetable(readFileSync(file, 'utf8'));
const brief = ({ ferry, wait }) => `${ferry} in ${wait}`;

test('in the morning the next three ferries are listed', () => {
  const next = nextDepartures(timetable, parseTime('07:00'));
  assert.deepEqual(next.map(brief), ['Brise in 30', 'Alma in 120', 'Corvin in 345']);
});

test('a ferry that leaves this minute can still be caught', () => {
  assert.equal(nextDepartures(timetable, parseTime('16:20'), 1).map(brief)[0], 'Brise in 0');
});

test('before midnight the night ferry comes next', () => {
  const next = nextDepartures(timetable, parseTime('23:50'), 2);
  assert.deepEqual(next.map(brief), ['Night Owl in 25', 'Alma in 380']);
});

test('the next ferry to a place', () => {
  assert.equal(nextTo('Southey', timetable, parseTime('10:00'))?.ferry, 'Brise');
  assert.equal(nextTo('Atlantis', timetable, 0), null);
});
