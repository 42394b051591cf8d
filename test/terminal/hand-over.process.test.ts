import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHostClient, type HostClient } from '../../src/main/terminal/client/host-client';
import type { TerminalClient } from '../../src/main/terminal/client/terminal-client';
import { createLeftovers } from '../../src/main/terminal/process/leftovers';
import { systemProcesses } from '../../src/main/terminal/process/system-processes';
import { PROTOCOL } from '../../src/main/terminal/protocol/control';
import { hostPlace, readHostRecord } from '../../src/main/terminal/run-folder';
import type { TerminalHostState } from '../../src/shared/terminal';
import { decodeFrame, encodeFrame, FrameKind, jsonPayload } from '../../src/shared/terminal-wire';
import { buildOtherHost, buildTerminalHost } from '../support/build-entry';
import { startTestTerminals, type TestTerminals } from '../support/terminal-client';
import { TestPane } from '../support/terminal-pane';
import { bash, isAlive, shell, spawned, until, untilOutput } from './support';

/** The version before the update, whose host speaks a protocol of another number. */
const OLDER = { protocol: PROTOCOL - 1, version: '1.1.0' };

let terminals: TestTerminals;
let otherHost: string;
let olderPid: number;
beforeEach(async () => {
  terminals = await startTestTerminals();
  otherHost = await buildOtherHost(OLDER.protocol);
});
afterEach(async () => {
  const left = older();
  await left.connect();
  await left.close({ keepTerminals: false });
  await terminals.stop();
});

/** The version before the update, as far as it has terminals. */
const older = (protocol = OLDER.protocol, host = otherHost): HostClient =>
  createHostClient({
    place: hostPlace(terminals.runFolder, process.platform, tmpdir(), protocol),
    launch: { execPath: process.execPath, args: [host], version: OLDER.version },
    version: OLDER.version,
    leftovers: createLeftovers(terminals.runFolder, systemProcesses()),
  });

/** Starts a task and a shell in the version before the update, which then goes and keeps both. */
async function updated() {
  const task = bash(
    terminals,
    'trap "" HUP; echo before; until [ -e go ]; do sleep 0.05; done; echo after',
    {
      taskId: 'task',
      outputFile: join(terminals.folder, 'task.out'),
    },
  );
  const own = shell(terminals);
  const before = older();
  for (const spec of [task, own]) await spawned(before, spec);
  await untilOutput(before, task.id, 'before');
  olderPid = before.pid ?? 0;
  await before.close({ keepTerminals: true });
  return { task, own, client: terminals.connect() };
}

/** Opens one channel for several panes, as a window does. */
async function openWindow(client: TerminalClient) {
  const texts = new Map<number, string>();
  let closed = false;
  const channel = await client.openViewerChannel(
    (bytes) => {
      const { viewer, payload } = decodeFrame(bytes) ?? { viewer: 0, payload: Buffer.of() };
      texts.set(viewer, (texts.get(viewer) ?? '') + Buffer.from(payload).toString());
    },
    () => {
      closed = true;
    },
  );
  if (!channel.ok) throw new Error(channel.error.message);
  const send = (kind: FrameKind, viewer: number, payload: Uint8Array) =>
    channel.value.send(encodeFrame({ kind, viewer, payload }));
  return {
    attach: (viewer: number, terminalId: string) =>
      send(FrameKind.attach, viewer, jsonPayload({ terminalId })),
    type: (viewer: number, text: string) => send(FrameKind.input, viewer, Buffer.from(text)),
    seen: (viewer: number) => texts.get(viewer) ?? '',
    closed: () => closed,
  };
}

test('what runs in the host of the version before an update is listed, shown, steered and ended', async () => {
  const { task, own, client } = await updated();
  const listed = await client.list();
  expect(listed.map(({ id, endedAt, hostVersion }) => [id, endedAt, hostVersion])).toEqual([
    [task.id, undefined, OLDER.version],
    [own.id, undefined, OLDER.version],
  ]);
  expect(await client.leftovers()).toEqual([]);

  // What starts now starts in a host of ours, and one window shows all of them.
  const fresh = bash(terminals, 'echo fresh; sleep 600');
  await spawned(client, fresh);
  const pid = (await readHostRecord(hostPlace(terminals.runFolder)))?.pid ?? 0;
  expect([olderPid, pid].map(isAlive)).toEqual([true, true]);
  expect(pid).not.toBe(olderPid);
  const window = await openWindow(client);
  window.attach(1, fresh.id);
  window.attach(2, own.id);
  await until(() => window.seen(1).includes('fresh') && window.seen(2).includes('$ '));
  window.type(2, 'echo $((6 * 7))\r');
  await until(() => window.seen(2).includes('42'));
  const live = await TestPane.open(client, task.id);
  await live.untilText('before');
  expect((await client.processes()).ok && (await client.text(task.id))).toMatchObject({
    value: expect.stringContaining('before'),
  });

  window.type(2, 'touch go\r');
  expect(await client.exited(task.id)).toMatchObject({ exitCode: 0 });
  await live.untilText('after');
  expect(await readFile(task.outputFile ?? '', 'utf8')).toBe('before\r\nafter\r\n');
  const { killed, survivors } = await client.kill(own.id, 2_000);
  expect([killed.length > 0, survivors]).toEqual([true, []]);

  // Ended panes are there until they are closed; then the older host goes, and nothing else does.
  expect(isAlive(olderPid)).toBe(true);
  for (const { id } of [task, own]) await client.dismiss(id);
  await until(() => !isAlive(olderPid));
  expect((await client.list()).map(({ id }) => id)).toEqual([fresh.id]);
  window.type(1, 'still');
  await until(() => window.seen(1).includes('still'));
  expect(window.closed()).toBe(false);
  expect(await client.exited(task.id)).toMatchObject({ exitCode: 0 });
});

