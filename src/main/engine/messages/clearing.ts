import type { Message } from '../../../shared/message';
import type { ApiMessage, Clearing } from '../model/model-client';
import { sinceBoundary } from './normalize';
import { resultId } from './projection';

/** Tells whether a history holds results that were cleared, and that an API which clears by itself can be sent. */
export const hasUncleared = (history: readonly Message[]): boolean =>
  sinceBoundary(history).some(isUncleared);

const isUncleared = (message: Message): boolean =>
  message.role === 'user' && message.uncleared !== undefined;

/**
 * Says what an API that clears by itself is to clear of `messages`: the results of a history that were cleared. Null where
 * none of them is among the messages. Pure.
 */
export function clearingOf(
  history: readonly Message[],
  messages: readonly ApiMessage[],
): Clearing | null {
  const gone = new Set(
    sinceBoundary(history)
      .filter(isUncleared)
      .map(({ id }) => id),
  );
  const calls = messages.flatMap(({ content }, at) =>
    content.filter(isCall).map(({ id, name }) => ({ id: String(id), name: String(name), at })),
  );
  const all = calls.filter(({ id }) => gone.has(resultId(id)));
  if (all.length === 0) return null;
  // The API may not be asked to keep none: after a rewind the newest call may be a cleared one, which stays until the next.
  const cleared = all.filter((call) => call !== calls.at(-1));
  const last = cleared.at(-1);
  const until = last === undefined ? 0 : calls.indexOf(last) + 1;
  const names = new Set(cleared.map(({ name }) => name));
  const kept = calls.slice(0, until).flatMap(({ name }) => (names.has(name) ? [] : [name]));
  const thinking = messages.flatMap(({ content }, at) => (content.some(isThinking) ? [at] : []));
  const older = last === undefined ? 0 : thinking.filter((at) => at <= last.at).length;
  return {
    messages,
    keptCalls: calls.length - until,
    keptTools: [...new Set(kept)].sort(),
    results: cleared.length,
    keptThinking: thinking.length - older,
    thinking: thinking.length > older ? older : 0,
  };
}

/** Returns the place of the message with the newest result that is cleared; -1: none. */
export function clearedAt(messages: readonly ApiMessage[], { keptCalls }: Clearing): number {
  let left = keptCalls;
  return (
    messages.findLastIndex(({ content }) => {
      left -= content.filter(isCall).length;
      return left < 0;
    }) + 1
  );
}

/** Calls that the API runs itself count as well: it keeps as many of the newest of either kind. */
const isCall = ({ type }: ApiMessage['content'][number]): boolean =>
  type === 'tool_use' || type === 'server_tool_use';

const isThinking = ({ type }: ApiMessage['content'][number]): boolean =>
  type === 'thinking' || type === 'redacted_thinking';
