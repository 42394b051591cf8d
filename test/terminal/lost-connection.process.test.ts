import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { TerminalExit } from '../../src/main/engine/ports';
import { hostPlace, readHostRecord, writeHostRecord } from '../../src/main/terminal/run-folder';
import type { TerminalHostState } from '../../src/shared/terminal';
import { startTestTerminals, type TestTerminals } from '../support/terminal-client';
import { bash, spawned, until, untilOutput } from './support';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Starts a host, and a second client whose connections to it can be cut. */
async function startCuttable() {
  const terminals = await startTestTerminals();
  ends.push(() => terminals.stop());
  await spawned(terminals.client, bash(terminals, 'true'));
  const place = hostPlace(terminals.runFolder);
  const record = await readHostRecord(place);
  if (record === null) throw new Error('No host is published.');
  const open = new Set<Socket>();
  let refuses = false;
  const server = createServer((near) => {
    if (refuses) return near.destroy();
    const far = createConnection(record.socket);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.on('error', () => undefined).on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  const socket = join(terminals.runFolder, 'between.sock');
  await once(server.listen(socket), 'listening');
  ends.push(() => server.close());
  writeHostRecord(place, { ...record, socket });
  const client = terminals.connect();
  const states: TerminalHostState[] = [];
  client.onHostState((state) => states.push(state));
  return {
    ...{ terminals, client, states, hostPid: record.pid },
    /** Cuts what is connected; `refuse` also whatever tries to. */
    cut(refuse = false) {
      refuses = refuse;
      for (const each of open) each.destroy();
      open.clear();
    },
  };
}

const runs = async ({ client }: Pick<TestTerminals, 'client'>, id: string) =>
  (await client.list()).some((info) => info.id === id && info.endedAt === undefined);

test('a lost connection to a host that lives loses nothing: its terminals run on and end as they end', async () => {
  const { client, terminals, states, cut } = await startCuttable();
  const spec = bash(terminals, 'echo ready; read -r; exit 7', { callId: 'call-1' });
  await spawned(client, spec);
  await untilOutput(client, spec.id, 'ready');
  const heard: TerminalExit[] = [];
  const waiting = client.exited(spec.id).then((exit) => heard.push(exit));
  for (let time = 0; time < 3; time += 1) {
    cut();
    await until(async () => (await client.list()).length > 0);
    expect(await runs({ client }, spec.id)).toBe(true);
  }
  expect(heard).toEqual([]);
  expect(states).not.toContain('lost');
  // An end that comes while nobody is connected is heard of, too.
  cut();
  await terminals.client.kill(spec.id, 100);
  await waiting;
  expect(heard).toMatchObject([{ stopped: 'The user stopped it in its terminal.' }]);
  expect(heard[0]?.lost).toBeUndefined();
});

test('a host that cannot be reached any more is lost, with what ran in it', async () => {
  const { client, terminals, states, cut } = await startCuttable();
  const spec = bash(terminals, 'echo ready; read -r');
  await spawned(client, spec);
  await untilOutput(client, spec.id, 'ready');
  const waiting = client.exited(spec.id);
  cut(true);
  expect(await waiting).toMatchObject({ lost: 'The terminal host ended.' });
  await until(() => states.includes('lost'));
});

test('a viewer that comes back while a loss is found out starts no other host before it is told', async () => {
  const { client, terminals, states, hostPid } = await startCuttable();
  const spec = bash(terminals, 'echo ready; read -r');
  await spawned(client, spec);
  await untilOutput(client, spec.id, 'ready');
  process.kill(hostPid, 'SIGKILL');
  while (!states.includes('lost'))
    await client.openViewerChannel(
      () => {},
      () => {},
    );
  expect(states.at(-1)).toBe('lost');
});
