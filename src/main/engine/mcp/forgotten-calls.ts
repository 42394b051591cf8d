import { err } from '../../../shared/result';
import type { McpConnection } from './connection';
import { CHANGED_SINCE, type ToolCall } from './mcp-tool';
import type { ToolContents } from './tool-contents';

/** The calls of which a server said that it does not know their session, and the connections that follow one another. */
export interface ForgottenCalls {
  /** Returns what calls tools over a connection. */
  over(connection: McpConnection): ToolCall;
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
  return {
    over: (connection) => async (tool, input, onProgress, signal) => {
      const content = contents.now(tool);
      const first = connection.isForgotten()
        ? err({ why: FORGOTTEN, isForgotten: true })
        : await connection.call(tool, input, onProgress, signal);
      if (first.ok) return first;
      const next = first.error.isForgotten ? await after(connection, signal) : null;
      if (next === null) return err(first.error.why);
      if (contents.now(tool) !== content) return err(CHANGED_SINCE);
      const second = await next.call(tool, input, onProgress, signal);
      return second.ok ? second : err(second.error.why);
    },
    next: tell,
    end: () => {
      hasEnded = true;
      tell(null);
    },
  };
}
