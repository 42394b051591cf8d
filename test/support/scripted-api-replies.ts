/** One block of a scripted answer. */
export type ScriptedBlock =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  /** `json` replaces the input's JSON byte for byte: for broken or oddly written input. */
  | {
      readonly kind: 'tool_use';
      readonly id?: string;
      readonly name: string;
      readonly input: unknown;
      readonly json?: string;
    }
  /** Any other block: its start, and raw deltas. */
  | {
      readonly kind: 'raw';
      readonly start: Readonly<Record<string, unknown>>;
      readonly deltas: readonly Readonly<Record<string, unknown>>[];
    }
  /** Not a block: the stream goes on when the promise resolves. */
  | { readonly kind: 'hold'; readonly until: Promise<unknown> }
  /** Not a block: a sign of life. */
  | { readonly kind: 'ping' };

/** Token counts of an answer, as they stand in its `usage`. */
interface ScriptedUsage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_read_input_tokens?: number;
  readonly cache_creation_input_tokens?: number;
}

/** How a stream breaks off. `error` sends an SSE error event of type `errorType`. */
export interface Cut {
  readonly how: 'reset' | 'truncated' | 'stall' | 'error';
  /** SSE events that still go out. */
  readonly afterEvents: number;
  readonly errorType?: string;
  /** A reset waits for this: one that overtakes what was written would be another fault. */
  readonly when?: Promise<unknown>;
}

/** A whole answer. */
export interface MessageReply {
  readonly kind: 'message';
  readonly blocks: readonly ScriptedBlock[];
  /** Default: `tool_use` when a tool is used, else `end_turn`. */
  readonly stopReason?: string;
  readonly stopDetails?: Readonly<Record<string, unknown>>;
  readonly usage?: ScriptedUsage;
  /** What the API says that it cleared of the request. */
  readonly cleared?: readonly Readonly<Record<string, unknown>>[];
  /** Bytes in one write; small numbers split UTF-8 characters. Default: one write per event. */
  readonly chunkBytes?: number;
  /** Characters per delta. Default 24. */
  readonly pieceChars?: number;
  /** Real time between two events; for end-to-end tests that must see an answer grow. Default 0. */
  readonly paceMs?: number;
  readonly cut?: Cut;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal before any stream. */
export interface ErrorReply {
  readonly kind: 'error';
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The connection drops before anything is sent. */
export interface DropReply {
  readonly kind: 'drop';
}

/** The request is taken and never answered: not even headers come. */
export interface HangReply {
  readonly kind: 'hang';
}

/** A stream of exactly these bytes, each piece a write of its own; then the connection ends. */
export interface RawReply {
  readonly kind: 'raw';
  /** Drawn one by one, and no further once the client is gone. */
  readonly pieces: Iterable<string | Uint8Array> | AsyncIterable<string>;
  /** Default: `text/event-stream`. */
  readonly contentType?: string;
  /** What `content-encoding` says. Default: nothing. */
  readonly encoding?: string;
}

export type Reply = MessageReply | ErrorReply | DropReply | HangReply | RawReply;

/** A text block. */
export const text = (value: string): ScriptedBlock => ({ kind: 'text', text: value });

/** A thinking block; the server signs it and checks the signature when it comes back. */
export const thinking = (value: string): ScriptedBlock => ({ kind: 'thinking', text: value });

/** A tool use. Without an id the server makes one up, never the same twice. */
export const toolUse = (name: string, input: unknown, id?: string): ScriptedBlock =>
  id === undefined ? { kind: 'tool_use', name, input } : { kind: 'tool_use', name, input, id };

/** A tool use whose input streams as exactly these characters. */
export const toolUseJson = (name: string, json: string): ScriptedBlock => ({
  kind: 'tool_use',
  name,
  input: {},
  json,
});

/** A sign of life inside an answer. */
export const ping = (): ScriptedBlock => ({ kind: 'ping' });

/** A pause inside an answer. */
export const hold = (until: Promise<unknown>): ScriptedBlock => ({ kind: 'hold', until });

/** An answer of these blocks; a plain string is a text block. */
export const reply = (
  blocks: ScriptedBlock | string | readonly (ScriptedBlock | string)[],
  options: Omit<MessageReply, 'kind' | 'blocks'> = {},
): MessageReply => {
  const list = Array.isArray(blocks) ? (blocks as readonly (ScriptedBlock | string)[]) : [blocks];
  return {
    kind: 'message',
    blocks: list.map((b) => (typeof b === 'string' ? text(b) : (b as ScriptedBlock))),
    ...options,
  };
};

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
};

/** The API's error body for a status. */
export const errorBody = (status: number, message: string): Readonly<Record<string, unknown>> => ({
  type: 'error',
  error: { type: ERROR_TYPES[status] ?? 'api_error', message },
  request_id: 'req_scripted',
});

/** A refusal. A string body becomes the API's own error form. */
export const error = (
  status: number,
  body: unknown = 'scripted failure',
  headers: Readonly<Record<string, string>> = {},
): ErrorReply => ({
  kind: 'error',
  status,
  body: typeof body === 'string' ? errorBody(status, body) : body,
  headers,
});

/** The connection drops before anything is sent. */
export const drop = (): DropReply => ({ kind: 'drop' });

/** The request is taken and never answered. */
export const hang = (): HangReply => ({ kind: 'hang' });

/** A stream of exactly these bytes. */
export const raw = (...pieces: readonly (string | Uint8Array)[]): RawReply => ({
  kind: 'raw',
  pieces,
});

/** An answer of exactly these characters that calls itself JSON. */
export const rawJson = (text: string): RawReply => ({
  kind: 'raw',
  pieces: [text],
  contentType: 'application/json',
});

/** One server-sent event as it stands on the wire. */
export const wire = (data: Readonly<Record<string, unknown>> & { readonly type: string }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

/** The answer breaks off by a connection reset after some events. */
export const reset = (
  whole: MessageReply,
  afterEvents: number,
  when?: Promise<unknown>,
): MessageReply => ({
  ...whole,
  cut: { how: 'reset', afterEvents, ...(when === undefined ? {} : { when }) },
});

/** The answer ends cleanly on the wire, but before its `message_stop`. */
export const truncated = (whole: MessageReply, afterEvents: number): MessageReply => ({
  ...whole,
  cut: { how: 'truncated', afterEvents },
});

/** The answer falls silent and the connection stays open. */
export const stall = (whole: MessageReply, afterEvents: number): MessageReply => ({
  ...whole,
  cut: { how: 'stall', afterEvents },
});

/** An `event: error` inside the stream. */
export const errorEvent = (
  whole: MessageReply,
  afterEvents: number,
  errorType = 'overloaded_error',
): MessageReply => ({ ...whole, cut: { how: 'error', afterEvents, errorType } });
