import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../../src/main/engine/model/model-client';
import { describeCacheBreak, findCacheBreak } from '../../../src/main/engine/prompt/cache-watch';
import type { NamedText } from '../../../src/main/engine/prompt/section';

const tool = (name: string, description = name) => ({
  name,
  description,
  input_schema: { type: 'object' },
});
const say = (text: string) => ({ role: 'user' as const, content: [{ type: 'text', text }] });
const request = (rest: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'claude-opus-5-5',
  maxTokens: 1,
  system: [],
  tools: [tool('Bash'), tool('Read')],
  messages: [say('one')],
  ...rest,
});
const sections = (...texts: readonly string[]): readonly NamedText[] =>
  texts.map((text, i) => ({ name: ['identity', 'environment', 'git'][i] ?? '', text }));

const found = (
  after: Partial<ModelRequest>,
  parts: readonly [readonly NamedText[], readonly NamedText[]] = [[], []],
  before: Partial<ModelRequest> = {},
) =>
  findCacheBreak(
    { request: request(before), sections: parts[0] },
    { request: request(after), sections: parts[1] },
  );

describe('a cache break', () => {
  it('is none when the conversation only goes on, wherever the marks stand', () => {
    const cache_control = { type: 'ephemeral' as const };
    const marked = {
      role: 'user' as const,
      content: [{ type: 'text', text: 'one', cache_control }],
    };
    expect(found({ messages: [marked, say('two')] })).toBeNull();
    expect(found({ tools: [tool('Bash'), { ...tool('Read'), cache_control }] })).toBeNull();
  });

  it.each([
    [{ model: 'claude-haiku-5-5' }, 'Prompt cache broken by model claude-haiku-5-5: changed.'],
    [
      { tools: [tool('Bash'), tool('Read', 'other')] },
      'Prompt cache broken by tool Read: changed.',
    ],
    [
      { tools: [tool('Bash'), tool('Edit'), tool('Read')] },
      'Prompt cache broken by tool Edit: added.',
    ],
    [{ tools: [tool('Read')] }, 'Prompt cache broken by tool Bash: removed.'],
    [{ tools: [tool('Read'), tool('Bash')] }, 'Prompt cache broken by tool Read: moved.'],
    [{ messages: [say('uno'), say('two')] }, 'Prompt cache broken by message #1: changed.'],
  ])('%j', (after, line) => {
    expect(describeCacheBreak(found(after))).toBe(line);
  });

  it('names the section that changed, before any message', () => {
    const parts = [sections('a', 'linux', 'main'), sections('a', 'linux', 'feature')] as const;
    expect(found({ messages: [say('uno')] }, parts)).toEqual({
      where: 'section',
      name: 'git',
      change: 'changed',
    });
  });

  it('uses the word of the API when it gives one', () => {
    expect(describeCacheBreak(null)).toBeNull();
    expect(describeCacheBreak(null, 'unavailable')).toBe(
      'Prompt cache missed (the API says unavailable).',
    );
    expect(describeCacheBreak(found({ tools: [] }), 'tools_changed')).toBe(
      'Prompt cache broken by tool Bash: removed (the API says tools_changed).',
    );
  });
});
