import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { beginGreeting } from '../../src/main/terminal/client/host-connection';
import { encodeJsonRecord, encodeRecord, PROTOCOL } from '../../src/main/terminal/protocol/control';
import { hostPlace, readHostRecord, writeHostRecord } from '../../src/main/terminal/run-folder';
import { startTestTerminals, type TestTerminals } from '../support/terminal-client';
import { bash, spawned, until } from './support';

const started: TestTerminals[] = [];
const start = async () => {
  const terminals = await startTestTerminals();
  started.push(terminals);
  return terminals;
};
afterEach(async () => {
  for (const terminals of started.splice(0)) await terminals.stop();
});

describe('the socket', () => {
  /** Returns what the host says to these bytes before it hangs up or a record has come. */
  async function say(terminals: TestTerminals, bytes: Uint8Array): Promise<string> {
    const socket = createConnection(hostPlace(terminals.runFolder).socket);
    let heard = '';
    socket.on('data', (chunk) => {
      heard += chunk.subarray(4).toString();
    });
    socket.on('error', () => undefined);
    socket.write(bytes);
    await new Promise((resolve) => socket.once('close', resolve));
    return heard;
  }

  test.each([
    ['no greeting', encodeRecord(Buffer.from('hello'))],
    ['an endless record', Buffer.from([0xff, 0xff, 0xff, 0xff, 1, 2, 3])],
    ['an empty record', Buffer.alloc(4)],
    ['a wrong token', encodeJsonRecord({ role: 'control', protocol: PROTOCOL, token: 'guess' })],
    ['another protocol', encodeJsonRecord({ role: 'control', protocol: 99, token: 'guess' })],
    ['another role', encodeJsonRecord({ role: '__proto__', protocol: PROTOCOL, token: 'guess' })],
  ])('refuses %s', async (_what, bytes) => {
    const terminals = await start();
    await spawned(terminals.client, bash(terminals, 'true'));
    const answer = await say(terminals, bytes);
    expect(answer).not.toContain('"ok":true');
    await spawned(terminals.client, bash(terminals, 'true'));
  });

  test('comes back when somebody removed it, so that whoever comes later finds the same host', async () => {
    const terminals = await start();
    const spec = bash(terminals, 'sleep 600');
    await spawned(terminals.client, spec);
    const place = hostPlace(terminals.runFolder);
    const before = await readHostRecord(place);
    await rm(place.socket);
    await until(() => existsSync(place.socket));
    const later = terminals.connect();
    expect((await later.list()).map(({ id }) => id)).toEqual([spec.id]);
    expect(await readHostRecord(place)).toEqual(before);
  });

  test('is looked at once more when its host lives and only does not listen yet', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lathe-socket-'));
    const server = createServer((socket) => socket.destroy());
    const { kill } = process;
    let looks = 0;
    // What ran in this worker before may still ask whether its own processes are there.
    const isThere = vi.spyOn(process, 'kill').mockImplementation((pid, signal) => {
      if (pid !== process.pid) return kill.call(process, pid, signal);
      looks += 1;
      rmSync(place.socket);
      server.listen(place.socket);
      return true;
    });
    const place = hostPlace(folder);
    // Who connects to it is refused, as at a socket that is bound and not listened at.
    writeFileSync(place.socket, '');
    writeHostRecord(place, { pid: process.pid, socket: place.socket, token: 'any' });
    const greeting = await beginGreeting(place, 'control');
    isThere.mockRestore();
    expect(looks).toBe(1);
    expect(greeting?.hostPid).toBe(process.pid);
    await greeting?.greeted;
    server.close();
    await rm(folder, { recursive: true });
  });

  test('survives malformed requests on a greeted connection', async () => {
    const terminals = await start();
    await spawned(terminals.client, bash(terminals, 'sleep 600'));
    const record = await readHostRecord(hostPlace(terminals.runFolder));
    const hello = encodeJsonRecord({ role: 'control', protocol: PROTOCOL, token: record?.token });
    const calls = [
      { method: 'spawn' },
      { method: 'spawn', spec: { id: 'x', kind: 'command' } },
      { method: 'spawn', spec: { ...bash(terminals, 'true'), argv: [7] } },
      { method: 'spawn', spec: { ...bash(terminals, 'true'), env: { A: 1 } } },
      { method: 'kill' },
      { method: 'constructor' },
      null,
      'text',
    ];
    const requests = calls.map((call, id) => encodeJsonRecord({ id, call }));
    const end = encodeRecord(Buffer.from('not json'));
    const answer = await say(terminals, Buffer.concat([hello, ...requests, end]));
    // The connection ends at the record that is no request; answers before it may be cut.
    expect(answer).toContain('"ok":true');
    expect(answer).not.toContain('"code":"terminal_host"');
    expect(await terminals.client.list()).toHaveLength(1);
  });
});
