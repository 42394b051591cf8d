import type { EventEmitter } from 'node:events';
import { ipcMain } from 'electron';
import { expect, test, vi } from 'vitest';
import type { TerminalChannel, Workbench } from '../../../src/main/app/workbench';
import { openWindowPorts } from '../../../src/main/hosts/electron/window-ports';
import { ok } from '../../../src/shared/result';
import { CONNECT_CHANNEL } from '../../../src/shared/window-ports';
import { PortDouble } from '../../electron-double/double/ports-double';

// Files share modules, and another one may have loaded these with an Electron of its own.
vi.hoisted(() => vi.resetModules());
vi.mock('electron', async () => {
  const { EventEmitter: Events } = await import('node:events');
  return { ipcMain: new Events() };
});

/** A page that is connected, what its terminals' port got, and the way of a frame to it. */
async function connected(router: object | null = {}) {
  const got: unknown[] = [];
  const sent: Uint8Array[] = [];
  let give = (_: Uint8Array) => {};
  const channel: TerminalChannel = { send: (frame) => sent.push(frame), close: vi.fn() };
  const workbench: Pick<Workbench, 'openTerminalChannel'> = {
    openTerminalChannel: async (onFrame) => {
      give = onFrame;
      return ok(channel);
    },
  };
  const ports = openWindowPorts(() => {});
  ports.serve(workbench, () => router as never);
  const rpc = new PortDouble(() => {});
  const terminals = new PortDouble((data) => got.push(data));
  (ipcMain as unknown as EventEmitter).emit(CONNECT_CHANNEL, {
    sender: { id: 1 },
    senderFrame: { url: 'app://lathe/', parent: null },
    ports: [rpc, terminals],
  });
  await Promise.resolve();
  return { got, sent, rpc, terminals, channel, give: (frame: Uint8Array) => give(frame) };
}

test('a frame of a terminal crosses alone: a view would take the whole memory behind it along', async () => {
  const { got, give } = await connected();
  const memory = new Uint8Array(64 * 1024).fill(7);
  // The double refuses a view, as no Electron would.
  give(memory.subarray(100, 104));
  expect(got).toEqual([new Uint8Array(4).fill(7)]);
  expect((got[0] as Uint8Array).buffer.byteLength).toBe(4);
});

test('frames of the page reach its terminals; anything else on their port ends it', async () => {
  const { sent, terminals, channel } = await connected();
  terminals.receive(new Uint8Array([1, 2]));
  expect(sent).toEqual([new Uint8Array([1, 2])]);
  terminals.receive('words');
  expect(terminals.closed).toBe(true);
  expect(channel.close).toHaveBeenCalledOnce();
});

test('a page that is in no window of ours any more is hung up on', async () => {
  const { rpc, terminals, sent } = await connected(null);
  expect([rpc.closed, terminals.closed]).toEqual([true, true]);
  terminals.receive(new Uint8Array([1]));
  expect(sent).toEqual([]);
});
