import type {
  AssistantBlock,
  AssistantMessage,
  Message,
  TextBlock,
  ToolResultBlock,
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
        ...(isBlank(message.text)
          ? []
          : [{ type: 'text', text: wrapReminder(message.text.toWellFormed()) }]),
        ...(message.images ?? []),
      ];
    case 'boundary':
      return [{ type: 'text', text: boundaryText(message.summary.toWellFormed()) }];
    case 'user':
      return message.content.flatMap(userBlock);
  }
}

const boundaryText = (summary: string): string =>
  `The conversation before this point was summarised to save space. The summary:\n\n${summary.trim()}`;

function userBlock(block: UserBlock): readonly ApiBlock[] {
  switch (block.type) {
    case 'text':
      return isBlank(block.text) ? [] : [{ type: 'text', text: block.text.toWellFormed() }];
    case 'image':
      return [{ type: 'image', source: block.source }];
    case 'tool_result': {
      const content = resultContent(block);
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

/** What a call gave. The API takes nothing but text from one that failed. */
function resultContent({ content, is_error }: ToolResultBlock): readonly ApiBlock[] {
  return content.flatMap((inner): readonly ApiBlock[] => {
    if (inner.type === 'text')
      return isBlank(inner.text) ? [] : [{ type: 'text', text: inner.text.toWellFormed() }];
    return is_error === true ? [IMAGE_OF_FAILED_CALL] : [inner];
  });
}

const IMAGE_OF_FAILED_CALL: ApiBlock = {
  type: 'text',
  text: '[An image was left out: the call failed.]',
};

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
      return keepThinking && block.data !== ''
        ? [{ type: 'redacted_thinking', data: block.data }]
        : [];
    case 'tool_use':
      return [
        {
          type: 'tool_use',
          id: block.id,
          name: toolName(block.name),
          input: wellFormed(block.input),
        },
      ];
    case 'other':
      return [block.raw];
  }
}

const withCitations = ({ text, citations }: TextBlock): ApiBlock => ({
  type: 'text',
  text: text.toWellFormed(),
  ...(citations === undefined ? {} : { citations }),
});

/** A model may make up a name that the API, having sent it, refuses to take back. */
const toolName = (name: string): string =>
  name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_NAME) || 'unnamed';

/** The API's longest name of a tool. Characters. */
const MAX_NAME = 128;

/** The same JSON without halves of characters, which are no valid JSON to the API. */
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.toWellFormed(), wellFormed(inner)]),
  );
}

/** Thinking in the clear or redacted. */
export const isThinking = ({ type }: { readonly type?: unknown }): boolean =>
  type === 'thinking' || type === 'redacted_thinking';
