import type { Message, ToolUseBlock } from '../../../shared/message';

/** A call of a response with its result, as the model reads it. */
export interface SettledCall {
  readonly call: ToolUseBlock;
  /** A text, or blocks where there is more than text. */
  readonly response: unknown;
}

/** The calls of the newest answer that have results in the history, in the order they were asked. Pure. */
export function settledCalls(
  calls: readonly ToolUseBlock[],
  history: readonly Message[],
): readonly SettledCall[] {
  const results = new Map<string, unknown>();
  // Results come after their answer.
  for (const message of history.slice(history.findLastIndex((m) => m.role === 'assistant') + 1)) {
    if (message.role !== 'user') continue;
    for (const block of message.content) {
      if (block.type === 'tool_result') results.set(block.tool_use_id, plain(block.content));
    }
  }
  return calls.flatMap((call) =>
    results.has(call.id) ? [{ call, response: results.get(call.id) }] : [],
  );
}

/** One text stands for itself. */
function plain(content: readonly { readonly type: string; readonly text?: string }[]): unknown {
  const [only] = content;
  return content.length === 1 && only?.type === 'text' ? only.text : content;
}
