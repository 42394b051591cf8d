import type { ApiMessage } from '../model/model-client';
import { type ApiBlock, isThinking } from './api-blocks';

/** Images in one request. The API's limit is 100. */
export const MAX_IMAGES = 100;

/** Images go in groups of this many, so that the prefix (and its cache) holds still for a while in between. */
const GROUP = 20;

const PLACEHOLDER: ApiBlock = {
  type: 'text',
  text: '[An older image was left out to stay within the limit.]',
};

/**
 * Replaces the oldest images by a line of text when there are more than `max`. Thinking that came after a
 * replaced image was made behind another prefix, so it goes too.
 */
export function capImages(messages: readonly ApiMessage[], max: number): readonly ApiMessage[] {
  const total = messages.reduce((n, m) => n + countImages(m.content), 0);
  if (total <= max) return messages;
  const step = Math.min(GROUP, Math.max(1, max));
  let left = Math.min(total, Math.ceil((total - max) / step) * step);
  let edited = false;
  return messages.map((message) => {
    const wasEdited = edited;
    const content = message.content.map((block) => {
      if (left === 0 || countImages([block]) === 0) return block;
      edited = true;
      if (block['type'] === 'image') {
        left -= 1;
        return PLACEHOLDER;
      }
      const inner = (block['content'] as readonly ApiBlock[]).map((b) => {
        if (b['type'] !== 'image' || left === 0) return b;
        left -= 1;
        return PLACEHOLDER;
      });
      return { ...block, content: inner };
    });
    return wasEdited
      ? { ...message, content: content.filter((b) => !isThinking(b)) }
      : { ...message, content };
  });
}

/** The images in the content of a message, those in results included. */
export function countImages(
  content: readonly { readonly type?: unknown; readonly content?: unknown }[],
): number {
  return content.reduce((n, block) => {
    if (block.type === 'image') return n + 1;
    const inner = block.type === 'tool_result' ? block.content : null;
    return Array.isArray(inner) ? n + countImages(inner) : n;
  }, 0);
}
