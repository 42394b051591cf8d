import assert from 'node:assert/strict';
import { test } from 'node:test';
import { announce } from '../src/announcer.js';
import { formatTime, parseTime } from '../src/clock.js';

/** A minute lasts 20 ms here: an evening in about a second. */
const MINUTE = 20;

const ferry = (leaves, name = 'Alma', to = 'Southey') => ({
  leaves: parseTime(leaves),
  ferry: name,
  to,
  crossing: 25,
});

async function play(departure, from) {
  const said = [];
  await announce(departure, parseTime(from), (line) => said.push(line), MINUTE);
  return said;
}

for (const [leaves, from] of [
  ['06:10', '05:40'],
  ['07:30', '06:55'],
  ['09:00', '08:30'],
  ['12:45', '12:15'],
  ['16:20', '15:50'],
  ['19:05', '18:35'],
]) {
  test(`the ${leaves} ferry is called three times`, async () => {
    const departure = ferry(leaves);
    const said = await play(departure, from);
    assert.deepEqual(said, [
      `${formatTime(departure.leaves - 10)}  Alma to Southey: now boarding`,
      `${formatTime(departure.leaves - 2)}  Alma to Southey: last call`,
      `${leaves}  Alma to Southey: departed`,
    ]);
  });
}

test('who comes late hears only the last call', async () => {
  const said = await play(ferry('22:40'), '22:35');
  assert.equal(said.length, 2);
  assert.match(said[0], /last call$/);
});

test('a ferry that has left is not called', async () => {
  assert.deepEqual(await play(ferry('06:10'), '06:11'), []);
});
