import { once } from 'node:events';
import { createServer } from 'node:net';
import { withCredentialRefresh } from '../../../src/main/engine/model/retry';
import {
  drop,
  error,
  raw,
  rawJson,
  reply,
  text,
  thinking,
} from '../../support/scripted-api-replies';
import type { Row } from './play';

/** The first requests go to another address; those after them where they should. */
function astray(count: number, where: (origin: string) => Promise<string>): typeof fetch {
  let sent = 0;
  return async (url, init) => {
    sent += 1;
    const right = new URL(String(url));
    if (sent > count) return fetch(right, init);
    return fetch(new URL(right.pathname, await where(right.origin)), init);
  };
}

/** A port nobody listens on. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const SONNET = 'sonnet-5-5';
const ONCE = [`${SONNET} stream 1`];
const times = (count: number): string[] =>
  Array.from({ length: count }, () => `${SONNET} stream 1`);
const FINE = ['answer: end_turn', 'completed'];

/** A status that is tried again: the same request once more after half a second. */
const mended = (status: number, line: RegExp): Row => ({
  name: `${status}, then fine`,
  script: [error(status), reply('fine')],
  steps: ['wait', ...FINE],
  asked: times(2),
  delays: [500],
  line,
});

/** A status that is final: one request, one clear line. */
const final = (status: number, line: RegExp, message = 'scripted failure'): Row => ({
  name: `${status}`,
  script: [error(status, message)],
  steps: ['model_error'],
  asked: ONCE,
  line,
});

const DELAYS = [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 32_000, 32_000];

