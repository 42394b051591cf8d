import type { Transport } from '@modelcontextprotocol/client';
import type { Command, Commands, RunningCommand } from '../ports';

/** How much of a server's standard error is kept for messages. Bytes. */
const MAX_STDERR_BYTES = 4096;

/** A transport over a program's standard input and output, and the program. */
export interface StdioTransport extends Transport {
  /** The program; null before it was started. */
  program(): RunningCommand | null;
}

/**
 * Creates the transport to a server that is not started yet. The SDK's own would end only the process it started and
 * keep none of what it printed, so only its framing of messages is used.
 */
export async function createStdioTransport(
  commands: Pick<Commands, 'start'>,
  command: Pick<Command, 'id' | 'argv' | 'cwd' | 'env'>,
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
