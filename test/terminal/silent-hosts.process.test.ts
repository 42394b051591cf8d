import { expect, test } from 'vitest';
import type { TerminalClient } from '../../src/main/terminal/client/terminal-client';
import type { TerminalHostState } from '../../src/shared/terminal';
import { LOOKS, NEVER_MS, type Silence, startSilence } from './silent';
import { bash, isAlive, spawned, until, untilOutput } from './support';

/** The first look waits this long for a silent host. Milliseconds. */
const GREETING_MS = 3_000;
/** Longer than one such wait, and shorter than two of them. Milliseconds. */
const BETWEEN_MS = 5_500;

/** Runs a task in a host of the version before the update and one in ours. */
async function withTwoHosts(silence: Silence) {
  const { terminals } = silence;
  const older = await silence.older();
  const ours = silence.ours();
  // A shell that waits would end by an exit code where its command is ended first.
  const command = 'trap "" HUP; echo before; exec sleep 600';
  const tasks = [1, 2].map((n) => bash(terminals, `${command} # ${n}`));
  const [old, own] = tasks;
  if (old === undefined || own === undefined) throw new Error('There are two.');
  const pids = [(await spawned(older, old)).pid, (await spawned(terminals.client, own)).pid];
  await untilOutput(older, old.id, 'before');
  await untilOutput(terminals.client, own.id, 'before');
  await ours.connect();
  const hostPids = [older.pid ?? 0, ours.pid ?? 0];
  for (const client of [older, ours, terminals.client]) await client.close({ keepTerminals: true });
  return { tasks, pids, hostPids };
}

function watched(client: TerminalClient): readonly TerminalHostState[] {
  const states: TerminalHostState[] = [];
  client.onHostState((state) => states.push(state));
  return states;
}

const ACTS: readonly (readonly [
  string,
  (client: TerminalClient, id: string) => Promise<unknown>,
])[] = [
  ['the list', (client) => client.list()],
  ['what they use', (client) => client.processes()],
  ['the end of a task', (client, id) => client.mayRun(id)],
  ['a kill', (client, id) => client.kill(id, 0)],
  [
    'a window',
    (client) =>
      client.openViewerChannel(
        () => undefined,
        () => undefined,
      ),
  ],
];

test.concurrent.for(ACTS)(
  'two silent hosts are waited for at once, not one after the other: %s',
  async ([_what, act], context) => {
    const silence = await startSilence(context);
    const { terminals, stop } = silence;
    const { tasks, hostPids } = await withTwoHosts(silence);
    for (const pid of hostPids) stop(pid);
    const client = terminals.connect({ greetingMs: GREETING_MS, answerMs: NEVER_MS });
    const between = silence.ours(BETWEEN_MS);
    const first = await Promise.race([
      act(client, tasks[1]?.id ?? '').then(() => 'once'),
      between.connect().then(() => 'added up'),
    ]);
    expect(first).toBe('once');
    await between.close({ keepTerminals: true });
  },
);

test.concurrent('two hosts that are silent from the start hold nothing up, are told, and are replaced together', async (context) => {
  const silence = await startSilence(context);
  const { terminals, stop } = silence;
  const { tasks, pids, hostPids } = await withTwoHosts(silence);
  for (const pid of hostPids) stop(pid);
  const client = terminals.connect({ greetingMs: GREETING_MS, answerMs: NEVER_MS });
  const states = watched(client);
  for (let time = 0; time < LOOKS; time += 1) {
    expect(await client.list()).toEqual([]);
    expect(await client.processes()).toMatchObject({ error: { code: 'host_hung' } });
    expect(await client.spawn(bash(terminals, 'true'))).toMatchObject({
      error: { code: 'host_hung' },
    });
    for (const { id } of tasks) expect(await client.mayRun(id)).toBe(true);
  }
  expect(states.at(-1)).toBe('hung');
  const [stopping = '', left = ''] = tasks.map(({ id }) => id);
  expect(await client.kill(stopping, 0)).toMatchObject({ survivors: [] });
  expect(pids.map(isAlive)).toEqual([false, true]);
  const end = client.exited(left);
  expect((await client.restartHost()).ok).toBe(true);
  expect(hostPids.map(isAlive)).toEqual([false, false]);
  expect((await end).lost).toBe('The terminal host ended.');
  await until(() => states.at(-1) === 'ready');
  await spawned(client, bash(terminals, 'true'));
  const offered = await client.leftovers();
  expect(offered.map(({ command }) => command)).toEqual([tasks[1]?.command]);
  expect(await client.endLeftovers(offered.map(({ id }) => id))).toMatchObject({ survivors: [] });
});

