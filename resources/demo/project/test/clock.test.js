import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTime, formatWait, parseTime } from '../src/clock.js';

test('times of day are minutes since midnight', () => {
  assert.equal(parseTime('00:00'), 0);
  assert.equal(parseTime('6:10'), 370);
  assert.equal(parseTime('23:59'), 1439);
});

test('what is no time of day is refused', () => {
  for (const text of ['', '24:00', '12:60', 'noon', '12']) {
    assert.throws(() => parseTime(text), /not a time of day/);
  }
});

test('times wrap around midnight', () => {
  assert.equal(formatTime(1445), '00:05');
  assert.equal(formatTime(-5), '23:55');
});

test('long waits are told in hours', () => {
  assert.equal(formatWait(25), '25 min');
  assert.equal(formatWait(95), '1 h 35 min');
  assert.equal(formatWait(120), '2 h');
});
