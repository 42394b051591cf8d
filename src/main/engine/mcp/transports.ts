import type { AuthProvider, Transport } from '@modelcontextprotocol/client';
import type { Result } from '../../../shared/result';
import type { Clock, CommandSpec, Commands, RunningCommand } from '../ports';
import { shownAddress } from '../settings/shown-server';
import { answeredFetch, withBody } from './answered-fetch';
import { asMessage, createLineReader } from './messages-in';

/** A line to a server that runs inside the program which drives Lathe. */
export interface InsideServer {
  /** Delivers one message; resolves with the server's answer, or with why there is none. */
  send(message: unknown): Promise<Result<unknown, string>>;
  end(): void;
}

/** Connects to a server of that name; `receive` gets the messages that answer nothing. */
export type ConnectInside = (server: string, receive: (message: unknown) => void) => InsideServer;

/** The most of a server's standard error that is kept for messages. Bytes. */
const MAX_STDERR_BYTES = 4096;

/** A transport to a server, and the program that it is. */
export interface ServerTransport extends Transport {
  /** Returns the program; null before it was started, and for a server that is none. */
  program(): RunningCommand | null;
  /** Resolves when a server that is no program is gone. */
  readonly gone?: Promise<string>;
  /** The address of a server that is no program, as it can be shown. */
  readonly address?: string;
  /** A user can sign in to it. */
  readonly signsIn?: boolean;
  /** Tells whether the server gave the connection a session, which it may forget. */
  hasSession?(): boolean;
  /** Says that a server that is no program cannot be reached any more, or has forgotten the session. */
  lose?(why: string, how?: 'forgotten'): void;
  /** Tells whether the server is there and has forgotten the session. */
  isForgotten?(): boolean;
}

/** A server that is reached by its address, with everything filled in. */
export interface RemoteServer {
  readonly type: 'http' | 'sse' | 'ws';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Gives requests the token of a sign-in. */
  readonly bearer?: AuthProvider;
}

/** The longest that the end of a session with a server may take. Milliseconds. */
const GOODBYE_MS = 1000;

/** The longest answer of a server that is taken. Bytes. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/** Fetches as usual, and breaks off an answer that has no end. What comes as a stream of events is not one answer. */
const boundedFetch =
  (request: typeof fetch): typeof fetch =>
  async (input, init) => {
    const response = await request(input, init);
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true;
    if (response.body === null || isStream) return response;
    let bytes = 0;
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          bytes += chunk.byteLength;
          if (bytes > MAX_ANSWER_BYTES) controller.error(new Error(TOO_LONG));
          else controller.enqueue(chunk);
        },
      }),
    );
    return withBody(response, counted);
  };

const TOO_LONG = `its answer is longer than ${MAX_ANSWER_BYTES / 1024 / 1024} MiB`;

/** Creates the transport to a server at an address. It follows no redirect to another host. Throws for a bad address. */
export async function createRemoteTransport(
  { type, url, headers, bearer }: RemoteServer,
  deps: { readonly clock: Clock; readonly fetch: typeof fetch },
): Promise<ServerTransport> {
  const { SSEClientTransport, StreamableHTTPClientTransport } = await import(
    '@modelcontextprotocol/client'
  );
  const init = {
    requestInit: { headers: { ...headers } },
    fetch: answeredFetch(boundedFetch(deps.fetch)),
    ...(bearer === undefined ? {} : { authProvider: bearer }),
  };
  const { promise: gone, resolve: lose } = Promise.withResolvers<string>();
  let forgotten = false;
  const inner =
    type === 'sse'
      ? new SSEClientTransport(new URL(url), init)
      : new StreamableHTTPClientTransport(new URL(url), init);
  const close = inner.close.bind(inner);
  inner.onclose = () => lose('It closed the connection.');
  return Object.assign(inner, {
    program: () => null,
    address: shownAddress(url),
    signsIn: bearer !== undefined,
    gone,
    // With events, the session is part of the address that the server named.
    hasSession: () => inner instanceof SSEClientTransport || inner.sessionId !== undefined,
    isForgotten: () => forgotten,
    lose: (why: string, how?: 'forgotten') => {
      forgotten ||= how === 'forgotten';
      lose(why);
    },
    close: async () => {
      if (inner instanceof StreamableHTTPClientTransport && inner.sessionId !== undefined) {
        const said = new AbortController();
        const ended = inner.terminateSession().catch(() => {});
        await Promise.race([ended, deps.clock.sleep(GOODBYE_MS, said.signal)]);
        said.abort('over');
      }
      await close();
      lose('It was disconnected.');
    },
  });
}

/** Creates the transport to a server inside the program that drives Lathe. */
export function createInsideTransport(
  connect: (receive: (message: unknown) => void) => InsideServer,
): ServerTransport {
  let line: InsideServer | null = null;
  let leave = (_why: string) => {};
  const receive = (given: unknown) => {
    const message = asMessage(given);
    if (message !== null) transport.onmessage?.(message);
  };
  const transport: ServerTransport = {
    program: () => null,
    gone: new Promise((resolve) => {
      leave = resolve;
    }),
    start: async () => {
      line = connect(receive);
    },
    send: async (message) => {
      const answer = await line?.send(message);
      if (!('id' in message && 'method' in message) || answer === undefined) return;
      if (answer.ok) return receive(answer.value);
      const error = { code: -32_000, message: answer.error };
      receive({ jsonrpc: '2.0', id: message.id, error });
    },
    close: async () => {
      line?.end();
      line = null;
      leave('It was disconnected.');
      transport.onclose?.();
    },
  };
  return transport;
}

/**
 * Creates the transport to a server that is not started yet. The SDK's own would end only the process it started and
 * keep none of what it printed; its framing of messages tells nothing of one that has no form.
 */
export async function createStdioTransport(
  commands: Pick<Commands, 'start'>,
  command: Pick<CommandSpec, 'id' | 'argv' | 'cwd' | 'env'>,
): Promise<ServerTransport> {
  const { serializeMessage } = await import('@modelcontextprotocol/client');
  const linesOf = createLineReader();
  let running: RunningCommand | null = null;
  let isFlooded = false;

  const receive = (chunk: Uint8Array): void => {
    if (isFlooded) return;
    try {
      for (const line of linesOf(chunk)) readOne(line);
    } catch (thrown) {
      // One message is longer than anybody should send: nothing behind it can be told apart.
      isFlooded = true;
      transport.onerror?.(asError(thrown));
      void transport.close();
    }
  };
  const readOne = (line: string): void => {
    try {
      const message = asMessage(JSON.parse(line));
      if (message !== null) transport.onmessage?.(message);
    } catch (thrown) {
      // A line that is no message, e.g. a log line: the next one may be.
      transport.onerror?.(asError(thrown));
    }
  };

  const transport: ServerTransport = {
    program: () => running,
    start: async () => {
      const started = commands.start({ ...command, maxBytes: MAX_STDERR_BYTES }, receive);
      running = { ...started, ended: started.ended.then((why) => (isFlooded ? FLOODED : why)) };
      started.ended.then(() => transport.onclose?.()).catch(() => {});
    },
    send: async (message) => {
      await running?.write(serializeMessage(message));
    },
    close: async () => {
      await running?.end();
    },
  };
  return transport;
}

const FLOODED = 'It sent one message that is too long to be read, so Lathe ended it.';

const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));
