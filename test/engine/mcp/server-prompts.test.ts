import { describe, expect, it } from 'vitest';
import {
  asCommand,
  filledPrompt,
  promptArguments,
} from '../../../src/main/engine/mcp/server-prompts';

const prompt = (...names: string[]) =>
  asCommand('my server', {
    name: 'say it',
    description: 'Says\n\u001b[31mit',
    arguments: names.map((name) => ({
      name: name.replace('!', ''),
      required: name.endsWith('!'),
    })),
  });

describe('a prompt of a server', () => {
  it('is a command with a plain name, one line that describes it, and its arguments', () => {
    expect(prompt('city!', 'state')).toMatchObject({
      name: 'mcp__my_server__say_it',
      description: 'Says �[31mit',
      argumentHint: '<city> [state]',
    });
  });

  it.each([
    ['nothing where nothing is needed', ['a'], '', {}],
    ['words in order', ['a!', 'b'], 'one two', { a: 'one', b: 'two' }],
    ['the rest to the last', ['a!', 'b'], 'one two three', { a: 'one', b: 'two three' }],
    ['words in quotes', ['a!', 'b'], '"New York" NY', { a: 'New York', b: 'NY' }],
    ['only the first', ['a!', 'b'], 'one', { a: 'one' }],
  ])('takes %s', (_, names, args, expected) => {
    expect(promptArguments(prompt(...names), args)).toEqual({ ok: true, value: expected });
  });

  it('says what is missing, and what is too much', () => {
    expect(promptArguments(prompt('a!', 'b!'), 'x')).toEqual({
      ok: false,
      error: '/mcp__my_server__say_it needs <b>. Write: /mcp__my_server__say_it <a> <b>',
    });
    expect(promptArguments(prompt(), 'x')).toEqual({
      ok: false,
      error: '/mcp__my_server__say_it takes no arguments.',
    });
  });

  it('tells the model its texts and images, and whose words they are', () => {
    const image = {
      type: 'image' as const,
      mimeType: 'image/png',
      data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    };
    const filled = filledPrompt({
      messages: [
        { role: 'user', content: { type: 'text', text: 'Look.' } },
        { role: 'assistant', content: { type: 'text', text: 'I do.' } },
        { role: 'user', content: image },
      ],
    });
    expect(filled.text).toBe('Look.\n\n(As an answer of yours:) I do.');
    expect(filled.images).toHaveLength(1);
  });
});
