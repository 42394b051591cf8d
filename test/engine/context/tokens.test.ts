import { describe, expect, it } from 'vitest';
import {
  blockTokens,
  countTokens,
  IMAGE_TOKENS,
  messageTokens,
  requestTokens,
  textTokens,
} from '../../../src/main/engine/context/tokens';
import type { ModelRequest } from '../../../src/main/engine/model/model-client';
import type { Message } from '../../../src/shared/message';

const user = (id: string, text: string): Message => ({
  role: 'user',
  id,
  content: [{ type: 'text', text }],
});
const assistant = (id: string, text: string, total?: number): Message => ({
  role: 'assistant',
  id,
  model: 'm',
  content: [{ type: 'text', text }],
  ...(total === undefined
    ? {}
    : {
        usage: {
          inputTokens: 1,
          cacheReadTokens: total - 13,
          cacheWriteTokens: 2,
          outputTokens: 10,
        },
      }),
});
const request: ModelRequest = {
  model: 'm',
  maxTokens: 8192,
  system: [{ type: 'text', text: 'x'.repeat(400) }],
  tools: [{ name: 'T', description: 'y'.repeat(40), input_schema: { type: 'object' } }],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'z'.repeat(800) }] }],
};

describe('an estimate of tokens', () => {
  it.each<[string, string, number]>([
    ['nothing', '', 0],
    ['plain text, 4 bytes a token', 'a'.repeat(400), 100],
    ['bytes count, not characters', 'é'.repeat(400), 200],
    ['an emoji', '🙂', 1],
    ['JSON, 2 bytes a token', `{"a": "${'b'.repeat(92)}"}`, 51],
    ['a list', '[1, 2]', 2],
    ['a nested list', '[[1,2],[3]]', 6],
    ['a bracket in prose', '[see below] text', 4],
  ])('%s', (_name, text, expected) => {
    expect(textTokens(text)).toBe(expected);
  });

  it.each<[string, { type: string; [field: string]: unknown }, number]>([
    ['an image, whatever its bytes', { type: 'image', source: { data: 'x'.repeat(9e5) } }, 1600],
    ['a call: its name and JSON', { type: 'tool_use', name: 'Read', input: { a: 'bcd' } }, 7],
    [
      'a result with an image',
      { type: 'tool_result', content: [{ type: 'text', text: 'four' }, { type: 'image' }] },
      1601,
    ],
    [
      'thinking with its signature',
      { type: 'thinking', thinking: 'aaaa', signature: 'bbbbbbbb' },
      3,
    ],
    ['a block nobody knows', { type: 'new', x: 1 }, 10],
  ])('%s', (_name, block, expected) => {
    expect(blockTokens(block)).toBe(expected);
  });

  it('counts attachments with their images', () => {
    const image = {
      type: 'image' as const,
      source: { type: 'base64' as const, media_type: 'image/png', data: '' },
    };
    const message: Message = {
      role: 'attachment',
      id: 'a',
      kind: 'k',
      text: 'four',
      images: [image],
    };
    expect(messageTokens(message)).toBe(1 + IMAGE_TOKENS);
  });
});

describe('the tokens of the next request', () => {
  it('are estimated whole as long as nothing was counted', () => {
    expect(requestTokens(request)).toBe(100 + 10 + 9 + 200);
    expect(countTokens([user('u', 'hi'), assistant('a', 'no usage')], request, [])).toBe(319);
  });

  it('are what the API counted last, plus what came after', () => {
    const history = [
      user('u1', 'hi'),
      assistant('a1', 'yes', 100),
      assistant('a2', 'yes', 5_000),
      user('u2', 'x'.repeat(400)),
    ];
    expect(countTokens(history, request, [])).toBe(5_100);
  });

  it('do not rest on counts made before a summary', () => {
    const boundary = (keptUntil?: string): Message => ({
      role: 'boundary',
      id: 'b',
      summary: 's',
      ...(keptUntil === undefined ? {} : { keptUntil }),
    });
    const before = [assistant('a0', 'old', 900_000)];
    const tail = [user('u1', 'hi'), assistant('a1', 'kept', 950_000)];
    expect(countTokens([...before, boundary()], request, [])).toBe(319);
    expect(countTokens([...before, boundary('a1'), ...tail], request, [])).toBe(319);
    const after = [...before, boundary('a1'), ...tail, assistant('a2', 'new', 2_000)];
    expect(countTokens(after, request, [])).toBe(2_000);
  });

  it('are less by what edits took out since the count, and only since', () => {
    const cuts = [
      { after: 'u1', tokens: 300 },
      { after: 'u2', tokens: 900 },
    ];
    const history = [user('u1', 'hi'), assistant('a1', 'yes', 5_000), user('u2', 'x'.repeat(400))];
    expect(countTokens(history, request, cuts)).toBe(5_000 - 900 + 100);
    const answered = [...history, assistant('a2', 'yes', 4_200)];
    expect(countTokens(answered, request, cuts)).toBe(4_200);
    // The newer answer was taken back: its count, which knew of the edit, no longer holds.
    expect(countTokens([...history, user('u3', '')], request, cuts)).toBe(5_000 - 900 + 100);
  });
});
