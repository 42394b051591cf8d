import type { CallToolResult, Tool as ServerTool, Transport } from '@modelcontextprotocol/client';
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
  const { Client } = await import('@modelcontextprotocol/client');
  const transport = await createStdioTransport(deps.commands, command);
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
  transport: StdioTransport,
  tools: readonly ServerTool[],
): McpConnection {
  const program = transport.program();
  return {
    tools,
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
    ended: (program?.ended ?? Promise.resolve('')).then((why) => withStderr(why, transport)),
    end: () => transport.close(),
  };
}

/** Returns why something failed: how the server ended when it did, else what the SDK says. */
async function reasonOf(thrown: unknown, transport: StdioTransport): Promise<string> {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const program = transport.program();
  if (program === null || !/closed/i.test(message)) return message;
  return program.ended;
}

/** Adds what the server printed last. */
function withStderr(why: string, transport: StdioTransport): string {
  const printed = transport.program()?.stderr().trim() ?? '';
  return printed === '' ? why : `${why} It printed:\n${printed}`;
}

/** The most of a server's standard error that is kept for messages. Bytes. */
const MAX_STDERR_BYTES = 4096;

/** A transport over a program's standard input and output, and the program. */
interface StdioTransport extends Transport {
  /** The program; null before it was started. */
  program(): RunningCommand | null;
}

/**
 * Creates the transport to a server that is not started yet. The SDK's own would end only the process it started and
 * keep none of what it printed, so only its framing of messages is used.
 */
async function createStdioTransport(
  commands: Pick<Commands, 'start'>,
  command: Pick<CommandSpec, 'id' | 'argv' | 'cwd' | 'env'>,
): Promise<StdioTransport> {
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

  const transport: StdioTransport = {
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
