import { randomUUID } from 'node:crypto';
import { DEMO_MODEL } from '../../shared/settings';

/** The parts of a Messages API request that the script reads. Everything else is ignored. */
export interface DemoRequest {
  readonly system: string;
  readonly messages: readonly DemoMessage[];
  /** Names of the tools that were offered. */
  readonly tools: ReadonlySet<string>;
  readonly stream: boolean;
}

export interface DemoMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly DemoBlock[];
}

/** One block of a message; blocks of other types carry nothing the script needs. */
export type DemoBlock =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      readonly input: Readonly<Record<string, unknown>>;
    }
  | {
      readonly type: 'tool_result';
      readonly callId: string;
      readonly text: string;
      readonly isError: boolean;
    };

/** One block of an answer, before it gets an id and goes over the wire. */
export type ReplyBlock =
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly name: string; readonly input: Record<string, unknown> };

/** An answer of the script: what it says, then what it asks the tools to do. */
export type Reply = readonly ReplyBlock[];

/** Reads a request body. Null when it is not shaped like one. */
export function readRequest(body: unknown): DemoRequest | null {
  if (!isRecord(body) || !Array.isArray(body['messages'])) return null;
  const messages = body['messages'].map(readMessage);
  if (!messages.every((m) => m !== null)) return null;
  const tools = Array.isArray(body['tools']) ? body['tools'] : [];
  return {
    system: textOf(body['system']),
    messages,
    tools: new Set(tools.map((tool) => (isRecord(tool) ? String(tool['name']) : ''))),
    stream: body['stream'] === true,
  };
}

function readMessage(message: unknown): DemoMessage | null {
  if (!isRecord(message)) return null;
  const { role, content } = message;
  if (typeof content === 'string' && role === 'system') return { role: 'user', content: [] };
  if (role !== 'user' && role !== 'assistant') return null;
  if (typeof content === 'string') return { role, content: [{ type: 'text', text: content }] };
  if (!Array.isArray(content)) return null;
  return { role, content: content.map(readBlock).filter((b) => b !== null) };
}

function readBlock(block: unknown): DemoBlock | null {
  if (!isRecord(block)) return null;
  const { type, id, name, input, text } = block;
  if (type === 'text' && typeof text === 'string') return { type, text };
  if (type === 'tool_use' && typeof id === 'string' && typeof name === 'string')
    return { type, id, name, input: isRecord(input) ? input : {} };
  if (type === 'tool_result' && typeof block['tool_use_id'] === 'string')
    return {
      type,
      callId: block['tool_use_id'],
      text: textOf(block['content']),
      isError: block['is_error'] === true,
    };
  return null;
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((b) => (isRecord(b) && typeof b['text'] === 'string' ? b['text'] : ''))
    .join('\n');
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Creates a block that is said to the user. */
export const say = (text: string): ReplyBlock => ({ type: 'text', text });

/** Creates a block that is thought aloud. */
export const think = (text: string): ReplyBlock => ({ type: 'thinking', text });

/** Creates a request to use a tool. */
export const call = (name: string, input: Record<string, unknown>): ReplyBlock => ({
  type: 'call',
  name,
  input,
});

const PLAN: readonly (readonly [content: string, activeForm: string])[] = [
  ['Read the code', 'Reading the code'],
  ['Run the tests and watch them', 'Running the tests'],
  ['Repair what fails', 'Repairing what fails'],
  ['Run the tests again', 'Running the tests again'],
];

/** The number of steps in the to-do list. */
export const PLAN_LENGTH = PLAN.length;

/** Creates the to-do list when the first `done` steps are finished and the next one is under way. */
export const todos = (done: number): ReplyBlock =>
  call('TodoWrite', {
    todos: PLAN.map(([content, activeForm], i) => ({
      content,
      activeForm,
      status: i < done ? 'completed' : i === done ? 'in_progress' : 'pending',
    })),
  });

/** One server-sent event of a streamed answer, and how long to wait before it, in milliseconds. */
export interface WireEvent {
  readonly pauseMs: number;
  readonly event: { readonly type: string } & Readonly<Record<string, unknown>>;
}

/** The speed at which the script speaks. */
export interface Pace {
  /** Milliseconds a word. */
  readonly perWordMs: number;
  /** The longest a whole answer may take, in milliseconds. */
  readonly maxReplyMs: number;
}

/** About as fast as a user reads along. */
export const SPEAKING_PACE: Pace = { perWordMs: 25, maxReplyMs: 6000 };

/** Returns the pace that `LATHE_DEMO_WORD_MS` asks for; by default, that of a user who reads along. */
export function paceFrom(env: Readonly<Record<string, string | undefined>>): Pace {
  const wanted = env['LATHE_DEMO_WORD_MS']?.trim() ?? '';
  return /^\d{1,4}$/.test(wanted) ? { ...SPEAKING_PACE, perWordMs: Number(wanted) } : SPEAKING_PACE;
}

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

/** Estimates tokens at four characters each. */
export const estimateTokens = (chars: number): number => Math.ceil(chars / 4);

const stopReason = (message: Message): string =>
  message.blocks.some((b) => b.type === 'call') ? 'tool_use' : 'end_turn';

/** Returns the whole answer as one JSON body, for requests that do not stream. */
export const wholeBody = (message: Message): Record<string, unknown> => ({
  ...head(message),
  content: message.blocks.map((b) => ({ ...opening(b), ...filled(b) })),
  stop_reason: stopReason(message),
  usage: message.usage,
});

/** Yields the answer as the events of a stream, in order, with the pauses that make it readable. */
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
