import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ControlGroups } from '../../src/main/terminal/process/control-groups';
import { hostPlace, readHostRecord } from '../../src/main/terminal/run-folder';
import { runs } from '../support/runs';
import { startTestTerminals, type TestTerminals } from '../support/terminal-client';
import { bash, isAlive, spawned, until, untilOutput } from './support';

let terminals: TestTerminals;
beforeAll(async () => {
  terminals = await startTestTerminals();
});
afterAll(() => terminals.stop());

/** Trees that are hard to end. `$N` stands for a number that no other process of the machine sleeps for. */
const TREES = [
  'setsid sleep $N & echo ready; wait',
  '(setsid sleep $N &) ; echo ready; sleep $N',
  "trap '' TERM HUP INT; sleep $N & echo ready; while :; do wait; done",
  'sleep $N & kill -STOP $!; echo ready; kill -STOP $$; wait',
  'env -i sleep $N & env -i setsid sleep $N & echo ready; wait',
  'exec -a postgres sleep $N & bash -c "trap \\"\\" TERM; setsid sleep $N & wait" & echo ready; wait',
  'sleep $N & echo ready; exit 0',
];

/** Daemons that leave parents, session and environment at once: only a control group tells whose they are. */
const DAEMONS = [
  '(env -i setsid sleep $N &) ; echo ready; exit 0',
  '(env -i setsid /bin/sh -c "trap \\"\\" TERM HUP; (setsid sleep $N &) ; sleep $N" &) ; echo ready; sleep $N',
];

/** Each tree more than ten times. */
const CYCLES = runs(100);
const TOGETHER = 10;
const GRACE_MS = 50;

/** Returns the living processes that sleep for one of our numbers. */
function sleepers(mark: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(mark) && isAlive(Number(pid));
    } catch {
      return false;
    }
  });
}

test(`${CYCLES} trees are started and ended: none survives, none that is not ours is touched`, async () => {
  const mark = `7${process.pid}`;
  const ours = spawn('sleep', [`9${process.pid}`]);
  const record = async () => readHostRecord(hostPlace(terminals.runFolder));
  const descriptors = async () => readdirSync(`/proc/${(await record())?.pid}/fd`).length;
  const survivors: number[] = [];
  const probe = ControlGroups.open(`probe-${process.pid}`);
  await probe?.close();
  const trees = probe === null ? TREES : [...TREES, ...DAEMONS];
  let before = Number.POSITIVE_INFINITY;
  for (let done = 0; done < CYCLES; done += TOGETHER) {
    const specs = Array.from({ length: TOGETHER }, (_, at) => {
      const tree = trees[(done + at) % trees.length] ?? '';
      return bash(terminals, tree.replaceAll('$N', `${mark}${done + at}`));
    });
    await Promise.all(
      specs.map(async (spec) => {
        await spawned(terminals.client, spec);
        await untilOutput(terminals.client, spec.id, 'ready');
        survivors.push(...(await terminals.client.kill(spec.id, GRACE_MS)).survivors);
        await terminals.client.exited(spec.id);
        await terminals.client.dismiss(spec.id);
      }),
    );
    if (done === 0) before = await descriptors();
  }
  expect(survivors).toEqual([]);
  expect(sleepers(mark)).toEqual([]);
  expect(isAlive(ours.pid ?? 0)).toBe(true);
  ours.kill();
  // A spare shell comes and goes.
  await until(async () => (await descriptors()) <= before);
});
