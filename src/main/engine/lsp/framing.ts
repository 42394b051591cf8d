/** The longest message of a server that is taken: symbols of a whole workspace are the longest there are. Bytes. */
export const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

/** The most that is read before a header ends: some servers print a few lines first. Bytes. */
const MAX_HEADER_BYTES = 64 * 1024;

const HEADER_END = '\r\n\r\n';

/**
 * Creates a function that gives the bodies of the messages which are whole by now, each once. It throws for a message that is too
 * long, and where no message begins.
 */
export function createFrameReader(): (chunk: Uint8Array) => readonly string[] {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  /** The length of the body that is read; null: of a header. */
  let length: number | null = null;
  return (chunk) => {
    parts.push(chunk);
    bytes += chunk.length;
    if (length !== null && bytes < length) return [];
    const bodies: string[] = [];
    const all = Buffer.concat(parts);
    let at = 0;
    for (;;) {
      if (length === null) {
        const end = all.indexOf(HEADER_END, at);
        if (end === -1 && all.length - at > MAX_HEADER_BYTES) throw new Error(NO_HEADER);
        if (end === -1) break;
        length = lengthIn(all.toString('latin1', at, end));
        at = end + HEADER_END.length;
      }
      if (all.length - at < length) break;
      bodies.push(all.toString('utf8', at, at + length));
      at += length;
      length = null;
    }
    parts = [all.subarray(at)];
    bytes = all.length - at;
    return bodies;
  };
}

/** Reads the length of a body. Lines that are no header are a server's own words. */
function lengthIn(header: string): number {
  const length = Number(/^content-length:\s*(\d{1,12})\s*$/im.exec(header)?.[1] ?? Number.NaN);
  if (Number.isNaN(length)) throw new Error(NO_HEADER);
  if (length > MAX_MESSAGE_BYTES)
    throw new Error(
      `It sent a message of more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MiB, so Lathe ended it.`,
    );
  return length;
}

const NO_HEADER = 'What it prints is no message of the protocol, so Lathe ended it.';

/** Returns a message with its header. */
export const framed = (message: unknown): string => {
  const body = JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(body)}${HEADER_END}${body}`;
};
