import { err, type Fault, fault, ok, type Result } from '../../../shared/result';
import type { TerminalInfo } from '../../../shared/terminal';
import type { TerminalExit, TerminalProgress, TerminalSpec } from '../../engine/ports';

/**
 * The messages on the terminal host's socket. The first record of a connection is a {@link Hello}; the host
 * answers with a {@link HelloReply}. Afterwards a `viewer` connection carries frames of `shared/terminal-wire`
 * both ways, and a `control` connection requests and responses by id, with events between them.
 */

/**
 * Raised when a host of before cannot start what is to be started. Each number has a socket of its own: a host of another one lives on
 * beside ours, and its terminals are shown, steered and ended over it until they have ended. So records, greeting, frames, calls
 * and events keep their meaning for good; what is added is ignored, or answered with an error, by who does not know it.
 */
export const PROTOCOL = 3;

/** The greeting of a client. The token is the secret beside the socket. */
export interface Hello {
  readonly role: 'control' | 'viewer';
  readonly protocol: number;
  readonly token: string;
}

/** A terminal, and its end when it has ended. */
export interface TerminalState {
  readonly info: TerminalInfo;
  readonly exit?: TerminalExit;
}

/** The answer to {@link Hello}; after a refusal the host hangs up. */
export type HelloReply =
  | {
      readonly ok: true;
      readonly hostPid: number;
      /** The version of Lathe that started the host; absent where that was before versions were told. */
      readonly version?: string;
      readonly terminals: readonly TerminalState[];
    }
  | { readonly ok: false; readonly error: Fault };

/** A request on a control connection. */
export type ControlCall =
  /** Nobody waits for it any more after `until`, in epoch milliseconds: then it must not be started. */
  | { readonly method: 'spawn'; readonly spec: TerminalSpec; readonly until?: number }
  | { readonly method: 'kill'; readonly terminalId: string; readonly graceMs: number }
  | { readonly method: 'list' }
  | { readonly method: 'takeWheel'; readonly terminalId: string; readonly taken: boolean }
  /** Asks for what a terminal shows, as text. */
  | { readonly method: 'text'; readonly terminalId: string }
  | { readonly method: 'pin'; readonly terminalId: string; readonly pinned: boolean }
  | { readonly method: 'rename'; readonly terminalId: string; readonly name: string }
  | { readonly method: 'processes' }
  | {
      readonly method: 'killProcess';
      readonly terminalId: string;
      readonly target: { readonly pid: number; readonly startTime: string };
      readonly graceMs: number;
    }
  /** Asks for nothing but an answer. */
  | { readonly method: 'ping' }
  | { readonly method: 'dismiss'; readonly terminalId: string }
  | { readonly method: 'watchProgress'; readonly terminalId: string; readonly on: boolean }
  /** Ends every terminal that is not pinned and that no other connected client started; the host exits when nobody else is there. */
  | { readonly method: 'shutdown'; readonly graceMs: number }
  /**
   * Ends and forgets these terminals, and lets the host exit as soon as nothing runs in it and nobody is connected. A host of
   * before this call answers with an error.
   */
  | { readonly method: 'leave'; readonly terminalIds: readonly string[]; readonly graceMs: number };

/** A message that the host sends unasked. */
export type HostEvent =
  | { readonly event: 'changed'; readonly info: TerminalInfo }
  | { readonly event: 'exited'; readonly info: TerminalInfo; readonly exit: TerminalExit }
  | { readonly event: 'removed'; readonly terminalId: string }
  | {
      readonly event: 'progress';
      readonly terminalId: string;
      readonly progress: TerminalProgress;
    };

/** The answer to one request. */
export type ControlResponse =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly error: Fault };

/** The checks between bytes from the socket and the host's own types: wrong input is a Fault, never a crash. */

type Fields = Readonly<Record<string, unknown>>;

const MAX_ID_CHARS = 200;
const MAX_GRACE_MS = 60_000;

