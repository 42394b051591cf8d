import type {
  AssistantBlock,
  AssistantMessage,
  Message,
  TextBlock,
  UserBlock,
} from '../../../shared/message';
import { sameModel } from '../model/catalog';
import type { ApiMessage } from '../model/model-client';
import { wrapReminder } from './reminder';

/** One content block as it goes over the wire. */
export type ApiBlock = Readonly<Record<string, unknown>>;

/** What decides whether thinking may be sent back. */
export interface ThinkingRule {
  readonly model: string;
  /** Place in the history from which on messages were made behind today's prefix. */
  readonly freshAt: number;
}

const isBlank = (text: string): boolean => text.trim() === '';

/** Turns history entries into API messages, one for one; entries with nothing to say are left out. */
export function toApiMessages(
  history: readonly Message[],
  rule: ThinkingRule,
): readonly ApiMessage[] {
  return history
    .map((message, i): ApiMessage => {
      if (message.role !== 'assistant') return { role: 'user', content: userBlocks(message) };
      const keepThinking = i >= rule.freshAt && sameModel(message.model, rule.model);
      return { role: 'assistant', content: assistantBlocks(message, keepThinking) };
    })
    .filter((message) => message.content.length > 0);
}

function userBlocks(message: Exclude<Message, AssistantMessage>): readonly ApiBlock[] {
  switch (message.role) {
    case 'attachment':
      return [
        ...(isBlank(message.text) ? [] : [{ type: 'text', text: wrapReminder(message.text) }]),
        ...(message.images ?? []),
      ];
    case 'boundary':
      return [{ type: 'text', text: boundaryText(message.summary) }];
    case 'user':
      return message.content.flatMap(userBlock);
  }
}

const boundaryText = (summary: string): string =>
  `The conversation before this point was summarised to save space. The summary:\n\n${summary.trim()}`;

function userBlock(block: UserBlock): readonly ApiBlock[] {
  switch (block.type) {
    case 'text':
      return isBlank(block.text) ? [] : [{ type: 'text', text: block.text }];
    case 'image':
      return [{ type: 'image', source: block.source }];
    case 'tool_result': {
      const content = block.content.filter((b) => b.type !== 'text' || !isBlank(b.text));
      return [
        {
          type: 'tool_result',
          tool_use_id: block.tool_use_id,
          content: content.length > 0 ? content : [{ type: 'text', text: '(no content)' }],
          ...(block.is_error === true ? { is_error: true } : {}),
        },
      ];
    }
  }
}

function assistantBlocks(message: AssistantMessage, keepThinking: boolean): readonly ApiBlock[] {
  return withoutTrailingThinking(
    message.content.flatMap((block) => assistantBlock(block, keepThinking)),
  );
}

/** The API refuses an answer that ends in thinking. */
export const withoutTrailingThinking = (blocks: readonly ApiBlock[]): readonly ApiBlock[] =>
  blocks.slice(0, blocks.findLastIndex((b) => !isThinking(b)) + 1);

function assistantBlock(block: AssistantBlock, keepThinking: boolean): readonly ApiBlock[] {
  switch (block.type) {
    case 'text':
      return isBlank(block.text) ? [] : [withCitations(block)];
    case 'thinking':
      return keepThinking && block.signature !== ''
        ? [{ type: 'thinking', thinking: block.thinking, signature: block.signature }]
        : [];
    case 'redacted_thinking':
      return keepThinking ? [{ type: 'redacted_thinking', data: block.data }] : [];
    case 'tool_use':
      return [{ type: 'tool_use', id: block.id, name: block.name, input: block.input }];
    case 'other':
      return [block.raw];
  }
}

const withCitations = ({ text, citations }: TextBlock): ApiBlock =>
  citations === undefined ? { type: 'text', text } : { type: 'text', text, citations };

/** Thinking in the clear or redacted. */
export const isThinking = (block: ApiBlock): boolean =>
  block['type'] === 'thinking' || block['type'] === 'redacted_thinking';
