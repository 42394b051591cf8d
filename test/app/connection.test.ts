import { describe, expect, it } from 'vitest';
import { isEndpoint, resolveConnection } from '../../src/main/app/connection';

const stored = { key: 'stored', baseUrl: 'https://mine.example' };

describe('how Lathe connects', () => {
  it.each([
    ['nothing', {}, null, null, false, 'none', undefined],
    ['a key in the environment', { ANTHROPIC_API_KEY: 'env' }, null, null, false, 'apiKey', 'env'],
    ['a stored key', {}, stored, null, false, 'apiKey', 'stored'],
    ['both', { ANTHROPIC_API_KEY: 'env' }, stored, null, false, 'apiKey', 'env'],
    [
      'both, entered on purpose',
      { ANTHROPIC_API_KEY: 'env' },
      stored,
      null,
      true,
      'apiKey',
      'stored',
    ],
    ['a lost stored key', { ANTHROPIC_API_KEY: 'env' }, null, null, true, 'apiKey', 'env'],
    ['a token', { ANTHROPIC_AUTH_TOKEN: 'tok' }, null, null, false, 'authToken', undefined],
    [
      'the demo',
      { ANTHROPIC_API_KEY: 'env' },
      stored,
      'http://127.0.0.1:9',
      false,
      'demo',
      'offline-demo',
    ],
  ] as const)('%s', (_name, env, key, demo, prefers, kind, apiKey) => {
    const { connection, credentials } = resolveConnection(env, key, demo, prefers);
    expect(connection.kind).toBe(kind);
    expect(credentials?.apiKey).toBe(apiKey);
  });

  it('a gateway gets key and token, the official endpoint one of them', () => {
    const env = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_AUTH_TOKEN: 'tok' };
    const of = (more: object) => resolveConnection({ ...env, ...more }, null, null).credentials;
    expect(of({})).toEqual({ apiKey: 'key' });
    expect(of({ ANTHROPIC_BASE_URL: 'https://gateway.example' })).toEqual({
      apiKey: 'key',
      authToken: 'tok',
      baseUrl: 'https://gateway.example',
    });
  });

  it.each([
    ['https://api.example', true],
    ['http://127.0.0.1:4000', true],
    ['http://localhost', true],
    ['http://api.example', false],
    ['ftp://api.example', false],
    ['not a url', false],
  ])('%s may get a key: %s', (url, expected) => expect(isEndpoint(url)).toBe(expected));
});