/** Parses a greeting, or says why it is refused. The caller compares the token. */
export function parseHello(value: Fields | null): Result<Hello> {
  if (value === null || (value['role'] !== 'control' && value['role'] !== 'viewer'))
    return err(fault('bad_request', 'The first record is not a greeting.'));
  if (value['protocol'] !== PROTOCOL)
    return err(fault('protocol_mismatch', `This terminal host speaks protocol ${PROTOCOL} only.`));
  if (typeof value['token'] !== 'string') return err(fault('bad_token', 'The token is missing.'));
  return ok({ role: value['role'], protocol: PROTOCOL, token: value['token'] });
}

/** Parses a call, or says what is wrong with it. */
export function parseCall(value: unknown): Result<ControlCall> {
  if (!isFields(value)) return bad('The request has no call.');
  switch (value['method']) {
    case 'list':
    case 'ping':
    case 'processes':
      return ok({ method: value['method'] });
    case 'shutdown':
      return ok({ method: 'shutdown', graceMs: graceOf(value['graceMs']) });
    case 'leave':
      return isTextList(value['terminalIds'])
        ? ok({
            ...{ method: 'leave', terminalIds: value['terminalIds'] },
            graceMs: graceOf(value['graceMs']),
          })
        : bad('"terminalIds" must be a list of texts.');
    case 'dismiss':
      return withId(value, (terminalId) => ({ method: 'dismiss', terminalId }));
    case 'kill':
      return withId(value, (terminalId) => ({
        method: 'kill',
        terminalId,
        graceMs: graceOf(value['graceMs']),
      }));
    case 'takeWheel':
      return withId(value, (terminalId) => ({
        method: 'takeWheel',
        terminalId,
        taken: value['taken'] === true,
      }));
    case 'text':
      return withId(value, (terminalId) => ({ method: 'text', terminalId }));
    case 'pin':
      return withId(value, (terminalId) => ({
        ...{ method: 'pin', terminalId },
        pinned: value['pinned'] === true,
      }));
    case 'rename':
      return withId(value, (terminalId) => ({
        method: 'rename',
        terminalId,
        name: typeof value['name'] === 'string' ? value['name'] : '',
      }));
    case 'killProcess':
      return parseKillProcess(value);
    case 'watchProgress':
      return withId(value, (terminalId) => ({
        method: 'watchProgress',
        terminalId,
        on: value['on'] === true,
      }));
    case 'spawn':
      return parseSpawn(value['spec'], value['until']);
    default:
      return bad('The method is unknown.');
  }
}

function parseKillProcess(value: Fields): Result<ControlCall> {
  const { target } = value;
  const pid = isFields(target) ? target['pid'] : null;
  const startTime = isFields(target) ? target['startTime'] : null;
  if (typeof pid !== 'number' || typeof startTime !== 'string')
    return bad('The process to end is missing.');
  return withId(value, (terminalId) => ({
    ...{ method: 'killProcess', terminalId, target: { pid, startTime } },
    graceMs: graceOf(value['graceMs']),
  }));
}

function parseSpawn(spec: unknown, until: unknown): Result<ControlCall> {
  return isSpec(spec)
    ? ok({ method: 'spawn', spec, ...(typeof until === 'number' ? { until } : {}) })
    : bad(specProblem(spec) ?? 'The terminal to start is malformed.');
}

const isSpec = (value: unknown): value is TerminalSpec => specProblem(value) === null;

function specProblem(spec: unknown): string | null {
  if (!isFields(spec)) return 'The terminal to start is missing.';
  if (!isId(spec['id'])) return 'The terminal needs an id of 1 to 200 characters.';
  if (spec['kind'] !== 'shell' && spec['kind'] !== 'command') return 'The kind is unknown.';
  for (const name of ['sessionId', 'project', 'title', 'cwd'])
    if (typeof spec[name] !== 'string') return `"${name}" must be a text.`;
  for (const name of ['callId', 'taskId', 'command', 'outputFile', 'profile'])
    if (spec[name] !== undefined && typeof spec[name] !== 'string')
      return `"${name}" must be a text.`;
  for (const name of ['cols', 'rows'])
    if (typeof spec[name] !== 'number') return `"${name}" must be a number.`;
  if (spec['scrollback'] !== undefined && typeof spec['scrollback'] !== 'number')
    return '"scrollback" must be a number.';
  if (!isTextList(spec['argv']) || spec['argv'].length === 0) return '"argv" must name a program.';
  if (!isFields(spec['env']) || !isTextList(Object.values(spec['env'])))
    return '"env" must map names to texts.';
  return null;
}

