import type {
  CallToolResult,
  JSONRPCMessage,
  Tool as ServerTool,
  Transport,
} from '@modelcontextprotocol/client';
import { err, ok, type Result } from '../../../shared/result';
import type { Clock, CommandSpec, Commands, RunningCommand } from '../ports';

/** The longest a server may take to start and list its tools (docs/configuration.md). Milliseconds. */
export const START_LIMIT_MS = 30_000;
/** A call takes as long as it takes: the user sees it, and can stop it. The longest that timers count. Milliseconds. */
const CALL_LIMIT_MS = 2 ** 31 - 1;

/** The services that a connection to a server needs. */
export interface ConnectionDeps {
  readonly commands: Pick<Commands, 'start'>;
  readonly clock: Clock;
  /** The version of Lathe, which it introduces itself with. */
  readonly version: string;
}

/** A running tool server. */
export interface McpConnection {
  /** The tools that it listed first. */
  readonly tools: readonly ServerTool[];
  /** Its name and version, as it says. */
  readonly info: { readonly name: string; readonly version: string } | null;
  /** What it says about its tools, for the model; empty when it says nothing. */
  readonly instructions: string;
  /** Calls a tool; an abort tells the server. The error is for the model. */
  call(
    tool: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Result<CallToolResult, string>>;
  /** Resolves with the reason, for a person, when the connection is over. */
  readonly ended: Promise<string>;
  /** Ends the server with everything that grew from it. */
  end(): Promise<void>;
}

/** A line to a server that runs inside the program which drives Lathe. */
export interface InsideServer {
  /** Delivers one message; resolves with the server's answer, or with why there is none. */
  send(message: unknown): Promise<Result<unknown, string>>;
  end(): void;
}

/** Connects to a server of that name; `receive` gets the messages that answer nothing. */
export type ConnectInside = (server: string, receive: (message: unknown) => void) => InsideServer;

/** Connects to a server inside the program that drives Lathe, as {@link connectServer} does to one that is started. */
export const connectInside = (
  connect: (receive: (message: unknown) => void) => InsideServer,
  deps: Pick<ConnectionDeps, 'clock' | 'version'>,
  onTools: (tools: readonly ServerTool[]) => void,
  signal: AbortSignal,
): Promise<Result<McpConnection, string>> =>
  connectOver(createInsideTransport(connect), deps, onTools, signal);

/**
 * Starts a server and connects to it. The error says why that failed, with what the server printed last; its processes are
 * ended then. `onTools` hears each later list of tools.
 */
export async function connectServer(
  command: Pick<CommandSpec, 'id' | 'argv' | 'cwd' | 'env'>,
  deps: ConnectionDeps,
  onTools: (tools: readonly ServerTool[]) => void,
  signal: AbortSignal,
): Promise<Result<McpConnection, string>> {
  const transport = await createStdioTransport(deps.commands, command);
  return connectOver(transport, deps, onTools, signal);
}

async function connectOver(
  transport: ServerTransport,
  deps: Pick<ConnectionDeps, 'clock' | 'version'>,
  onTools: (tools: readonly ServerTool[]) => void,
  signal: AbortSignal,
): Promise<Result<McpConnection, string>> {
  const { Client } = await import('@modelcontextprotocol/client');
  const client = new Client(
    { name: 'lathe', version: deps.version },
    {
      listChanged: {
        tools: { onChanged: (error, tools) => error ?? (tools !== null && onTools(tools)) },
      },
    },
  );
  const stop = new AbortController();
  const limit = new AbortController();
  const starting = AbortSignal.any([signal, stop.signal, limit.signal]);
  const timer = deps.clock.sleep(START_LIMIT_MS, stop.signal).then(() => {
    if (!stop.signal.aborted) limit.abort();
  });
  const options = { signal: starting, timeout: CALL_LIMIT_MS };
  try {
    await client.connect(transport, options);
    const { tools } = client.getServerCapabilities()?.tools
      ? await client.listTools(undefined, options)
      : { tools: [] };
    return ok(connectionOver(client, transport, tools));
  } catch (thrown) {
    const isLate = limit.signal.aborted;
    await transport.close();
    const why = isLate
      ? `It did not answer within ${START_LIMIT_MS / 1000} s.`
      : await reasonOf(thrown, transport);
    return err(withStderr(why, transport));
  } finally {
    stop.abort();
    await timer;
  }
}

type Client = InstanceType<typeof import('@modelcontextprotocol/client').Client>;

function connectionOver(
  client: Client,
  transport: ServerTransport,
  tools: readonly ServerTool[],
): McpConnection {
  const program = transport.program();
  return {
    tools,
    info: infoOf(client),
    instructions: client.getInstructions() ?? '',
    call: async (name, input, signal) => {
      try {
        return ok(
          await client.callTool(
            { name, arguments: { ...input } },
            { signal, timeout: CALL_LIMIT_MS },
          ),
        );
      } catch (thrown) {
        if (signal.aborted) return err('The call was stopped; the server was told.');
        return err(withStderr(await reasonOf(thrown, transport), transport));
      }
    },
    ended: (program?.ended ?? transport.gone ?? Promise.resolve('')).then((why) =>
      withStderr(why, transport),
    ),
    end: () => transport.close(),
  };
}

function infoOf(client: Client): McpConnection['info'] {
  const said = client.getServerVersion();
  return said ? { name: said.name, version: said.version } : null;
}

/** Returns why something failed: how the server ended when it did, else what the SDK says. */
async function reasonOf(thrown: unknown, transport: ServerTransport): Promise<string> {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const program = transport.program();
  if (program === null || !/closed/i.test(message)) return message;
  return program.ended;
}

/** Adds what the server printed last. */
function withStderr(why: string, transport: ServerTransport): string {
  const printed = transport.program()?.stderr().trim() ?? '';
  return printed === '' ? why : `${why} It printed:\n${printed}`;
}

/** The most of a server's standard error that is kept for messages. Bytes. */
const MAX_STDERR_BYTES = 4096;

/** A transport to a server, and the program that it is. */
interface ServerTransport extends Transport {
  /** Returns the program; null before it was started, and for a server that is none. */
  program(): RunningCommand | null;
  /** Resolves when a server that is no program is gone. */
  readonly gone?: Promise<string>;
}

/** Creates the transport to a server inside the program that drives Lathe. */
function createInsideTransport(
  connect: (receive: (message: unknown) => void) => InsideServer,
): ServerTransport {
  let line: InsideServer | null = null;
  let leave = (_why: string) => {};
  const receive = (message: unknown) => {
    // The client checks what it gets.
    transport.onmessage?.(message as JSONRPCMessage);
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
 * keep none of what it printed, so only its framing of messages is used.
 */
async function createStdioTransport(
  commands: Pick<Commands, 'start'>,
  command: Pick<CommandSpec, 'id' | 'argv' | 'cwd' | 'env'>,
): Promise<ServerTransport> {
  const { ReadBuffer, serializeMessage } = await import('@modelcontextprotocol/client');
  const buffer = new ReadBuffer();
  let running: RunningCommand | null = null;

  const receive = (chunk: Uint8Array): void => {
    try {
      buffer.append(Buffer.from(chunk));
    } catch (thrown) {
      // One message is longer than anybody should send: nothing behind it can be told apart.
      transport.onerror?.(asError(thrown));
      void transport.close();
      return;
    }
    for (let more = true; more; ) more = readOne();
  };
  const readOne = (): boolean => {
    try {
      const message = buffer.readMessage();
      if (message === null) return false;
      transport.onmessage?.(message);
    } catch (thrown) {
      // A line that is no message, e.g. a log line: the next one may be.
      transport.onerror?.(asError(thrown));
    }
    return true;
  };

  const transport: ServerTransport = {
    program: () => running,
    start: async () => {
      const started = commands.start({ ...command, maxBytes: MAX_STDERR_BYTES }, receive);
      running = started;
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

const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));
