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

/** What the script answers: what it says, then what it asks the tools to do. */
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
