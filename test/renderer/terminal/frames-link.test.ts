import { expect, test } from 'vitest';
import { createClosing, type Transport } from '../../../src/renderer/api/transport';
import { createFramesLink, type ViewerEvents } from '../../../src/renderer/terminal/frames-link';
import { err, fault, ok } from '../../../src/shared/result';
import {
  decodeFrame,
  encodeFrame,
  FrameKind,
  jsonPayload,
  parseAck,
  parseJsonPayload,
  parseSize,
  replayPayload,
} from '../../../src/shared/terminal-wire';

const settle = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));

/** One fake host: what was sent to it, and a way to answer and to hang up. */
function fakeHost(failures = 0) {
  const sent: { kind: number; viewer: number; payload: Uint8Array }[] = [];
  const closing = createClosing();
  let hangUp = () => {};
  let answer = (_frame: Uint8Array) => {};
  let opened = 0;
  let failing = failures;
  const transport: Transport = {
    client: {} as Transport['client'],
    heard: () => 0,
    close: closing.close,
    onClosed: closing.onClosed,
    openTerminalFrames: async (onFrame, onClose) => {
      opened += 1;
      if (failing > 0) {
        failing -= 1;
        return err(fault('unreachable', 'no'));
      }
      answer = onFrame;
      hangUp = onClose;
      closing.onClosed(onClose);
      return ok({
        send: (bytes) => {
          const frame = decodeFrame(bytes);
          if (frame) sent.push(frame);
        },
        close: () => {},
      });
    },
  };
  return {
    transport,
    sent,
    kinds: () => sent.map((frame) => frame.kind),
    hangUp: () => hangUp(),
    answer: (kind: FrameKind, viewer: number, payload: Uint8Array) =>
      answer(encodeFrame({ kind, viewer, payload })),
    opened: () => opened,
  };
}

/** A viewer that writes down what it hears. */
function listener() {
  const heard: string[] = [];
  const events: ViewerEvents = {
    onReplay: ({ cols, rows }) => heard.push(`replay ${cols}x${rows}`),
    onReplayPart: (bytes) => heard.push(`part ${new TextDecoder().decode(bytes)}`),
    onCaughtUp: () => heard.push('caught up'),
    onData: (bytes) => heard.push(`data ${new TextDecoder().decode(bytes)}`),
    onExit: (exit) => heard.push(`exit ${JSON.stringify(exit)}`),
    onRefused: (reason) => heard.push(`refused ${reason}`),
    onLinked: (linked) => heard.push(linked ? 'linked' : 'lost'),
  };
  return { heard, events };
}

const bytes = (text: string) => new TextEncoder().encode(text);
const NOTHING = new Uint8Array();

test('nothing is opened before somebody looks', async () => {
  const host = fakeHost();
  createFramesLink(async () => {}).useTransport(host.transport);
  await settle();
  expect(host.opened()).toBe(0);
});

test('what is opened for a viewer that is to come serves it, and is opened for nobody else', async () => {
  const host = fakeHost();
  const link = createFramesLink(async () => {});
  link.expectViewer();
  link.useTransport(host.transport);
  await settle();
  expect(host.opened()).toBe(1);
  const { heard, events } = listener();
  const viewer = link.attach('t1', events);
  expect(heard).toEqual(['linked']);
  expect(host.sent.map((f) => parseJsonPayload(f.payload))).toEqual([{ terminalId: 't1' }]);
  viewer.detach();
  host.hangUp();
  await settle();
  expect(host.opened()).toBe(1);
});

