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
  const restart = (rest: Buffer) => {
    parts = rest.length === 0 ? [] : [rest];
    bytes = rest.length;
  };
  return (chunk) => {
    const bodies: string[] = [];
    parts.push(chunk);
    bytes += chunk.length;
    for (;;) {
      if (length === null) {
        const all = Buffer.concat(parts);
        const end = all.indexOf(HEADER_END);
        if (end === -1 && bytes > MAX_HEADER_BYTES) throw new Error(NO_HEADER);
        restart(end === -1 ? all : all.subarray(end + HEADER_END.length));
        if (end === -1) return bodies;
        length = lengthIn(all.subarray(0, end).toString('latin1'));
      }
      if (bytes < length) return bodies;
      const all = Buffer.concat(parts);
      bodies.push(all.toString('utf8', 0, length));
      restart(all.subarray(length));
      length = null;
    }
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
