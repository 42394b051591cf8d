import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Connection, DROP_BYTES, ViewerConnection } from '../../src/main/terminal/host/connection';
import { RecordReader } from '../../src/main/terminal/protocol/control';
import {
  decodeFrame,
  encodeFrame,
  FrameKind,
  jsonPayload,
  parseJsonPayload,
} from '../../src/shared/terminal-wire';

let folder: string;
let server: Server;
let client: Socket;
let connection: Connection;
let closed: Promise<void>;
const received: Uint8Array[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lathe-connection-'));
  server = createServer();
  server.listen(join(folder, 's'));
  await once(server, 'listening');
  client = createConnection(join(folder, 's'));
  const [socket] = (await once(server, 'connection')) as [Socket];
  received.length = 0;
  closed = new Promise((resolve) => {
    connection = new Connection(socket, {
      record: (record) => received.push(record),
      closed: resolve,
    });
  });
});
afterEach(async () => {
  client.destroy();
  await closed;
  server.close();
  await rm(folder, { recursive: true, force: true });
});

describe('a connection to a client that does not read', () => {
  test('is ended when too much waits', async () => {
    client.pause();
    const frame = Buffer.alloc(64 * 1024);
    let sent = 0;
    let isClosed = false;
    void closed.then(() => {
      isClosed = true;
    });
    while (!isClosed && sent < 10 * DROP_BYTES) {
      connection.send(frame);
      sent += frame.byteLength;
      await Promise.resolve();
      if (sent % (1024 * 1024) === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(isClosed).toBe(true);
    expect(sent).toBeLessThan(DROP_BYTES + 3 * 1024 * 1024);
  });

  test('keeps large frames back until it reads, one after the other, and forgets unwanted ones', async () => {
    client.pause();
    const screen = (mark: number) => Buffer.alloc(3 * 1024 * 1024, mark);
    const sent: number[] = [];
    let wanted = true;
    const all = [1, 2, 3, 4, 5].map((mark) =>
      connection.sendLarge(screen(mark), () => mark !== 4 || wanted).then(() => sent.push(mark)),
    );
    await all[0];
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toEqual([1]);
    wanted = false;
    const reader = new RecordReader(DROP_BYTES);
    const marks: (number | undefined)[] = [];
    client.on('data', (chunk: Buffer) => {
      for (const record of reader.push(chunk) ?? []) marks.push(record[0]);
    });
    client.resume();
    await Promise.all(all);
    while (marks.length < 4) await once(client, 'data');
    expect(marks).toEqual([1, 2, 3, 5]);
  });
});

test('a stream that is not ours is ended', async () => {
  client.write(Buffer.from([0, 0, 0, 1, 7, 0xff, 0xff, 0xff, 0xff]));
  await closed;
  // What came before in the same bytes is not trusted either.
  expect(received).toEqual([]);
});

test('a pane hears of a fault while it is attached, and does not wait for ever', async () => {
  const faults: unknown[] = [];
  const viewers = new ViewerConnection(connection, {
    find: () => {
      throw new Error('No emulator');
    },
    failed: (error) => faults.push(error),
  });
  const payload = jsonPayload({ terminalId: 'trm_1' });
  viewers.record(encodeFrame({ kind: FrameKind.attach, viewer: 3, payload }));
  const [chunk] = await once(client, 'data');
  const [record = new Uint8Array()] = new RecordReader(DROP_BYTES).push(chunk) ?? [];
  const frame = decodeFrame(record);
  expect(frame).toMatchObject({ kind: FrameKind.refused, viewer: 3 });
  expect(parseJsonPayload(frame?.payload ?? new Uint8Array())).toEqual({
    message: 'Drawing its screen failed. What runs in it is not affected.',
  });
  expect(faults).toEqual([new Error('No emulator')]);
});