test.concurrent('two hosts that fall silent later hold nothing up, and wake together', async (context) => {
  const silence = await startSilence(context);
  const { terminals, stop, wake } = silence;
  const { tasks, pids, hostPids } = await withTwoHosts(silence);
  const client = terminals.connect({ answerMs: NEVER_MS, pingAnswerMs: 1_000 });
  const states = watched(client);
  const ids = tasks.map(({ id }) => id);
  expect((await client.list()).map(({ id }) => id)).toEqual(ids);
  for (const pid of hostPids) stop(pid);
  await until(() => states.at(-1) === 'hung');
  for (let time = 0; time < LOOKS; time += 1) {
    expect((await client.list()).map(({ id }) => id)).toEqual(ids);
    expect(await client.processes()).toMatchObject({ error: { code: 'host_hung' } });
  }
  expect(await client.kill(ids[0] ?? '', 0)).toMatchObject({ survivors: [] });
  expect(pids.map(isAlive)).toEqual([false, true]);
  for (const pid of hostPids) wake(pid);
  await until(() => states.at(-1) === 'ready');
  expect(await client.exited(ids[0] ?? '')).toMatchObject({ signal: 15 });
  expect(await client.kill(ids[1] ?? '', 0)).toMatchObject({ survivors: [] });
});

test.concurrent.for([
  ['the older one', 0],
  ['ours', 1],
] as const)(
  'a task that either of two silent hosts may hold is followed to its end, though the other wakes first: %s',
  async ([_what, holding], context) => {
    const silence = await startSilence(context);
    const { terminals, stop, wake } = silence;
    const { tasks, pids, hostPids } = await withTwoHosts(silence);
    for (const pid of hostPids) stop(pid);
    const client = terminals.connect({ greetingMs: GREETING_MS });
    const states = watched(client);
    const id = tasks[holding]?.id ?? '';
    expect(await client.mayRun(id)).toBe(true);
    const seen = untilOutput(client, id, 'before');
    const end = client.exited(id);
    const lists: string[][] = [];
    client.onChanged((list) => lists.push(list.map((info) => info.id)));
    wake(hostPids[1 - holding] ?? 0);
    await until(() => lists.at(-1)?.includes(tasks[1 - holding]?.id ?? '') === true);
    wake(hostPids[holding] ?? 0);
    await until(() => lists.at(-1)?.includes(id) === true);
    await seen;
    await until(() => states.at(-1) === 'ready');
    expect(await client.kill(id, 0)).toMatchObject({ survivors: [] });
    expect(isAlive(pids[holding] ?? 0)).toBe(false);
    expect((await end).lost).toBeUndefined();
    expect(await client.kill(tasks[1 - holding]?.id ?? '', 0)).toMatchObject({ survivors: [] });
  },
);

test.concurrent('who leaves ends a task in a silent host also when another that might have held it has woken', async (context) => {
  const silence = await startSilence(context);
  const { terminals, stop, wake } = silence;
  const { tasks, pids, hostPids } = await withTwoHosts(silence);
  for (const pid of hostPids) stop(pid);
  const client = terminals.connect({ greetingMs: GREETING_MS });
  const [id = '', other = ''] = tasks.map((task) => task.id);
  expect(await client.mayRun(id)).toBe(true);
  const lists: string[][] = [];
  client.onChanged((list) => lists.push(list.map((info) => info.id)));
  wake(hostPids[1] ?? 0);
  await until(() => lists.at(-1)?.includes(other) === true);
  await client.leave([id]);
  expect(pids.map(isAlive)).toEqual([false, true]);
});
