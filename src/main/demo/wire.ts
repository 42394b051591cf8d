import { randomUUID } from 'node:crypto';
import { DEMO_MODEL } from '../../shared/settings';
import type { Reply, ReplyBlock } from './api-types';

/** One server-sent event of a streamed answer, and how long to wait before it, in milliseconds. */
export interface WireEvent {
  readonly pauseMs: number;
  readonly event: { readonly type: string } & Readonly<Record<string, unknown>>;
}

/** How fast the script speaks. */
export interface Pace {
  /** Milliseconds a word. */
  readonly perWordMs: number;
  /** The longest a whole answer may take, in milliseconds. */
  readonly maxReplyMs: number;
}

/** About as fast as a person reads along. */
export const SPEAKING_PACE: Pace = { perWordMs: 25, maxReplyMs: 6000 };

/** Text that arrives with one event of tool input, in characters. */
const INPUT_CHUNK = 24;

/** A reply with its ids, ready for the wire. */
export interface Message {
  readonly id: string;
  readonly blocks: readonly (ReplyBlock & { readonly id: string })[];
  readonly usage: Readonly<Record<string, unknown>>;
}

/** Gives a reply its ids and its (estimated) token counts: four characters a token, nothing cached. */
export function toMessage(reply: Reply, requestChars: number): Message {
  return {
    id: `msg_demo_${randomUUID()}`,
    blocks: reply.map((block) => ({ ...block, id: `toolu_demo_${randomUUID()}` })),
    usage: {
      input_tokens: estimateTokens(requestChars),
      output_tokens: estimateTokens(JSON.stringify(reply).length),
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      service_tier: 'offline-demo',
    },
  };
}

/** A rough count: four characters a token. */
export const estimateTokens = (chars: number): number => Math.ceil(chars / 4);

const stopReason = (message: Message): string =>
  message.blocks.some((b) => b.type === 'call') ? 'tool_use' : 'end_turn';

/** The whole answer as one JSON body, for requests that do not stream. */
export const wholeBody = (message: Message): Record<string, unknown> => ({
  ...head(message),
  content: message.blocks.map((b) => ({ ...opening(b), ...filled(b) })),
  stop_reason: stopReason(message),
  usage: message.usage,
});

/** The answer as the events of a stream, in order, with the pauses that make it readable. */
export function* streamEvents(message: Message, pace: Pace): Generator<WireEvent> {
  const chunks = message.blocks.map(chunksOf);
  const count = Math.max(1, chunks.flat().length);
  const pauseMs = Math.min(pace.perWordMs, pace.maxReplyMs / count);
  const usage = { ...message.usage, output_tokens: 1 };
  yield { pauseMs: 0, event: { type: 'message_start', message: { ...head(message), usage } } };
  yield { pauseMs: 0, event: { type: 'ping' } };
  for (const [index, block] of message.blocks.entries()) {
    const start = { type: 'content_block_start', index, content_block: opening(block) };
    yield { pauseMs: 0, event: start };
    for (const delta of chunks[index] ?? [])
      yield { pauseMs, event: { type: 'content_block_delta', index, delta } };
    yield { pauseMs: 0, event: { type: 'content_block_stop', index } };
  }
  const delta = { stop_reason: stopReason(message), stop_sequence: null };
  yield { pauseMs: 0, event: { type: 'message_delta', delta, usage: message.usage } };
  yield { pauseMs: 0, event: { type: 'message_stop' } };
}

const head = (message: Message) => ({
  id: message.id,
  type: 'message',
  role: 'assistant',
  model: DEMO_MODEL,
  content: [],
  stop_reason: null,
  stop_sequence: null,
});

type Block = Message['blocks'][number];

function opening(block: Block): Record<string, unknown> {
  if (block.type === 'text') return { type: 'text', text: '' };
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  return { type: 'tool_use', id: block.id, name: block.name, input: {} };
}

function filled(block: Block): Record<string, unknown> {
  if (block.type === 'text') return { text: block.text };
  if (block.type === 'thinking') return { thinking: block.text, signature: SIGNATURE };
  return { input: block.input };
}

const SIGNATURE = 'offline-demo';

function chunksOf(block: Block): Record<string, unknown>[] {
  if (block.type === 'text') return words(block.text).map((text) => ({ type: 'text_delta', text }));
  if (block.type === 'thinking')
    return [
      ...words(block.text).map((thinking) => ({ type: 'thinking_delta', thinking })),
      { type: 'signature_delta', signature: SIGNATURE },
    ];
  return pieces(JSON.stringify(block.input)).map((partial_json) => ({
    type: 'input_json_delta',
    partial_json,
  }));
}

const words = (text: string): string[] => text.match(/\s*\S+\s*$|\s*\S+/g) ?? [];

function pieces(text: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; at += INPUT_CHUNK)
    found.push(text.slice(at, at + INPUT_CHUNK));
  return found;
}