test('two viewers share one connection and hear only their own terminal', async () => {
  const host = fakeHost();
  const link = createFramesLink(async () => {});
  link.useTransport(host.transport);
  const [a, b] = [listener(), listener()];
  link.attach('t1', a.events);
  link.attach('t2', b.events);
  await settle();
  expect(host.opened()).toBe(1);
  expect(host.sent.map((f) => parseJsonPayload(f.payload))).toEqual([
    { terminalId: 't1' },
    { terminalId: 't2' },
  ]);
  host.answer(FrameKind.replay, 1, replayPayload({ cols: 80, rows: 24, offset: 7 }));
  host.answer(FrameKind.replayPart, 1, bytes('hi'));
  host.answer(FrameKind.caughtUp, 1, NOTHING);
  host.answer(FrameKind.data, 2, bytes('you'));
  host.answer(FrameKind.exit, 1, jsonPayload({ exitCode: null, signal: 9 }));
  host.answer(FrameKind.refused, 2, jsonPayload({ message: 'It is gone.' }));
  host.answer(FrameKind.data, 99, bytes('nobody'));
  expect(a.heard).toEqual([
    'linked',
    'replay 80x24',
    'part hi',
    'caught up',
    'exit {"exitCode":null,"signal":9}',
  ]);
  expect(b.heard).toEqual(['linked', 'data you', 'refused It is gone.']);
});

test('a broken frame is ignored', async () => {
  const host = fakeHost();
  const link = createFramesLink(async () => {});
  link.useTransport(host.transport);
  const a = listener();
  link.attach('t1', a.events);
  await settle();
  host.answer(FrameKind.replay, 1, new Uint8Array([0, 0]));
  host.answer(FrameKind.exit, 1, bytes('{'));
  expect(a.heard).toEqual(['linked', 'exit {"exitCode":null}']);
});

test('a line that is cut is opened again and every viewer attached anew', async () => {
  const host = fakeHost();
  const link = createFramesLink(async () => {});
  link.useTransport(host.transport);
  const a = listener();
  link.attach('t1', a.events);
  await settle();
  host.hangUp();
  await settle();
  expect(host.opened()).toBe(2);
  expect(host.kinds()).toEqual([FrameKind.attach, FrameKind.attach]);
  expect(a.heard).toEqual(['linked', 'lost', 'linked']);
});

test('after a cut a viewer asks for what it missed; with half a screen, for all of it', async () => {
  const host = fakeHost();
  const link = createFramesLink(async () => {});
  link.useTransport(host.transport);
  const [whole, half] = [listener(), listener()];
  link.attach('t1', whole.events);
  link.attach('t2', half.events);
  await settle();
  for (const viewer of [1, 2])
    host.answer(FrameKind.replay, viewer, replayPayload({ cols: 80, rows: 24, offset: 1_000 }));
  host.answer(FrameKind.caughtUp, 1, NOTHING);
  host.answer(FrameKind.data, 1, bytes('12345'));
  host.answer(FrameKind.replayPart, 2, bytes('half'));
  host.hangUp();
  await settle();
  host.answer(FrameKind.data, 1, bytes('678'));
  host.answer(FrameKind.caughtUp, 1, NOTHING);
  host.hangUp();
  await settle();
  expect(host.sent.map((f) => parseJsonPayload(f.payload))).toEqual([
    { terminalId: 't1' },
    { terminalId: 't2' },
    { terminalId: 't1', cols: 80, rows: 24, since: 1_005 },
    { terminalId: 't2' },
    { terminalId: 't1', cols: 80, rows: 24, since: 1_008 },
    { terminalId: 't2' },
  ]);
});

test('a viewer that is not shown gets nothing, and later what it missed', async () => {
  const host = fakeHost();
  const link = createFramesLink(async () => {});
  link.useTransport(host.transport);
  const a = listener();
  const viewer = link.attach('t1', a.events);
  await settle();
  host.answer(FrameKind.replay, 1, replayPayload({ cols: 80, rows: 24, offset: 100 }));
  host.answer(FrameKind.caughtUp, 1, NOTHING);
  viewer.suspend();
  viewer.suspend();
  // On its way when it was suspended: it comes again.
  host.answer(FrameKind.data, 1, bytes('late'));
  viewer.resume();
  viewer.resume();
  host.answer(FrameKind.data, 1, bytes('later'));
  host.answer(FrameKind.data, 2, bytes('late and later'));
  expect(host.kinds()).toEqual([FrameKind.attach, FrameKind.detach, FrameKind.attach]);
  expect(host.sent.map((f) => f.viewer)).toEqual([1, 1, 2]);
  expect(parseJsonPayload(host.sent[2]?.payload ?? NOTHING)).toEqual({
    terminalId: 't1',
    ...{ cols: 80, rows: 24, since: 100 },
  });
  expect(a.heard.slice(1)).toEqual(['replay 80x24', 'caught up', 'data late and later']);
  viewer.suspend();
  host.hangUp();
  await settle();
  expect(host.opened()).toBe(1);
  viewer.resume();
  await settle();
  expect(host.opened()).toBe(2);
  expect(a.heard.slice(-2)).toEqual(['lost', 'linked']);
  expect(host.kinds().at(-1)).toBe(FrameKind.attach);
});