const bad = (message: string): Result<never, Fault> => err(fault('bad_request', message));

function withId(value: Fields, build: (terminalId: string) => ControlCall): Result<ControlCall> {
  const id = value['terminalId'];
  return isId(id) ? ok(build(id)) : bad('The terminal id is missing.');
}

const graceOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value)
    ? Math.min(Math.max(value, 0), MAX_GRACE_MS)
    : 0;

const isId = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= MAX_ID_CHARS;

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string');

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Length-prefixed records on the terminal host's socket: a length (u32 big endian), then that many bytes.
 * A control connection carries JSON in them, a viewer connection one terminal frame each.
 */

const PREFIX_BYTES = 4;

/** The longest record a host accepts: room for a spawn with a large environment, or a large paste. Bytes. */
export const MAX_RECORD_TO_HOST = 16 * 1024 * 1024;
/** The longest record a client accepts: room for a replay with its whole scrollback. Bytes. */
export const MAX_RECORD_TO_CLIENT = 64 * 1024 * 1024;

/** Encodes one record. Copies the payload. */
export function encodeRecord(payload: Uint8Array): Buffer {
  const record = Buffer.allocUnsafe(PREFIX_BYTES + payload.byteLength);
  record.writeUInt32BE(payload.byteLength);
  record.set(payload, PREFIX_BYTES);
  return record;
}

/** Encodes one record that holds JSON. */
export const encodeJsonRecord = (value: unknown): Buffer =>
  encodeRecord(Buffer.from(JSON.stringify(value)));

/** Returns the JSON object in a record; null when it holds none. */
export function parseJsonRecord(record: Uint8Array): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(record).toString('utf8'));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Cuts a byte stream into records. Holds at most one unfinished record. */
export class RecordReader {
  readonly #maxBytes: number;
  #chunks: Uint8Array[] = [];
  #available = 0;

  /** `maxBytes` is the longest record accepted. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the records that a chunk completes; null when one would be too long, so that the stream is not ours. */
  push(chunk: Uint8Array): Uint8Array[] | null {
    this.#chunks.push(chunk);
    this.#available += chunk.byteLength;
    const records: Uint8Array[] = [];
    for (;;) {
      if (this.#available < PREFIX_BYTES) return records;
      const length = this.#peekLength();
      if (length > this.#maxBytes) return null;
      if (this.#available < PREFIX_BYTES + length) return records;
      records.push(this.#take(PREFIX_BYTES + length).subarray(PREFIX_BYTES));
    }
  }

  #peekLength(): number {
    while ((this.#chunks[0]?.byteLength ?? PREFIX_BYTES) < PREFIX_BYTES) this.#joinFirstTwo();
    const head = this.#chunks[0] ?? new Uint8Array(PREFIX_BYTES);
    return new DataView(head.buffer, head.byteOffset, head.byteLength).getUint32(0);
  }

  #joinFirstTwo(): void {
    const [first, second] = this.#chunks;
    if (first === undefined || second === undefined) return;
    this.#chunks.splice(0, 2, Buffer.concat([first, second]));
  }

  #take(count: number): Uint8Array {
    this.#available -= count;
    const head = this.#chunks[0];
    if (head !== undefined && head.byteLength >= count) {
      if (head.byteLength === count) this.#chunks.shift();
      else this.#chunks[0] = head.subarray(count);
      return head.subarray(0, count);
    }
    const all = Buffer.concat(this.#chunks);
    this.#chunks = all.byteLength > count ? [all.subarray(count)] : [];
    return all.subarray(0, count);
  }
}
