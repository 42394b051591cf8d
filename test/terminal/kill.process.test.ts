import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestTerminals, type TestTerminals } from '../support/terminal-client';
import { bash, isAlive, shell, spawned, until, untilOutput } from './support';

let terminals: TestTerminals;
beforeAll(async () => {
  terminals = await startTestTerminals();
});
afterAll(() => terminals.stop());

/** The pids a command wrote into a file, one a line, as soon as there are `count`. */
async function pidsIn(file: string, count: number): Promise<number[]> {
  let pids: number[] = [];
  await until(async () => {
    const text = await readFile(file, 'utf8').catch(() => '');
    pids = text.split('\n').filter(Boolean).map(Number);
    return pids.length >= count;
  });
  return pids;
}

let files = 0;
const pidFile = () => join(terminals.folder, `pids-${files++}`);

describe('kill', () => {
  test('THREATS 17: ends the whole tree: children, children in their own session, orphans of the tree', async () => {
    const file = pidFile();
    const spec = bash(
      terminals,
      `echo $$ > ${file}
       sleep 600 & echo $! >> ${file}
       setsid bash -c 'echo $$ >> ${file}; sleep 600' &
       (setsid bash -c 'echo $$ >> ${file}; setsid sleep 600 & echo $! >> ${file}; sleep 600' &) &
       wait`,
    );
    await spawned(terminals.client, spec);
    const pids = await pidsIn(file, 5);
    expect(pids.every(isAlive)).toBe(true);
    const report = await terminals.client.kill(spec.id, 2_000);
    expect(report.survivors).toEqual([]);
    expect(report.killed).toEqual(expect.arrayContaining(pids));
    expect(pids.filter(isAlive)).toEqual([]);
  });

  test('TERM comes first and gives time to tidy up', async () => {
    const spec = bash(
      terminals,
      "trap 'echo tidy; exit 7' TERM; echo set; while :; do sleep 0.05; done",
    );
    await spawned(terminals.client, spec);
    await untilOutput(terminals.client, spec.id, 'set');
    await terminals.client.kill(spec.id, 5_000);
    expect(await terminals.client.exited(spec.id)).toMatchObject({
      exitCode: 7,
      stopped: 'The user stopped it in its terminal.',
    });
  });

  test('what ignores TERM and HUP is ended with KILL after the grace time', async () => {
    const file = pidFile();
    const spec = bash(
      terminals,
      `trap '' TERM HUP; echo $$ > ${file}; bash -c 'trap "" TERM HUP; echo $$ >> ${file}; while :; do sleep 0.05; done'; while :; do sleep 0.05; done`,
    );
    await spawned(terminals.client, spec);
    const pids = await pidsIn(file, 2);
    const report = await terminals.client.kill(spec.id, 100);
    expect(report.survivors).toEqual([]);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(await terminals.client.exited(spec.id)).toMatchObject({ exitCode: null, signal: 9 });
  });

  test('a stopped process ends too', async () => {
    const spec = bash(terminals, 'kill -STOP $$; echo never');
    const { pid } = await spawned(terminals.client, spec);
    await until(async () => / T /.test(await readFile(`/proc/${pid}/stat`, 'utf8')));
    expect((await terminals.client.kill(spec.id, 500)).survivors).toEqual([]);
    expect(isAlive(pid)).toBe(false);
  });

  test('an interactive shell and its background work end within the grace time', async () => {
    const spec = shell(terminals);
    const { pid } = await spawned(terminals.client, spec);
    await untilOutput(terminals.client, spec.id, '$');
    const report = await terminals.client.kill(spec.id, 5_000);
    expect(report).toMatchObject({ survivors: [] });
    expect(report.killed).toContain(pid);
    // By the hang-up, not by force.
    expect((await terminals.client.exited(spec.id)).signal).not.toBe(9);
  });

  test('background processes outlive their command, and go with its terminal', async () => {
    const file = pidFile();
    const spec = bash(
      terminals,
      `setsid bash -c 'echo $$ > ${file}; exec sleep 600' & until [ -s ${file} ]; do sleep 0.01; done; exit 0`,
    );
    await spawned(terminals.client, spec);
    const [server = 0] = await pidsIn(file, 1);
    expect(await terminals.client.exited(spec.id)).toMatchObject({ exitCode: 0 });
    expect(isAlive(server)).toBe(true);
    await terminals.client.dismiss(spec.id);
    const report = await terminals.client.kill(spec.id, 500);
    expect(report).toEqual({ killed: [server], survivors: [] });
    expect(isAlive(server)).toBe(false);
  });

  test('THREATS 17: nothing but the tree is touched', async () => {
    const [one, other] = [bash(terminals, 'exec sleep 600'), bash(terminals, 'exec sleep 600')];
    const first = await spawned(terminals.client, one);
    const second = await spawned(terminals.client, other);
    expect(await terminals.client.kill(one.id, 500)).toMatchObject({
      killed: [first.pid],
      survivors: [],
    });
    expect(isAlive(second.pid)).toBe(true);
    expect(await terminals.client.kill('unknown', 0)).toEqual({ killed: [], survivors: [] });
    expect(isAlive(second.pid)).toBe(true);
    await terminals.client.kill(other.id, 0);
  });

  test('a second kill of the same terminal finds nothing', async () => {
    const spec = bash(terminals, 'sleep 600');
    await spawned(terminals.client, spec);
    const reports = await Promise.all([
      terminals.client.kill(spec.id, 500),
      terminals.client.kill(spec.id, 500),
    ]);
    expect(reports.flatMap((report) => report.survivors)).toEqual([]);
    expect(await terminals.client.kill(spec.id, 0)).toMatchObject({ killed: [], survivors: [] });
  });
});