/** Faults that are told by a status, before any stream. */
export const STATUS_ROWS: readonly Row[] = [
  {
    name: '401 again and again: one refresh, then the end',
    script: [error(401), error(401), reply('never asked')],
    wrap: (client) => withCredentialRefresh(client, async () => true),
    steps: ['model_error'],
    asked: times(2),
    line: /refused the key \(401\)\. Check the key/,
  },
  {
    name: '401 mended by fresh credentials',
    script: [error(401), reply('fine')],
    wrap: (client) => withCredentialRefresh(client, async () => true),
    steps: FINE,
    asked: times(2),
    line: /^$/,
  },
  final(401, /refused the key \(401\)/),
  final(403, /does not allow this \(403\)/),
  {
    name: '404, also in one piece',
    script: () => error(404),
    steps: ['model_error'],
    asked: [`${SONNET} stream 1`, `${SONNET} whole 1`],
    line: /no Messages API at this address \(404\)/,
  },
  {
    name: '404 for the stream only',
    script: [error(404), reply('fine')],
    steps: ['notice stream_refused', ...FINE],
    asked: [`${SONNET} stream 1`, `${SONNET} whole 1`],
    line: /\(404\).* Without a stream it answers/,
  },
  mended(408, /gave up waiting/),
  mended(409, /conflict \(409\)/),
  mended(500, /failed \(500\)/),
  mended(502, /failed \(502\)/),
  mended(529, /overloaded \(529\)/),
  {
    name: '429 with retry-after',
    script: [error(429, 'slow down', { 'retry-after': '17' }), reply('fine')],
    steps: ['wait', ...FINE],
    asked: times(2),
    delays: [17_000],
    line: /limits the rate of requests \(429\)/,
  },
  mended(429, /limits the rate/),
  {
    name: '429 without retry-after again and again is given up after ten',
    script: () => error(429, 'too many requests'),
    steps: [...Array.from({ length: 9 }, () => 'wait'), 'model_error'],
    asked: times(10),
    delays: DELAYS,
    line: /too many requests\. The conversation is kept/,
  },
  {
    name: '429 with retry-after as a date',
    script: [
      error(429, 'slow down', {
        ...{ date: 'Sat, 21 Nov 2026 00:00:00 GMT' },
        'retry-after': 'Sat, 21 Nov 2026 00:00:42 GMT',
      }),
      reply('fine'),
    ],
    steps: ['wait', ...FINE],
    asked: times(2),
    delays: [42_000],
    line: /limits the rate of requests \(429\)/,
  },
  {
    name: '429 for a spent limit: waiting does not mend it',
    script: [error(429, 'You have reached your specified API usage limits.'), reply('never asked')],
    steps: ['model_error'],
    asked: ONCE,
    line: /spending limit .* is reached \(429\)\. .*usage limits\. The conversation is kept/,
  },
  {
    name: '429 for a spent limit, named by its code',
    script: [
      error(429, {
        type: 'error',
        error: {
          type: 'rate_limit_error',
          message: 'Not now.',
          details: { error_code: 'enforced_spend_limit_reached' },
        },
      }),
      reply('never asked'),
    ],
    steps: ['model_error'],
    asked: ONCE,
    line: /spending limit .* is reached \(429\)\. Not now\./,
  },
  {
    name: '529 three times brings the fallback model',
    script: ({ body }) =>
      body.model === 'claude-haiku-5-5' ? reply('from the other') : error(529),
    client: { fallbackModels: ['claude-haiku-5-5'] },
    steps: ['wait', 'wait', 'notice model_fallback', 'model claude-haiku-5-5', ...FINE],
    asked: [...times(3), 'haiku-5-5 stream 1'],
    delays: [500, 1000],
    line: /overloaded; claude-haiku-5-5 answers/,
  },
  {
    name: '529 twenty times is given up after ten',
    script: Array.from({ length: 20 }, () => error(529)),
    steps: [...Array.from({ length: 9 }, () => 'wait'), 'model_error'],
    asked: times(10),
    delays: DELAYS,
    line: /is overloaded \(529\)/,
  },
  {
    name: 'a redirect: the key stays here',
    script: [error(302, {}, { location: 'http://me:secret@127.0.0.1:9/v1/messages?key=secret' })],
    steps: ['model_error'],
    asked: ONCE,
    line: /sends requests on to http:\/\/127\.0\.0\.1:9\/v1\/messages \(302\).*Set the base URL/,
  },
  ...(
    [
      ['/login?next=%2F', /sends requests on to \/login \(307\)/],
      ['//other.example/x', /sends requests on to http:\/\/other\.example\/x \(307\)/],
      ['http://[', /sends requests on to another address \(307\)/],
      ['', /sends requests on to another address \(307\)/],
    ] as const
  ).map(
    ([location, line]): Row => ({
      name: `a redirect to ${JSON.stringify(location)}`,
      script: [error(307, {}, { location })],
      steps: ['model_error'],
      asked: ONCE,
      line,
    }),
  ),
  {
    name: 'JSON that is no answer',
    script: [error(200, { hello: 'world' })],
    steps: ['model_error'],
    asked: ONCE,
    line: /no Messages API at this address: it answered with application\/json/,
  },
  {
    name: 'an error with status 200',
    script: [
      error(200, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
      error(200, { type: 'error', error: { type: 'invalid_request_error', message: 'no such' } }),
    ],
    steps: ['wait', 'model_error'],
    asked: times(2),
    delays: [500],
    line: /is overloaded \(529\)[\s\S]*refused the request \(400\)\. no such\./,
  },
  {
    name: 'an answer without content',
    script: [reply([])],
    steps: ['answer: end_turn', 'notice empty_answer', 'completed'],
    asked: ONCE,
    line: /^The model answered with nothing\. .*send your message again/,
  },
  ...[[text('')], [text(' \n')], [thinking('deep')]].map((blocks) => ({
    name: `an answer with nothing to read: ${JSON.stringify(blocks)}`,
    script: [reply(blocks)],
    steps: ['answer: end_turn', 'notice empty_answer', 'completed'],
    asked: ONCE,
    line: /^The model answered with nothing\./m,
  })),
  {
    name: 'an empty stream',
    script: [raw(''), reply('fine')],
    steps: ['notice stream_broken', ...FINE],
    asked: [`${SONNET} stream 1`, `${SONNET} whole 1`],
    line: /The answer was empty/,
  },
  {
    name: 'an empty body that calls itself JSON',
    script: [rawJson(''), reply('fine')],
    steps: ['notice stream_broken', ...FINE],
    asked: [`${SONNET} stream 1`, `${SONNET} whole 1`],
    line: /The answer was empty/,
  },
  {
    name: 'half an answer in one piece',
    script: [rawJson('{"type":"message","content":[{"ty'), reply('fine')],
    steps: ['notice stream_broken', ...FINE],
    asked: [`${SONNET} stream 1`, `${SONNET} whole 1`],
    line: /broke off before it was complete/,
  },
  {
    name: 'reset before headers',
    script: [drop(), reply('fine')],
    steps: ['wait', ...FINE],
    asked: times(2),
    delays: [500],
    line: /connection to .* broke/,
  },
  {
    name: 'connection refused',
    script: [],
    client: { fetch: astray(3, async () => `http://127.0.0.1:${await closedPort()}`) },
    steps: ['wait', 'wait', 'model_error'],
    asked: [],
    delays: [500, 1000],
    line: /cannot be reached: it refuses connections\. Check the network/,
  },
  {
    name: 'a name that DNS does not know',
    script: [],
    client: { fetch: astray(3, async () => 'http://lathe.invalid') },
    steps: ['wait', 'wait', 'model_error'],
    asked: [],
    delays: [500, 1000],
    line: /cannot be reached: its name (is not known|cannot be looked up)/,
  },
  {
    name: 'TLS that fails',
    script: [],
    client: { fetch: astray(1, async (url) => url.replace('http:', 'https:')) },
    steps: ['model_error'],
    asked: [],
    line: /secure connection to .* failed .*NODE_EXTRA_CA_CERTS/,
  },
];
