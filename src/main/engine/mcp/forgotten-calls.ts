import { err, type Result } from '../../../shared/result';
import type { CallFault, McpConnection } from './connection';
import { CHANGED_SINCE, type ToolCall } from './mcp-tool';
import type { ToolContents } from './tool-contents';

/** The requests of which a server said that it does not know their session, and the connections that follow one another. */
export interface ForgottenCalls {
  /** Returns what calls tools over a connection. */
  over(connection: McpConnection): ToolCall;
  /** Asks something over a connection; again over the next one where it was forgotten. The error is a sentence. */
  ask<T>(
    connection: McpConnection,
    question: (over: McpConnection) => Promise<Result<T, CallFault>>,
    signal: AbortSignal,
  ): Promise<Result<T, string>>;
  /** Tells of another connection, or that a try to have one failed. */
  next(connection: McpConnection | null): void;
  /** Tells that there will be none any more. */
  end(): void;
}

/** Said of a call that came when the session was forgotten already, and for which there is no other. */
const FORGOTTEN = 'The server does not know the session any more, and no other could be had.';

/**
 * Creates the record of one server. A call that was forgotten did not run: it is sent again, once, over the next connection, where
 * its tool is still what was allowed.
 */
export function createForgottenCalls(contents: Pick<ToolContents, 'now'>): ForgottenCalls {
  const waiting = new Set<(next: McpConnection | null) => void>();
  let current: McpConnection | null = null;
  let hasEnded = false;
  const tell = (next: McpConnection | null) => {
    current = next;
    const all = [...waiting];
    waiting.clear();
    for (const hear of all) hear(next);
  };
  const after = async (before: McpConnection, signal: AbortSignal) => {
    if (hasEnded || signal.aborted) return null;
    if (current !== null && current !== before) return current;
    const { promise, resolve } = Promise.withResolvers<McpConnection | null>();
    const stop = () => resolve(null);
    waiting.add(resolve);
    signal.addEventListener('abort', stop, { once: true });
    const next = await promise;
    signal.removeEventListener('abort', stop);
    waiting.delete(resolve);
    return next;
  };
  /** `obstacle` says why it may not be asked again; null: it may. */
  const askTwice = async <T>(
    connection: McpConnection,
    question: (over: McpConnection) => Promise<Result<T, CallFault>>,
    signal: AbortSignal,
    obstacle: () => string | null,
  ): Promise<Result<T, string>> => {
    const first = connection.isForgotten()
      ? err({ why: FORGOTTEN, isForgotten: true })
      : await question(connection);
    if (first.ok) return first;
    const next = first.error.isForgotten ? await after(connection, signal) : null;
    const why = next === null ? first.error.why : obstacle();
    if (next === null || why !== null) return err(why ?? first.error.why);
    const second = await question(next);
    return second.ok ? second : err(second.error.why);
  };
  return {
    over: (connection) => (tool, input, onProgress, signal) => {
      const content = contents.now(tool);
      const call = (over: McpConnection) => over.call(tool, input, onProgress, signal);
      return askTwice(connection, call, signal, () =>
        contents.now(tool) === content ? null : CHANGED_SINCE,
      );
    },
    ask: (connection, question, signal) => askTwice(connection, question, signal, () => null),
    next: tell,
    end: () => {
      hasEnded = true;
      tell(null);
    },
  };
}
