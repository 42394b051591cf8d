import { createConnection, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { err, fault, ok, type Result } from '../../../shared/result';
import { isRunning } from '../process/process-table';
import {
  type ControlCall,
  type ControlResponse,
  encodeJsonRecord,
  encodeRecord,
  type Hello,
  type HelloReply,
  type HostEvent,
  MAX_RECORD_TO_CLIENT,
  parseJsonRecord,
  RecordReader,
} from '../protocol/control';
import { type HostPlace, type HostRecord, readHostRecord } from '../run-folder';

/** An open, greeted connection to a terminal host. */
export interface HostConnection {
  readonly greeting: Extract<HelloReply, { ok: true }>;
  send(payload: Uint8Array): void;
  /** Sets who gets the records, and who hears (once) that the connection ended. */
  listen(onRecord: (record: Uint8Array) => void, onClose: () => void): void;
  close(): void;
}

/** The fault of a place where no host is. */
export const NOT_RUNNING = fault('no_terminal_host', 'No terminal host is running.');

/**
 * A greeting that is under way; `no_terminal_host` when none answers, also when the published token is that of a dead host and
 * its successor is only about to publish its own. A host that is stopped greets when it goes on.
 */
export interface Greeting {
  /** The process that published itself there. */
  readonly hostPid: number;
  readonly greeted: Promise<Result<HostConnection>>;
  /** Waits no longer. */
  cancel(): void;
}

/** Connects to the host at a place and begins to greet it; null when nobody listens there. */
export async function beginGreeting(
  place: HostPlace,
  role: Hello['role'],
): Promise<Greeting | null> {
  const found = await connect(place);
  if (found === null) return null;
  const { record, socket } = found;
  const hello: Hello = { role, protocol: place.protocol, token: record.token };
  return {
    hostPid: record.pid,
    greeted: greet(socket, hello).then((greeted) =>
      !greeted.ok && greeted.error.code === 'bad_token' ? err(NOT_RUNNING) : greeted,
    ),
    cancel: () => void socket.destroy(),
  };
}

/** Connects to the host at a place and waits `limitMs` for it to greet; `host_hung` when it does not. */
export async function connectToHost(
  place: HostPlace,
  role: Hello['role'],
  limitMs: number,
): Promise<Result<HostConnection>> {
  const greeting = await beginGreeting(place, role);
  if (greeting === null) return err(NOT_RUNNING);
  const greeted = await inTime(greeting, limitMs);
  if (greeted === null) greeting.cancel();
  return greeted ?? err(HOST_HUNG);
}

/** Returns what came of a greeting; null when nothing has after `limitMs`. */
export function inTime(
  { greeted }: Greeting,
  limitMs: number,
): Promise<Result<HostConnection> | null> {
  return new Promise((resolve) => {
    const impatience = setTimeout(() => resolve(null), limitMs);
    void greeted.then((result) => {
      clearTimeout(impatience);
      resolve(result);
    });
  });
}

/** Time for a host that lives to listen at its place (again). It binds and listens in one go, but may lose the processor between. Milliseconds. */
const LISTEN_MS = 500;
const LOOK_MS = 20;

/** Connects to the socket of the host that published itself at a place; null when nobody listens there. */
async function connect(
  place: HostPlace,
): Promise<{ readonly record: HostRecord; readonly socket: Socket } | null> {
  const end = performance.now() + LISTEN_MS;
  for (;;) {
    const record = await readHostRecord(place);
    if (record === null) return null;
    const socket = await open(record.socket);
    if (socket !== null) return { record, socket };
    if (!isRunning(record.pid) || performance.now() >= end) return null;
    await sleep(LOOK_MS);
  }
}

function open(path: string): Promise<Socket | null> {
  const socket = createConnection(path);
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(socket));
    socket.once('error', () => resolve(null));
  });
}

