import type { ApiMessage } from '../model/model-client';
import { type ApiBlock, withoutTrailingThinking } from './api-blocks';

/**
 * Pairs the calls that the server runs itself with their results, which stand in the same answer. A call whose
 * result never came (the answer was cut) goes, and so does a result without its call. The last message may end
 * with open calls: that is an answer the API paused, and it goes on from there. Pure; roles keep alternating.
 */
export function repairServerTools(messages: readonly ApiMessage[]): readonly ApiMessage[] {
  if (!messages.some((message) => message.content.some(isServerTool))) return messages;
  const repaired = messages.map((message, i) =>
    message.role === 'user' ? message : paired(message, i === messages.length - 1),
  );
  return repaired.reduce<ApiMessage[]>((out, message) => {
    const last = out.at(-1);
    if (message.content.length === 0) return out;
    if (last?.role !== message.role) out.push(message);
    else out[out.length - 1] = { ...last, content: [...last.content, ...message.content] };
    return out;
  }, []);
}

const isUse = (block: ApiBlock): boolean => block['type'] === 'server_tool_use';

const isResult = (block: ApiBlock): boolean =>
  typeof block['type'] === 'string' &&
  block['type'] !== 'tool_result' &&
  block['type'].endsWith('_tool_result');

const isServerTool = (block: ApiBlock): boolean => isUse(block) || isResult(block);

function paired(message: ApiMessage, isLast: boolean): ApiMessage {
  const { content } = message;
  const hasResult = (use: ApiBlock, at: number) =>
    content.slice(at + 1).some((b) => isResult(b) && b['tool_use_id'] === use['id']);
  const hasUse = (result: ApiBlock, at: number) =>
    content.slice(0, at).some((b) => isUse(b) && b['id'] === result['tool_use_id']);
  const kept = content.filter((block, at) => {
    if (isUse(block)) return isLast || hasResult(block, at);
    return !isResult(block) || hasUse(block, at);
  });
  return kept.length === content.length
    ? message
    : { ...message, content: withoutTrailingThinking(kept) };
}
