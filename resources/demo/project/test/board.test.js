import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawBoard } from '../src/board.js';
import { parseTime } from '../src/clock.js';

test('the board lists the next ferries and the wait', () => {
  const timetable = [
    { leaves: parseTime('06:10'), ferry: 'Alma', to: 'Southey', crossing: 25 },
    { leaves: parseTime('07:30'), ferry: 'Brise', to: 'Northholm', crossing: 35 },
  ];
  assert.deepEqual(drawBoard(timetable, parseTime('06:00')), [
    'HARBOUR  06:00',
    '--------------',
    '06:10  Southey     Alma        in 10 min',
    '07:30  Northholm   Brise       in 1 h 30 min',
  ]);
});

test('an empty timetable says so', () => {
  assert.equal(drawBoard([], 0).at(-1), 'no departures');
});