test('a cleared screen is told to the terminal host', async () => {
  const host = fakeHost();
  const link = createFramesLink(async () => {});
  link.useTransport(host.transport);
  const viewer = link.attach('t1', listener().events);
  await settle();
  viewer.clear();
  expect(host.kinds()).toEqual([FrameKind.attach, FrameKind.clear]);
});

test('a line that cannot be opened is tried again, more and more slowly', async () => {
  const host = fakeHost(3);
  const waits: number[] = [];
  const link = createFramesLink(async (ms) => {
    waits.push(ms);
  });
  link.useTransport(host.transport);
  link.attach('t1', listener().events);
  await settle();
  expect(waits).toEqual([250, 500, 1000]);
  expect(host.kinds()).toEqual([FrameKind.attach]);
});

test('a new transport takes the viewers over', async () => {
  const [first, second] = [fakeHost(), fakeHost()];
  const link = createFramesLink(async () => {});
  link.useTransport(first.transport);
  const a = listener();
  const viewer = link.attach('t1', a.events);
  await settle();
  first.transport.close();
  viewer.input(bytes('typed into nothing'));
  link.useTransport(second.transport);
  await settle();
  viewer.input(bytes('x'));
  expect(first.kinds()).toEqual([FrameKind.attach]);
  expect(second.kinds()).toEqual([FrameKind.attach, FrameKind.input]);
  expect(a.heard).toEqual(['linked', 'lost', 'linked']);
});

test('sizes, acknowledgements and detaching; a huge paste goes in pieces', async () => {
  const host = fakeHost();
  const link = createFramesLink(async () => {});
  link.useTransport(host.transport);
  const viewer = link.attach('t1', listener().events);
  await settle();
  viewer.resize(100, 30);
  viewer.ack(5000);
  viewer.input(new Uint8Array(70_000));
  viewer.detach();
  viewer.detach();
  const [, size, ack, ...rest] = host.sent;
  expect(size && parseSize(size.payload)).toEqual({ cols: 100, rows: 30 });
  expect(ack && parseAck(ack.payload)).toBe(5000);
  expect(rest.map((f) => [f.kind, f.payload.byteLength])).toEqual([
    [FrameKind.input, 32_768],
    [FrameKind.input, 32_768],
    [FrameKind.input, 4464],
    [FrameKind.detach, 0],
  ]);
});

test('keys pressed before the first connection wait for it, in order and bounded; later ones of a lost link do not', async () => {
  const host = fakeHost(1);
  const link = createFramesLink(async () => {});
  const viewer = link.attach('t1', listener().events);
  viewer.input(bytes('ec'));
  viewer.input(bytes('ho'));
  viewer.input(new Uint8Array(65_536));
  link.useTransport(host.transport);
  await settle();
  viewer.input(bytes(' on'));
  const typed = () =>
    host.sent
      .filter(({ kind }) => kind === FrameKind.input)
      .map(({ payload }) => new TextDecoder().decode(payload));
  expect(host.kinds()[0]).toBe(FrameKind.attach);
  expect(typed()).toEqual(['ec', 'ho', ' on']);

  const before = typed().length;
  host.hangUp();
  viewer.input(bytes('lost'));
  await settle();
  expect(typed().slice(before)).toEqual([]);
});
