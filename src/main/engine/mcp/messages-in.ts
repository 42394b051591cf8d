import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { plainLine } from '../../../shared/plain-line';

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
  if (isObject(result))
    return { jsonrpc: '2.0', id, result: withKnownContent(result) } as JSONRPCMessage;
  if (isFault(error)) return { jsonrpc: '2.0', id, error } as JSONRPCMessage;
  return failedAnswer(id, 'Its answer has no form that can be read.');
}

/** Returns the answer that what was asked failed. */
export const failedAnswer = (id: string | number, message: string): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  error: { code: NO_FORM, message },
});

const NO_FORM = -32_603;

/** The longest name of a kind of content that is told. Characters. */
const MAX_TYPE_CHARS = 100;
const CONTENT_TYPES: ReadonlySet<unknown> = new Set([
  ...['text', 'image', 'audio', 'resource_link', 'resource'],
]);

/** Puts words in the place of what a tool gives of a kind that nobody knows: the SDK would refuse all of it. */
function withKnownContent(result: object): object {
  if (!('content' in result) || !Array.isArray(result.content)) return result;
  const content = result.content.map((block: unknown) => {
    const type = isObject(block) && 'type' in block ? block.type : null;
    if (CONTENT_TYPES.has(type)) return block;
    const named =
      typeof type === 'string' ? `the type “${plainLine(type, MAX_TYPE_CHARS)}”` : 'no type';
    return { type: 'text', text: `[content of ${named}, which Lathe does not know]` };
  });
  return { ...result, content };
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isFault = (value: unknown): boolean =>
  isObject(value) &&
  'code' in value &&
  Number.isInteger(value.code) &&
  'message' in value &&
  typeof value.message === 'string';
