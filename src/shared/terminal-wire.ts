/**
 * The binary frames between a viewer (a pane on screen) and the terminal host.
 * One frame is one WebSocket message, one port message, or one length-prefixed record on the host's socket:
 * hosts relay frames and never read them. Layout: kind (u8), viewer (u32 big endian), payload.
 * Payloads: `attach`, `exit`, `refused` are UTF-8 JSON; `input`, `secret`, `data` are raw bytes;
 * `resize` is cols, rows (u16 each); `ack` is a byte count (u32); `clear`, `detach` and `caughtUp` are empty.
 *
 * After `attach` come either `replay`, which begins the screen anew, with its content in `replayPart`s, or the `data`
 * missing since the offset of the request; then `caughtUp`, and from then on `data` as it comes.
 */
export const FrameKind = {
  // viewer → terminal host
  attach: 1,
  detach: 2,
  input: 3,
  resize: 4,
  ack: 5,
  clear: 6,
  secret: 7,
  // terminal host → viewer
  replay: 65,
  data: 66,
  exit: 67,
  refused: 68,
  replayPart: 69,
  caughtUp: 70,
} as const;
export type FrameKind = (typeof FrameKind)[keyof typeof FrameKind];

/** One frame. `viewer` is chosen by the attaching side and unique on its connection. */
export interface Frame {
  readonly kind: FrameKind;
  readonly viewer: number;
  readonly payload: Uint8Array;
}

/** Flow control, in bytes (docs/spec.md K1). */
export const FLOW = {
  /** A viewer with more than this unacknowledged gets no more data. */
  high: 100_000,
  /** … until it is down to this. */
  low: 5_000,
  /** A viewer acknowledges whenever it has parsed this much. */
  ackEvery: 5_000,
} as const;

/** A request to attach to a terminal. Without a size the terminal keeps the one it has. */
export interface AttachRequest {
  readonly terminalId: string;
  readonly cols?: number;
  readonly rows?: number;
  /**
   * The place in the output that this viewer has reached in an earlier connection; only with the size of its screen.
   */
  readonly since?: number;
}

/** The beginning of a replay: the size of the screen, and the place in the output from which to go on. */
export interface ReplayStart {
  readonly cols: number;
  readonly rows: number;
  readonly offset: number;
}

/** The end of a terminal. */
export interface ExitPayload {
  readonly exitCode: number | null;
  readonly signal?: number;
}

const HEADER_BYTES = 5;
const KINDS: ReadonlySet<number> = new Set(Object.values(FrameKind));
const textEncoder = new TextEncoder();
const textDecoder = new TextDecoder();

/** Encodes one frame; the payload is copied. */
export function encodeFrame(frame: Frame): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + frame.payload.byteLength);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, frame.kind);
  view.setUint32(1, frame.viewer);
  bytes.set(frame.payload, HEADER_BYTES);
  return bytes;
}

/** Decodes one frame, or null when the bytes are no frame of ours. The payload shares the given memory. */
export function decodeFrame(bytes: Uint8Array): Frame | null {
  if (bytes.byteLength < HEADER_BYTES) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kind = view.getUint8(0);
  if (!KINDS.has(kind)) return null;
  return {
    kind: kind as FrameKind,
    viewer: view.getUint32(1),
    payload: bytes.subarray(HEADER_BYTES),
  };
}

/** Encodes a payload that is JSON. */
export const jsonPayload = (value: unknown): Uint8Array =>
  textEncoder.encode(JSON.stringify(value));

/** Parses the JSON in a payload; null when it is none. The shape is the caller's to check. */
export function parseJsonPayload(payload: Uint8Array): unknown {
  try {
    return JSON.parse(textDecoder.decode(payload));
  } catch {
    return null;
  }
}

/** Encodes a payload of `replay`. */
export function replayPayload({ cols, rows, offset }: ReplayStart): Uint8Array {
  const bytes = new Uint8Array(SIZE_BYTES + OFFSET_BYTES);
  bytes.set(sizePayload(cols, rows));
  new DataView(bytes.buffer).setFloat64(SIZE_BYTES, offset);
  return bytes;
}

/** Decodes a payload of `replay`; null when it is malformed. */
export function parseReplay(payload: Uint8Array): ReplayStart | null {
  const size = parseSize(payload);
  if (size === null || payload.byteLength < SIZE_BYTES + OFFSET_BYTES) return null;
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  return { ...size, offset: view.getFloat64(SIZE_BYTES) };
}

const SIZE_BYTES = 4;
const OFFSET_BYTES = 8;

/** Encodes a payload of `resize`, and the first four bytes of `replay`. */
export function sizePayload(cols: number, rows: number): Uint8Array {
  const bytes = new Uint8Array(4);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, cols);
  view.setUint16(2, rows);
  return bytes;
}

/** Parses the size in the first four bytes of a payload; null when it is too short or a side is zero. */
export function parseSize(payload: Uint8Array): { cols: number; rows: number } | null {
  if (payload.byteLength < 4) return null;
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  const cols = view.getUint16(0);
  const rows = view.getUint16(2);
  return cols > 0 && rows > 0 ? { cols, rows } : null;
}

/** Encodes a payload of `ack`. */
export function ackPayload(byteCount: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, byteCount);
  return bytes;
}

/** Parses the count in an `ack` payload, 0 when it is malformed. */
export function parseAck(payload: Uint8Array): number {
  if (payload.byteLength < 4) return 0;
  return new DataView(payload.buffer, payload.byteOffset, payload.byteLength).getUint32(0);
}
