import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROTOCOL } from '../../src/main/terminal/protocol/control';
import { hostPlace } from '../../src/main/terminal/run-folder';
import { startTestTerminals, type TestTerminals } from '../support/terminal-client';
import { bash, isAlive, spawned, until, untilOutput } from './support';

let terminals: TestTerminals;
beforeAll(async () => {
  terminals = await startTestTerminals();
});
afterAll(() => terminals.stop());

test('what runs in a host of another version of Lathe that cannot be reached is offered, and ends only when that is wished', async () => {
  const [kept, ended] = ['kept', 'ended'].map((name) =>
    bash(terminals, `trap '' HUP; echo ready; sleep 600 # ${name}`),
  );
  if (kept === undefined || ended === undefined) throw new Error('There are two.');
  const pids: number[] = [];
  for (const spec of [kept, ended]) {
    pids.push((await spawned(terminals.client, spec)).pid);
    await untilOutput(terminals.client, spec.id, 'ready');
  }
  // As if it spoke another protocol, which in truth it refuses.
  const { record } = hostPlace(terminals.runFolder);
  const other = join(terminals.runFolder, `terminal-host-v${PROTOCOL - 1}.json`);
  await rename(record, other);

  const later = terminals.connect();
  expect(await later.list()).toEqual([]);
  const offered = await later.leftovers();
  expect(offered.map(({ command, otherVersion }) => [command, otherVersion])).toEqual([
    [kept.command, true],
    [ended.command, true],
  ]);
  const report = await later.endLeftovers([offered[1]?.id ?? '']);
  expect(report.survivors).toEqual([]);
  await until(() => pids.map(isAlive).join() === 'true,false');
  // The end of this Lathe is not that of the other one.
  await later.close({ keepTerminals: false });
  expect(pids.map(isAlive)).toEqual([true, false]);

  const third = terminals.connect();
  expect((await third.leftovers()).map(({ command }) => command)).toEqual([kept.command]);
  await third.forgetLeftovers();
  expect(await third.leftovers()).toEqual([]);
  expect(await terminals.connect().leftovers()).toHaveLength(1);
  expect(isAlive(pids[0] ?? 0)).toBe(true);
  await rename(other, record);
});
