import { expect, type TestContext, test } from 'vitest';
import { hostPlace, readHostRecord } from '../../src/main/terminal/run-folder';
import type { TerminalHostState } from '../../src/shared/terminal';
import { TestPane } from '../support/terminal-pane';
import { LOOKS, NEVER_MS, type Silence, startSilence } from './silent';
import { bash, isAlive, spawned, until, untilOutput } from './support';

const silenceIn = (context: TestContext) =>
  startSilence(context, { answerMs: NEVER_MS, greetingMs: 2_000 });

/** Starts a task in the host of the version before the update, and stops that host. */
async function withSilentHost({ terminals, stop, older: olderVersion }: Silence) {
  const older = await olderVersion();
  const task = bash(terminals, 'trap "" HUP; echo before; sleep 600');
  const { pid } = await spawned(older, task);
  await untilOutput(older, task.id, 'before');
  const hostPid = older.pid ?? 0;
  await older.close({ keepTerminals: true });
  stop(hostPid);
  const { client } = terminals;
  const states: TerminalHostState[] = [];
  client.onHostState((state) => states.push(state));
  return { client, task, pid, hostPid, states };
}

test.concurrent('an older host that is silent holds nothing up: what ours has is listed, shown and ended, and the silent one is told', async (context) => {
  const silence = await silenceIn(context);
  const { terminals } = silence;
  const { client, task, pid, states } = await withSilentHost(silence);
  const fresh = bash(terminals, 'echo fresh; sleep 600');
  await spawned(client, fresh);
  for (let time = 0; time < LOOKS; time += 1) {
    expect((await client.list()).map(({ id }) => id)).toEqual([fresh.id]);
  }
  const trees = await client.processes();
  expect(trees.ok && trees.value.map(({ terminalId }) => terminalId)).toEqual([fresh.id]);
  const pane = await TestPane.open(client, fresh.id);
  await pane.untilText('fresh');
  await until(() => states.at(-1) === 'other_hung');
  // What it holds is known by its ledger.
  expect((await client.leftovers()).map(({ command }) => command)).toEqual([task.command]);
  expect(await client.kill(fresh.id, 0)).toMatchObject({ survivors: [] });
  expect(isAlive(pid)).toBe(true);
});

test.concurrent('a silent host that wakes is there again by itself', async (context) => {
  const silence = await silenceIn(context);
  const { wake } = silence;
  const { client, task, hostPid, states } = await withSilentHost(silence);
  expect(await client.list()).toEqual([]);
  await until(() => states.at(-1) === 'other_hung');
  expect(await client.mayRun(task.id)).toBe(true);
  const end = client.exited(task.id);
  const lists: string[][] = [];
  client.onChanged((list) => lists.push(list.map(({ id }) => id)));
  wake(hostPid);
  await until(() => lists.at(-1)?.join() === task.id);
  await until(() => !['other_hung', 'hung', 'lost'].includes(states.at(-1) ?? ''));
  expect(await client.leftovers()).toEqual([]);
  const pane = await TestPane.open(client, task.id);
  await pane.untilText('before');
  expect(await client.mayRun('trm_unknown')).toBe(false);
  await client.kill(task.id, 0);
  expect((await end).lost).toBeUndefined();
});

test.concurrent('a silent host is ended when the user says so, and what it held is offered', async (context) => {
  const silence = await silenceIn(context);
  const { terminals } = silence;
  const { client, task, pid, hostPid, states } = await withSilentHost(silence);
  const fresh = bash(terminals, 'sleep 600');
  await spawned(client, fresh);
  await client.list();
  await until(() => states.at(-1) === 'other_hung');
  expect((await client.restartHost()).ok).toBe(true);
  await until(() => !isAlive(hostPid));
  expect(states.at(-1)).toBe('ready');
  const left = await client.leftovers();
  expect(left.map(({ command }) => command)).toEqual([task.command]);
  expect((await client.endLeftovers(left.map(({ id }) => id))).survivors).toEqual([]);
  expect(isAlive(pid)).toBe(false);
  expect((await client.list()).find(({ id }) => id === fresh.id)?.endedAt).toBeUndefined();
});

test.concurrent('an older host that falls silent later holds nothing up either, and its terminals stay listed', async (context) => {
  const silence = await silenceIn(context);
  const { terminals, stop, wake } = silence;
  const { client, task, hostPid, states } = await withSilentHost(silence);
  wake(hostPid);
  const again = terminals.connect({ greetingMs: NEVER_MS, pingAnswerMs: 1_000 });
  again.onHostState((state) => states.push(state));
  const fresh = bash(terminals, 'sleep 600');
  await spawned(again, fresh);
  expect((await again.list()).map(({ id }) => id)).toEqual([task.id, fresh.id]);
  stop(hostPid);
  for (let time = 0; time < LOOKS; time += 1)
    expect((await again.list()).map(({ id }) => id)).toEqual([task.id, fresh.id]);
  const trees = await again.processes();
  expect(trees.ok && trees.value.map(({ terminalId }) => terminalId)).toEqual([fresh.id]);
  await until(() => states.at(-1) === 'other_hung');
  await client.close({ keepTerminals: true });
});

test.concurrent('our own host that is silent when Lathe starts is told at once from then on, and can be replaced', async (context) => {
  const { terminals, stop } = await silenceIn(context);
  const { client } = terminals;
  const task = bash(terminals, 'trap "" HUP; sleep 600');
  const { pid } = await spawned(client, task);
  const own = (await readHostRecord(hostPlace(terminals.runFolder)))?.pid ?? 0;
  stop(own);
  const later = terminals.connect();
  const states: TerminalHostState[] = [];
  later.onHostState((state) => states.push(state));
  for (let time = 0; time < LOOKS; time += 1) {
    expect(await later.list()).toEqual([]);
    expect(await later.spawn(bash(terminals, 'true'))).toMatchObject({
      error: { code: 'host_hung' },
    });
  }
  expect(states.at(-1)).toBe('hung');
  expect(await later.mayRun(task.id)).toBe(true);
  const end = later.exited(task.id);
  expect((await later.restartHost()).ok).toBe(true);
  expect([isAlive(own), states.at(-1)]).toEqual([false, 'ready']);
  expect((await end).lost).toBe('The terminal host ended.');
  await spawned(later, bash(terminals, 'true'));
  const left = await later.leftovers();
  expect(left.flatMap(({ processes }) => processes.map((one) => one.pid))).toContain(pid);
  await later.endLeftovers(left.map(({ id }) => id));
});

test.concurrent('a Stop that came before the silence of our own host was noticed does not outwait it', async (context) => {
  const { terminals, stop, wake } = await silenceIn(context);
  const client = terminals.connect({ pingAnswerMs: 1_000 });
  const states: TerminalHostState[] = [];
  client.onHostState((state) => states.push(state));
  const task = bash(terminals, 'trap "" HUP; sleep 600');
  const { pid } = await spawned(client, task);
  const own = (await readHostRecord(hostPlace(terminals.runFolder)))?.pid ?? 0;
  stop(own);
  const { killed, survivors } = await client.kill(task.id, 0);
  expect([killed.includes(pid), survivors, states.at(-1)]).toEqual([true, [], 'hung']);
  wake(own);
  await until(() => states.at(-1) === 'ready');
});