function greet(socket: Socket, hello: Hello): Promise<Result<HostConnection>> {
  const reader = new RecordReader(MAX_RECORD_TO_CLIENT);
  const early: Uint8Array[] = [];
  let deliver: (record: Uint8Array) => void = (record) => early.push(record);
  return new Promise((resolve) => {
    const refuse = (result: Result<HostConnection>) => {
      socket.destroy();
      resolve(result);
    };
    const onReply = (record: Uint8Array) => {
      const greeting = readGreeting(record);
      if (!greeting.ok) return refuse(greeting);
      deliver = (later) => early.push(later);
      resolve(
        ok({
          greeting: greeting.value,
          send: (payload) => void socket.write(encodeRecord(payload)),
          listen: (onRecord, onClose) => {
            deliver = onRecord;
            for (const waiting of early.splice(0)) onRecord(waiting);
            if (socket.closed) onClose();
            else socket.once('close', onClose);
          },
          close: () => socket.destroy(),
        }),
      );
    };
    deliver = onReply;
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(err(NOT_RUNNING)));
    socket.on('data', (chunk) => {
      const records = reader.push(chunk);
      if (records === null) socket.destroy();
      else for (const record of records) deliver(record);
    });
    socket.write(encodeJsonRecord(hello));
  });
}

function readGreeting(record: Uint8Array): Result<Extract<HelloReply, { ok: true }>> {
  const reply = parseJsonRecord(record) as HelloReply | null;
  if (reply === null) return err(fault('no_terminal_host', 'The terminal host answers nonsense.'));
  return reply.ok ? ok(reply) : reply;
}

/** Requests and events over one control connection. */
export interface ControlChannel {
  /**
   * Resolves with the answer to a call; `host_lost` when the connection ends before it comes, `host_hung` when it does not
   * come in time: in `limitMs`, when that is given.
   */
  call(call: ControlCall, limitMs?: number): Promise<Result<unknown>>;
  close(): void;
}

/** Hears of what comes over a control connection. */
export interface ControlListener {
  onEvent(event: HostEvent): void;
  /** Called when the host answers, or does not answer a call in time. */
  onAnswering(answers: boolean): void;
  /** Called once, after every open call was answered. */
  onClose(): void;
}

const HOST_LOST = fault(
  'host_lost',
  'The terminal host ended unexpectedly.',
  'Try again: a new one is started.',
);

/** The fault of a host that is there and does not answer. */
export const HOST_HUNG = fault(
  'host_hung',
  'The terminal host does not answer.',
  'Try again in a moment. What runs in it goes on; Stop still ends it.',
);

/** Time for a host to end what would not end by itself, behind the grace time of the call. Milliseconds. */
const FORCE_MS = 5_000;

/**
 * Speaks the control protocol over a connection. A call that is not answered in `answerMs`, as of then, fails. One that ends processes
 * has the time for that, too, but no longer than the host answers others: its ledger can tell what to end.
 */
export function openControlChannel(
  connection: HostConnection,
  answerMs: () => number,
  { onEvent, onAnswering, onClose }: ControlListener,
): ControlChannel {
  const open = new Map<number, (result: Result<unknown>) => void>();
  /** The open calls that end processes. */
  const ends = new Map<number, () => void>();
  let last = 0;
  let closed = false;
  connection.listen(
    (record) => {
      const message = parseJsonRecord(record) as HostEvent | ControlResponse | null;
      if (message === null) return;
      if ('event' in message) return onEvent(message);
      onAnswering(true);
      open.get(message.id)?.(message);
    },
    () => {
      closed = true;
      for (const answer of [...open.values()]) answer(err(HOST_LOST));
      onClose();
    },
  );
  return {
    call: (call, limitMs = answerMs()) => {
      if (closed) return Promise.resolve(err(HOST_LOST));
      last += 1;
      const id = last;
      const answer = new Promise<Result<unknown>>((resolve) => {
        const isEnd = 'graceMs' in call;
        const giveUp = () => open.get(id)?.(err(HOST_HUNG));
        const late = setTimeout(
          () => {
            onAnswering(false);
            giveUp();
            for (const end of [...ends.values()]) end();
          },
          limitMs + (isEnd ? call.graceMs + FORCE_MS : 0),
        );
        open.set(id, (result) => {
          clearTimeout(late);
          open.delete(id);
          ends.delete(id);
          resolve(result);
        });
        if (isEnd) ends.set(id, giveUp);
      });
      connection.send(Buffer.from(JSON.stringify({ id, call })));
      return answer;
    },
    close: connection.close,
  };
}
