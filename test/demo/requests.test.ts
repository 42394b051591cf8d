import { describe, expect, test } from 'vitest';
import { readRequest } from '../../src/main/demo/messages-api';
import { nextStep } from '../../src/main/demo/script';

describe('odd requests', () => {
  const request = (body: object) => {
    const read = readRequest({ stream: true, tools: [{ name: 'Read' }], ...body });
    if (read === null) throw new Error('refused');
    return read;
  };
  const words = (body: object) => JSON.stringify(nextStep(request(body)));

  test('a side call without tools gets a short title', () => {
    expect(words({ tools: [], messages: [{ role: 'user', content: 'Give a title' }] })).toContain(
      'Offline demo',
    );
  });

  test('a request that names no folder', () => {
    expect(words({ messages: [{ role: 'user', content: 'hi' }] })).toContain(
      'does not say which folder',
    );
  });

  test.each([
    [
      'in the system prompt',
      { system: [{ type: 'text', text: 'Platform: x\nWorking directory: /a/b c' }] },
      '/a/b c/src',
    ],
    [
      'on Windows',
      { system: 'Working directory: C:\\work\\demo' },
      'C:\\\\work\\\\demo\\\\src\\\\departures.js',
    ],
    ['in code marks', { system: '- Current working directory: `/x/y`.' }, '/x/y/src'],
  ])('the folder is found %s', (_where, body, path) => {
    expect(words({ ...body, messages: [{ role: 'user', content: 'hi' }] })).toContain(path);
  });

  test.each([
    [null],
    [[]],
    [{}],
    [{ messages: 'x' }],
    [{ messages: [null] }],
    [{ messages: [{ role: 'robot', content: '' }] }],
    [{ messages: [{ role: 'user', content: 1 }] }],
  ])('is refused: %j', (body) => expect(readRequest(body)).toBeNull());
});
