import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createUsageReader,
  parseListening,
  parsePsUsage,
} from '../../src/main/terminal/process/process-usage';
import { systemProcesses } from '../../src/main/terminal/process/system-processes';
import type { ProcessTree } from '../../src/shared/terminal';
import { startTestTerminals, type TestTerminals } from '../support/terminal-client';
import { bash, isAlive, spawned, until, untilOutput } from './support';

let terminals: TestTerminals;
beforeAll(async () => {
  terminals = await startTestTerminals();
});
afterAll(() => terminals.stop());

const processes = async (): Promise<readonly ProcessTree[]> => {
  const trees = await terminals.client.processes();
  if (!trees.ok) throw new Error(trees.error.message);
  return trees.value;
};
const treeOf = async (id: string) =>
  (await processes()).find(({ terminalId }) => terminalId === id)?.processes ?? [];

describe('the processes of terminals', () => {
  test('are listed with what they use, those that left their session too', async () => {
    const spec = bash(
      terminals,
      "setsid sleep 601 & exec node -e \"require('net').createServer().listen(0, () => console.log('listens'))\"",
    );
    const { pid } = await spawned(terminals.client, spec);
    await untilOutput(terminals.client, spec.id, 'listens');
    await until(async () => (await treeOf(spec.id)).some(({ command }) => command.includes('601')));
    const tree = await treeOf(spec.id);
    const server = tree.find((one) => one.pid === pid);
    expect(server).toMatchObject({ ports: [expect.any(Number)], cpu: expect.any(Number) });
    expect(server?.command).toMatch(/^node -e /);
    expect(server?.memory).toBeGreaterThan(5_000_000);
    expect(Math.abs(Date.now() - (server?.startedAt ?? 0))).toBeLessThan(120_000);
    const child = tree.find(({ command }) => command === 'sleep 601');
    expect(child).toMatchObject({ name: 'sleep', ports: [] });
    expect((await terminals.client.kill(spec.id, 0)).survivors).toEqual([]);
    expect(await treeOf(spec.id)).toEqual([]);
  });

  test('end one by one, verified, and nothing else ends', async () => {
    const spec = bash(
      terminals,
      "trap '' TERM; sleep 602 & sleep 603 & echo ready; wait; sleep 604",
    );
    const { pid } = await spawned(terminals.client, spec);
    await untilOutput(terminals.client, spec.id, 'ready');
    const named = async (command: string) =>
      (await treeOf(spec.id)).find((one) => one.command === command);
    await until(
      async () =>
        (await named('sleep 602')) !== undefined && (await named('sleep 603')) !== undefined,
    );
    const [first, second] = [await named('sleep 602'), await named('sleep 603')];
    if (first === undefined || second === undefined) throw new Error('They are not listed.');
    const killed = await terminals.client.killProcess(spec.id, first.pid, first.startTime);
    expect(killed).toEqual({ ok: true, value: { killed: [first.pid], survivors: [] } });
    expect([isAlive(first.pid), isAlive(second.pid), isAlive(pid)]).toEqual([false, true, true]);
    // Another process with this pid, and processes of nobody's terminal, are left alone.
    const nothing = { ok: true, value: { killed: [], survivors: [] } };
    expect(await terminals.client.killProcess(spec.id, second.pid, 'earlier')).toEqual(nothing);
    const own = await systemProcesses().startTime(process.pid);
    expect(await terminals.client.killProcess(spec.id, process.pid, own ?? '')).toEqual(nothing);
    expect(isAlive(second.pid)).toBe(true);
    await terminals.client.kill(spec.id, 0);
  });
});

describe('reading what processes use', () => {
  test('on this system: memory and ports at once, the processor from the second look on', async () => {
    const server = createServer().listen(0);
    await until(() => server.listening);
    const { port } = server.address() as { port: number };
    let now = 0;
    const reader = createUsageReader(process.platform, () => now);
    const entries = (await systemProcesses().list()).filter(({ pid }) => pid === process.pid);
    const first = (await reader.read(entries)).get(process.pid);
    expect(first).toMatchObject({ cpu: null, ports: expect.arrayContaining([port]) });
    now = 1_000;
    const second = (await reader.read(entries)).get(process.pid);
    expect(second?.cpu).toBeGreaterThanOrEqual(0);
    expect(await reader.read([{ ...entries[0], pid: 2 ** 22 + 1 } as never])).toEqual(new Map());
    server.close();
  });

  test('listening sockets of Linux', () => {
    const line = (state: string, port: string) =>
      `   0: 00000000:${port} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000  1000        0 77 1 0`;
    expect(parseListening(`  sl  local\n${line('0A', '1435')}\n${line('01', '1436')}\n`)).toEqual([
      ['77', 5173],
    ]);
  });

  test('the output of ps and lsof', () => {
    const facts = '  501  12.5  20480 Sun Nov 22 18:46:03 2026 node server.js --port 1\nnonsense\n';
    const sockets = 'p501\nn*:5173\nn127.0.0.1:80\nn*:5173\np502\nn*:9\n';
    expect([...parsePsUsage(facts, sockets)]).toEqual([
      [
        501,
        {
          ...{ command: 'node server.js --port 1', cpu: 0.125, memory: 20_971_520 },
          ...{ ports: [80, 5173], startedAt: Date.UTC(2026, 10, 22, 18, 46, 3) },
        },
      ],
    ]);
  });
});
