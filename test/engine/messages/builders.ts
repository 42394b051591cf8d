import { z } from 'zod';
import { normalizeMessages } from '../../../src/main/engine/messages/normalize';
import type { ApiMessage } from '../../../src/main/engine/model/model-client';
import { AssistantBlock, type Message, UserBlock } from '../../../src/shared/message';
import { refusal, type WireMessage } from '../../support/scripted-api-check';

export const MODEL = 'claude-opus-5-5';
export const normalize = (h: readonly Message[], rest: object = {}) =>
  normalizeMessages(h, { model: MODEL, ...rest });

export const user = (...content: (UserBlock | string)[]): Message => ({
  role: 'user',
  id: `u${content.length}`,
  content: content.map((c) => (typeof c === 'string' ? { type: 'text', text: c } : c)),
});
export const assistant = (...content: (AssistantBlock | string)[]): Message => ({
  role: 'assistant',
  id: 'a',
  model: MODEL,
  content: content.map((c) => (typeof c === 'string' ? { type: 'text', text: c } : c)),
});
export const use = (id: string): AssistantBlock => ({
  type: 'tool_use',
  id,
  name: 'Read',
  input: {},
});
export const result = (id: string, text = `result of ${id}`): UserBlock => ({
  type: 'tool_result',
  tool_use_id: id,
  content: [{ type: 'text', text }],
});
export const think = (thinking: string): AssistantBlock => ({
  type: 'thinking',
  thinking,
  signature: 's',
});
export const brief = (messages: readonly ApiMessage[]) =>
  messages.map(
    (m) =>
      `${m.role[0]}: ${m.content
        .map((b) => b['text'] ?? b['id'] ?? b['tool_use_id'] ?? b['thinking'] ?? b['type'])
        .join(' | ')}`,
  );

/** Returns what was sent, taken for a history again. */
export const asHistory = (messages: readonly ApiMessage[]): readonly Message[] =>
  messages.map((m, i): Message => {
    const known = ['text', 'thinking', 'redacted_thinking', 'tool_use'];
    const content = m.content.map((b) =>
      m.role === 'user' || known.includes(String(b['type'])) ? b : { type: 'other', raw: b },
    );
    return m.role === 'user'
      ? { role: 'user', id: `m${i}`, content: z.array(UserBlock).parse(content) }
      : {
          role: 'assistant',
          id: `m${i}`,
          model: MODEL,
          content: z.array(AssistantBlock).parse(content),
        };
  });

/** Ends with the user, or with an answer that the API paused. */
export const isComplete = (messages: readonly ApiMessage[]) =>
  messages.at(-1)?.role === 'user' ||
  messages.at(-1)?.content.at(-1)?.['type'] === 'server_tool_use';

/** Returns what the scripted API would say to this history as a request. */
export const refused = (messages: readonly ApiMessage[]) => {
  const wire: WireMessage[] = JSON.parse(JSON.stringify(messages));
  return refusal({ model: MODEL, max_tokens: 1, messages: wire }, []);
};
