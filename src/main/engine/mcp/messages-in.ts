import type { JSONRPCMessage } from '@modelcontextprotocol/client';

/** The longest message of a program that is taken. Bytes. */
const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;

const LINE_END = 0x0a;

/** Creates a function that gives the whole lines of what a program printed so far, each once. It throws for one without an end. */
export function createLineReader(): (chunk: Uint8Array) => readonly string[] {
  let open: Uint8Array[] = [];
  let bytes = 0;
  return (chunk) => {
    const lines: string[] = [];
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_END, from);
      const part = chunk.subarray(from, end === -1 ? undefined : end);
      open.push(part);
      bytes += part.length;
      if (bytes > MAX_MESSAGE_BYTES) throw new Error('One message has no end.');
      if (end === -1) return lines;
      lines.push(Buffer.concat(open).toString().replace(/\r$/, ''));
      open = [];
      bytes = 0;
      from = end + 1;
    }
  };
}

/**
 * Returns a message as the client understands it. An answer in no form of the protocol becomes a failure of what was asked, as
 * its asker would wait for ever; null: it is no message. Pure.
 */
export function asMessage(value: unknown): JSONRPCMessage | null {
  if (typeof value !== 'object' || value === null) return null;
  const { id, method, result, error } = value as Readonly<Record<string, unknown>>;
  if (typeof method === 'string') return value as JSONRPCMessage;
  if (typeof id !== 'string' && typeof id !== 'number') return null;
  if (isObject(result) || isFault(error)) return value as JSONRPCMessage;
  return {
    jsonrpc: '2.0',
    id,
    error: { code: NO_FORM, message: 'Its answer has no form that can be read.' },
  };
}

const NO_FORM = -32_603;

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isFault = (value: unknown): boolean =>
  isObject(value) &&
  'code' in value &&
  Number.isInteger(value.code) &&
  'message' in value &&
  typeof value.message === 'string';
