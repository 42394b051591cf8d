import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { keepAlive, relayFrames, rpcSocket } from '../../../src/main/hosts/web/sockets';
import { err, fault } from '../../../src/shared/result';
import { createFakeWorkbench } from '../../support/fake-workbench';
import { soon } from '../../support/soon';

/** A socket that records; `bufferedAmount` is what a slow page leaves. */
class FakeSocket extends EventEmitter {
  sent: unknown[] = [];
  written: (() => void)[] = [];
  closed: string | null = null;
  terminated = false;
  bufferedAmount = 0;
  addEventListener = this.addListener;
  send(data: unknown, done?: () => void) {
    this.sent.push(data);
    if (done) this.written.push(done);
  }
  close(_code: number, reason: string) {
    this.closed = reason;
  }
  terminate() {
    this.terminated = true;
  }
  pings = 0;
  ping() {
    this.pings += 1;
  }
}
const asSocket = (socket: FakeSocket) => socket as object as WebSocket;

test('frames go both ways unread; the first ones wait for the terminal host', async () => {
  const workbench = createFakeWorkbench();
  const socket = new FakeSocket();
  relayFrames(asSocket(socket), workbench);
  socket.emit('message', Buffer.from([1, 2]), true);
  await soon(() => expect(workbench.frames).toEqual([new Uint8Array([1, 2])]));
  socket.emit('message', Buffer.from([3]), true);
  workbench.emitFrame(new Uint8Array([9]));
  expect(workbench.frames).toHaveLength(2);
  expect(socket.sent).toEqual([new Uint8Array([9])]);
});

test('a page that leaves lets its channel go, also while it is being opened', async () => {
  const workbench = createFakeWorkbench();
  const socket = new FakeSocket();
  relayFrames(asSocket(socket), workbench);
  socket.emit('close');
  await soon(() => expect(workbench.open.channels).toBe(0));
  expect(socket.closed).not.toBeNull();
});

test('a page that takes nothing is cut off', async () => {
  const workbench = createFakeWorkbench();
  const socket = new FakeSocket();
  relayFrames(asSocket(socket), workbench);
  await soon(() => expect(workbench.open.channels).toBe(1));
  socket.bufferedAmount = 17 * 1024 * 1024;
  workbench.emitFrame(new Uint8Array(1));
  expect(socket.terminated).toBe(true);
  expect(workbench.open.channels).toBe(0);
});

test('text frames, floods and a terminal host that is not there end the socket', async () => {
  const text = new FakeSocket();
  relayFrames(asSocket(text), createFakeWorkbench());
  text.emit('message', Buffer.from('hello'), false);
  expect(text.closed).toBe('Only binary frames');

  const flood = new FakeSocket();
  relayFrames(asSocket(flood), createFakeWorkbench());
  for (let sent = 0; sent < 300; sent += 1) flood.emit('message', Buffer.from([1]), true);
  expect(flood.closed).toBe('Too many frames');

  const none = new FakeSocket();
  const opened = err(fault('gone', 'x'.repeat(500)));
  relayFrames(asSocket(none), {
    ...createFakeWorkbench(),
    openTerminalChannel: async () => opened,
  });
  await soon(() => expect(none.closed).toMatch(/cannot be reached/));
});

test('a terminal host that dies closes the socket, so that the page connects again', async () => {
  const workbench = createFakeWorkbench();
  const socket = new FakeSocket();
  relayFrames(asSocket(socket), workbench);
  await soon(() => expect(workbench.open.channels).toBe(1));
  workbench.endTerminals();
  expect(socket.closed).toBe('The terminal host ended');
});

test('a slow page holds its streams back until it has taken what waits', async () => {
  const socket = new FakeSocket();
  const { send } = rpcSocket(asSocket(socket));
  await send('small');
  socket.bufferedAmount = 2_000_000;
  let done = false;
  const sending = Promise.resolve(send('large')).then(() => {
    done = true;
  });
  await Promise.resolve();
  expect(done).toBe(false);
  socket.written.at(-1)?.();
  await sending;
  expect(done).toBe(true);
});

test('a page that answers late is kept, as after this process was suspended; one that is gone is not', () => {
  vi.useFakeTimers();
  try {
    const socket = new FakeSocket();
    keepAlive(asSocket(socket));
    for (let times = 0; times < 5; times += 1) {
      vi.advanceTimersByTime(10_000);
      socket.emit('pong');
    }
    expect(socket.terminated).toBe(false);
    vi.advanceTimersByTime(15_000);
    expect(socket.terminated).toBe(true);
    socket.emit('close');
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
