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

/** One content block as it goes over the wire. */
export type ApiBlock = Readonly<Record<string, unknown>>;

/** The facts that decide whether thinking may be sent back. */
export interface ThinkingRule {
  readonly model: string;
  /** Place in the history from which on messages were made behind today's prefix. */
  readonly freshAt: number;
}

const isBlank = (text: string): boolean => text.trim() === '';

/** Turns messages of the history into API messages, one for one; those with nothing to say are left out. */
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
      return [{ type: 'text', text: boundaryText(message.summary) }];
    case 'user':
      return message.content.flatMap(userBlock);
  }
}

/** Returns the words that stand for what a summary replaced. */
export const boundaryText = (summary: string): string =>
  `The conversation before this point was summarised to save space. The summary:\n\n${summary.toWellFormed().trim()}`;

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

/** Returns the content of a result. The API takes nothing but text from a call that failed. */
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

/** Cuts off the thinking that an answer ends in: the API refuses that. */
export const withoutTrailingThinking = (blocks: readonly ApiBlock[]): readonly ApiBlock[] =>
  blocks.slice(0, blocks.findLastIndex((b) => !isThinking(b)) + 1);

function assistantBlock(block: AssistantBlock, keepThinking: boolean): readonly ApiBlock[] {
  switch (block.type) {
    case 'text':
      return isBlank(block.text) ? [] : [withCitations(block)];
    case 'thinking':
      return keepThinking && block.signature !== ''
        ? [wellFormed({ type: 'thinking', thinking: block.thinking, signature: block.signature })]
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
      return isAnswers(block.raw['type']) ? [wellFormed(block.raw)] : [];
  }
}

const withCitations = ({ text, citations }: TextBlock): ApiBlock => ({
  type: 'text',
  text: text.toWellFormed(),
  ...(citations === undefined ? {} : { citations: citations.map(wellFormed) }),
});

/** Tells whether an answer may hold a block of this kind. Servers send others too; sent back, they spoil every request. */
const isAnswers = (type: unknown): boolean =>
  typeof type === 'string' && type !== '' && type !== 'tool_result';

/** Makes a name that the API takes back: a model may make one up that it refuses. */
const toolName = (name: string): string =>
  name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_NAME) || 'unnamed';

/** The API's longest name of a tool. Characters. */
const MAX_NAME = 128;

/** Returns the same JSON without halves of characters, which are no valid JSON to the API. */
function wellFormed<T>(value: T): T;
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map((one: unknown) => wellFormed(one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.toWellFormed(), wellFormed(inner)]),
  );
}

/** Tells whether a block is thinking, in the clear or redacted. */
const isThinking = ({ type }: { readonly type?: unknown }): boolean =>
  type === 'thinking' || type === 'redacted_thinking';

/** Wraps facts of Lathe for the model. A closing tag inside the text is defused, so that a file cannot end the wrapper. */
export const wrapReminder = (text: string): string =>
  `<system-reminder>\n${text.replaceAll(/<(\/?)system-reminder>/gi, '<$1system_reminder>').trim()}\n</system-reminder>`;

/** The most images in one request: the API's limit. */
export const MAX_IMAGES = 100;

/** Images go in groups of this many, so that the prefix and its cache hold still for a while in between. */
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

/** Counts the images in the content of a message, those in results included. */
export function countImages(
  content: readonly { readonly type?: unknown; readonly content?: unknown }[],
): number {
  return content.reduce((n, block) => {
    if (block.type === 'image') return n + 1;
    const inner = block.type === 'tool_result' ? block.content : null;
    return Array.isArray(inner) ? n + countImages(inner) : n;
  }, 0);
}