test('at the end of the updated Lathe its older host ends with it, or goes on with what is kept', async () => {
  const { task, own, client } = await updated();
  await client.list();
  await client.pin(task.id, true);
  await client.close({ keepTerminals: false });
  const next = terminals.connect();
  expect((await next.list()).map(({ id, endedAt }) => [id, endedAt === undefined])).toEqual([
    [task.id, true],
    [own.id, false],
  ]);
  await next.pin(task.id, false);
  await next.close({ keepTerminals: false });
  await until(() => !isAlive(olderPid));
});

test('the host of an older version that speaks our protocol goes on, says whose it is, and takes what starts now', async () => {
  const before = older(PROTOCOL, await buildTerminalHost());
  const task = bash(terminals, 'trap "" HUP; echo before; read -r; exit 5');
  await spawned(before, task);
  await untilOutput(before, task.id, 'before');
  olderPid = before.pid ?? 0;
  await before.close({ keepTerminals: true });

  const { client } = terminals;
  const versions = async () =>
    (await client.list()).map(({ id, hostVersion }) => [id, hostVersion]);
  expect(await versions()).toEqual([[task.id, OLDER.version]]);
  const fresh = bash(terminals, 'sleep 600');
  await spawned(client, fresh);
  expect(await versions()).toEqual([
    [task.id, OLDER.version],
    [fresh.id, OLDER.version],
  ]);
  expect((await readHostRecord(hostPlace(terminals.runFolder)))?.pid).toBe(olderPid);
  const window = await openWindow(client);
  window.attach(1, task.id);
  await until(() => window.seen(1).includes('before'));
  window.type(1, '\r');
  expect(await client.exited(task.id)).toMatchObject({ exitCode: 5 });
  expect(await client.leftovers()).toEqual([]);
  await client.close({ keepTerminals: false });
  await until(() => !isAlive(olderPid));
  // The next one is ours.
  const next = terminals.connect();
  const own = bash(terminals, 'sleep 600');
  await spawned(next, own);
  expect((await next.list()).map(({ id, hostVersion }) => [id, hostVersion])).toEqual([
    [own.id, undefined],
  ]);
});

test('an older host in which nothing is left ends as soon as the updated Lathe has looked', async () => {
  const [other, last] = [older(), terminals.connect()];
  const spec = bash(terminals, 'true');
  await spawned(other, spec);
  await other.exited(spec.id);
  await other.dismiss(spec.id);
  olderPid = other.pid ?? 0;
  await other.close({ keepTerminals: true });
  expect([isAlive(olderPid), await last.list()]).toEqual([true, []]);
  await until(() => !isAlive(olderPid));
});

test('an older host that dies takes only its own terminals along, and that is told', async () => {
  const { task, client } = await updated();
  const states: TerminalHostState[] = [];
  client.onHostState((state) => states.push(state));
  const fresh = bash(terminals, 'sleep 600');
  await spawned(client, fresh);
  await client.list();
  const pane = await TestPane.open(client, task.id);
  await pane.untilText('before');
  process.kill(olderPid, 'SIGKILL');
  expect(await client.exited(task.id)).toMatchObject({ lost: expect.any(String) });
  await pane.until(({ closed }) => closed);
  await until(() => states.at(-1) === 'lost');
  expect((await client.list()).map(({ lost }) => lost)).toEqual([true, true, undefined]);
  expect((await client.leftovers()).map(({ command }) => command)).toContain(task.command);
  const again = await TestPane.open(client, task.id);
  await again.until(({ refused }) => refused !== null);
  expect((await client.restartHost()).ok).toBe(true);
  expect(states.at(-1)).toBe('ready');
  expect((await client.list()).find(({ id }) => id === fresh.id)?.endedAt).toBeUndefined();
});

test('an older host that died is told until the next command runs, and hides no later death of ours', async () => {
  const { task, client } = await updated();
  const states: TerminalHostState[] = [];
  client.onHostState((state) => states.push(state));
  const losses = () => states.filter((state) => state === 'lost').length;
  await client.list();
  process.kill(olderPid, 'SIGKILL');
  await client.exited(task.id);
  await until(() => losses() === 1);
  await spawned(client, bash(terminals, 'sleep 600'));
  expect(states.at(-1)).toBe('ready');
  const pid = (await readHostRecord(hostPlace(terminals.runFolder)))?.pid ?? 0;
  process.kill(pid, 'SIGKILL');
  await until(() => losses() === 2);
});
