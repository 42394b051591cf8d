import { expect, test } from 'vitest';
import { networkError, quote } from '../../../src/main/engine/model/network-error';

/** A failure as undici nests it. */
const nested = (words: string) =>
  new TypeError('fetch failed', { cause: new Error('Cancelled', { cause: new Error(words) }) });

test.each<[string, Error, RegExp, boolean]>([
  [
    'that wants a password, to fetch',
    nested('Proxy response (407) !== 200 when HTTP Tunneling'),
    /wants a name and a password/,
    false,
  ],
  [
    'that wants a password, to https',
    new Error(
      'Failed to establish tunnel to api.test:443 via http://proxy.test:8080: HTTP/1.1 407 Proxy Authentication Required',
    ),
    /wants a name and a password/,
    false,
  ],
  [
    'that forbids the host',
    nested('Proxy response (403) !== 200 when HTTP Tunneling'),
    /makes no connection to api\.test \(403\)/,
    false,
  ],
  [
    'that does not reach it just now',
    nested('Proxy response (502) !== 200 when HTTP Tunneling'),
    /makes no connection to api\.test \(502\)/,
    true,
  ],
])(
  'a proxy %s is told, and only what may pass is tried again',
  (_, problem, message, retryable) => {
    expect(networkError(problem, 'api.test', [])).toMatchObject({
      kind: 'network',
      message: expect.stringMatching(message),
      fix: expect.any(String),
      retryable,
    });
  },
);

test('a key is hidden in what a server says; one too short to be one leaves the words as they are', () => {
  const words = 'A key of api.test is wrong: k3y-0123456789';
  expect(quote(words, ['k3y-0123456789'])).toBe('A key of api.test is wrong: •••');
  for (const short of ['a', 'key', 'test', 'wrong', ''])
    expect(quote(words, [short]), short).toBe(words);
});

test('nothing hides in what a server says', () => {
  expect(quote('\u001b]52;c;eA\u0007 a\u202eb\u0000 \n c 👩🏽‍🚀', [])).toBe(
    '\ufffd]52;c;eA\ufffd a\ufffdb\ufffd c 👩🏽‍🚀',
  );
});

test.each(['Z_DATA_ERROR', 'ERR__ERROR_FORMAT_PADDING_1', 'ZSTD_error_prefix_unknown'])(
  'a body that cannot be unpacked (%s) is told; one that breaks off is a broken connection',
  (code) => {
    const failed = (of: string) =>
      new TypeError('terminated', { cause: Object.assign(new Error('odd'), { code: of }) });
    // As a fault of the network it counts as one in the middle, once an answer has begun.
    expect(networkError(failed(code), 'api.test', [])).toMatchObject({
      kind: 'network',
      message: expect.stringContaining('is not packed as its content-encoding says (odd)'),
      retryable: false,
    });
    expect(networkError(failed('Z_BUF_ERROR'), 'api.test', [])).toMatchObject({
      message: 'The connection to api.test broke (odd).',
      retryable: true,
    });
  },
);

test.each<[problem: unknown, message: string, retryable: boolean]>([
  [
    new TypeError("Cannot read properties of undefined (reading 'length')"),
    "The request to api.test failed inside Lathe (Cannot read properties of undefined (reading 'length')).",
    false,
  ],
  [
    new Error('Connection error.', { cause: new RangeError('Invalid array length') }),
    'The request to api.test failed inside Lathe (Invalid array length).',
    false,
  ],
  ['odd', 'The request to api.test failed inside Lathe (odd).', false],
  [nested('other side closed'), 'The connection to api.test broke (other side closed).', true],
  [new TypeError('terminated'), 'The connection to api.test broke (terminated).', true],
  [new TypeError('Failed to fetch'), 'The connection to api.test broke (Failed to fetch).', true],
  [new Error('socket hang up'), 'The connection to api.test broke (socket hang up).', true],
  [
    Object.assign(new TypeError('Stream is odd'), { code: 'ERR_STREAM' }),
    'The connection to api.test broke (Stream is odd).',
    true,
  ],
])('only a connection that broke is told as one: %s', (problem, message, retryable) => {
  expect(networkError(problem, 'api.test', [])).toMatchObject({ message, retryable });
});
