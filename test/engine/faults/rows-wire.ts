import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import {
  error,
  type RawReply,
  raw,
  rawJson,
  reply,
  truncated,
  wire,
} from '../../support/scripted-api-replies';
import type { Row } from './play';

const FINE = ['answer: end_turn', 'completed'];
const STREAM = 'sonnet-5-5 stream 1';
const WHOLE = 'sonnet-5-5 whole 1';
const LONG = 'a text long enough to be cut in the middle of it';

const MESSAGE = {
  type: 'message_start',
  message: { id: 'msg_raw', model: 'claude-sonnet-5-5', usage: { input_tokens: 5 } },
};
const startBlock = (index: number, block: object) =>
  wire({ type: 'content_block_start', index, content_block: block });
const textBlock = (index: number) => startBlock(index, { type: 'text', text: '' });
const delta = (index: number, words: string) =>
  wire({ type: 'content_block_delta', index, delta: { type: 'text_delta', text: words } });
const piece = (index: number, words: object) =>
  wire({ type: 'content_block_delta', index, delta: words });
const stop = (index: number) => wire({ type: 'content_block_stop', index });
const END = [
  wire({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } }),
  wire({ type: 'message_stop' }),
];

/** A stream written by hand that is taken as it is. */
const taken = (name: string, ...pieces: readonly (string | Uint8Array)[]): Row => ({
  name,
  script: [raw(wire(MESSAGE), ...pieces)],
  steps: FINE,
  asked: [STREAM],
  line: /^$/,
});

/** A stream written by hand that cannot be trusted. */
const distrusted = (name: string, line: RegExp, ...pieces: readonly string[]): Row => ({
  name,
  script: [raw(wire(MESSAGE), ...pieces), reply('fine')],
  steps: ['void', 'notice stream_broken', ...FINE],
  asked: [STREAM, WHOLE],
  line,
});

const MEBIBYTE = 1024 * 1024;

/** A thousand mebibytes, of which the server can get rid of few before it is cut. */
function endless(name: string, head: string, line: string): Row {
  const piece = new TextEncoder().encode(line.padStart(MEBIBYTE, 'x'));
  let sent = 0;
  function* pieces() {
    yield head;
    for (; sent < 1000; sent += 1) yield piece;
  }
  return {
    ...cutAsTooLarge(name, { kind: 'raw', pieces: pieces() }),
    check: () => expect(sent).toBeLessThan(120),
  };
}

/** The same, packed into a thousandth. */
function exploding(name: string, head: string, line: string, contentType: string): Row {
  const piece = gzipSync(line.padStart(MEBIBYTE));
  function* pieces() {
    yield gzipSync(head);
    for (let sent = 0; sent < 1000; sent += 1) yield piece;
  }
  return cutAsTooLarge(name, { kind: 'raw', pieces: pieces(), contentType, encoding: 'gzip' });
}

const cutAsTooLarge = (name: string, answer: RawReply): Row => ({
  name,
  script: [answer],
  steps: ['model_error'],
  asked: [STREAM],
  line: /sent an answer beyond any size that a model writes\. It was cut\./,
});

const DEPTH = 100_000;
const DEEP_JSON = `${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}`;

const WHOLE_ANSWER = JSON.stringify({
  type: 'message',
  content: [{ type: 'text', text: 'fine' }],
  stop_reason: 'end_turn',
});

const split = (bytes: Uint8Array): readonly Uint8Array[] =>
  Array.from(bytes, (_, i) => bytes.subarray(i, i + 1));

/** Answers written by hand, byte for byte. */
export const WIRE_ROWS: readonly Row[] = [
  distrusted('a malformed SSE line', /garbled/, 'event: content_block_start\ndata: {"type":\n\n'),
  {
    name: 'a server that streams although it was asked not to',
    script: [
      truncated(reply(LONG), 4),
      raw(wire(MESSAGE), textBlock(0), delta(0, 'fine'), stop(0), ...END),
    ],
    steps: ['void', 'notice stream_broken', ...FINE],
    asked: [STREAM, WHOLE],
    line: /broke off/,
  },
  taken(
    'no empty line behind the last event',
    textBlock(0),
    delta(0, 'fine'),
    stop(0),
    END.join('').trimEnd(),
  ),
  distrusted(
    'an end in the middle of an event',
    /broke off/,
    textBlock(0),
    delta(0, LONG).slice(0, 60),
  ),
  taken(
    'blocks without an end',
    textBlock(0),
    delta(0, 'one '),
    textBlock(1),
    delta(1, 'two'),
    ...END,
  ),
  taken(
    'a block without an end before one with it',
    textBlock(0),
    delta(0, 'one '),
    textBlock(1),
    delta(1, 'two'),
    stop(1),
    ...END,
  ),
  {
    name: 'a stream that calls itself JSON',
    script: [rawJson([wire(MESSAGE), textBlock(0), delta(0, 'fine'), stop(0), ...END].join(''))],
    steps: FINE,
    asked: [STREAM],
    line: /^$/,
  },
  {
    name: 'a server that cannot stream',
    script: [
      error(200, {
        type: 'message',
        content: [{ type: 'text', text: 'fine' }],
        stop_reason: 'end_turn',
      }),
    ],
    steps: FINE,
    asked: [STREAM],
    line: /^$/,
  },
  ...[WHOLE_ANSWER, `\ufeff\n \n${WHOLE_ANSWER}`].map(
    (answer): Row => ({
      name: `an answer in one piece that calls itself a stream: ${JSON.stringify(answer.slice(0, 4))}`,
      script: [raw(...split(new TextEncoder().encode(answer)))],
      steps: FINE,
      asked: [STREAM],
      line: /^$/,
    }),
  ),
  {
    name: 'an error that calls itself a stream',
    script: [
      raw('{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'),
      raw('{"error":{"code":429,"message":"Not so fast"}}'),
      raw('{"error":{"code":"no_such_thing","type":"invalid_request_error"}}'),
    ],
    steps: ['wait', 'wait', 'model_error'],
    asked: [STREAM, STREAM, STREAM],
    delays: [500, 1000],
    line: /overloaded \(529\)[\s\S]*rate of requests \(429\)\. Not so fast[\s\S]*\(400\)\. no_such_thing\./,
  },
  ...(
    [
      ['a page', '\n<!doctype html><title>Sign in</title>', /answered with text\/html instead of/],
      ['words', 'The upstream is asleep', /with text\/plain instead .* The upstream is asleep\./],
      ['a list', '[1, 2]', /with application\/json instead of/],
      ['other JSON', '{"detail": "Not here"}', /with application\/json instead .* Not here\./],
    ] as const
  ).flatMap(([what, body, line]) =>
    ['text/event-stream', 'text/plain', 'application/json', ''].map(
      (contentType): Row => ({
        name: `${what} that calls itself "${contentType}"`,
        script: [{ ...raw(body), contentType }],
        steps: ['model_error'],
        asked: [STREAM],
        line,
      }),
    ),
  ),
  taken(
    'split UTF-8',
    textBlock(0),
    ...split(new TextEncoder().encode(delta(0, 'Grüße 👩🏽‍🚀 日本'))),
    stop(0),
    ...END,
  ),
  taken(
    'an unknown event',
    wire({ type: 'weather', sunny: true }),
    textBlock(0),
    delta(0, 'fine'),
    stop(0),
    ...END,
  ),
  taken(
    'an unknown block',
    startBlock(0, { type: 'hologram', shape: 'cube' }),
    stop(0),
    textBlock(1),
    delta(1, 'fine'),
    stop(1),
    ...END,
  ),
  ...[
    ['a block', startBlock(0, { type: 'web_search_tool_result', content: 'DEEP' }), stop(0)],
    ['a block without an end', startBlock(0, { type: 'web_search_tool_result', content: 'DEEP' })],
    ['a piece', startBlock(0, { type: 'later' }), piece(0, { type: 'later', is: 'DEEP' }), stop(0)],
    [
      'a citation',
      textBlock(0),
      piece(0, { type: 'citations_delta', citation: { is: 'DEEP' } }),
      stop(0),
    ],
  ].map(
    ([what, ...pieces]): Row => ({
      name: `${what} that is nested without measure`,
      script: [
        raw(wire(MESSAGE), ...pieces.map((one) => one.replace('"DEEP"', DEEP_JSON)), ...END),
      ],
      steps: ['model_error'],
      asked: [STREAM],
      line: /nested deeper than anything a model writes\. It was cut\./,
      paid: true,
    }),
  ),
  {
    name: 'an answer in one piece that is nested without measure',
    script: [
      rawJson(
        `{"type":"message","usage":{"input_tokens":5},"content":[{"type":"x","is":${DEEP_JSON}}]}`,
      ),
    ],
    steps: ['model_error'],
    asked: [STREAM],
    line: /nested deeper than anything a model writes\. It was cut\./,
    paid: true,
  },
  taken(
    'halves of characters in blocks of all kinds',
    startBlock(0, { type: 'thinking', thinking: 'a\ud800' }),
    piece(0, { type: 'signature_delta', signature: 'b\udc00' }),
    stop(0),
    startBlock(1, { type: 'hologram', of: ['\ud83d', { '\ude00': 1 }] }),
    stop(1),
    startBlock(2, { type: 'text', text: 'fine', citations: [{ cited_text: '\udfff' }] }),
    stop(2),
    ...END,
  ),
  taken(
    'a result of a call, which only a user’s messages have',
    startBlock(0, { type: 'tool_result', tool_use_id: 'none', content: 'x' }),
    stop(0),
    textBlock(1),
    delta(1, 'fine'),
    stop(1),
    ...END,
  ),
  {
    name: 'a stream of another API',
    script: [
      raw(
        ...[1, 2].map(() => 'data: {"object":"chat.completion.chunk","choices":[]}\n\n'),
        'data: [DONE]\n\n',
      ),
    ],
    steps: ['model_error'],
    asked: [STREAM],
    line: /no Messages API at this address: it answered with events of another API/,
  },
  {
    name: 'an event without a type in front of an answer',
    script: [raw('data: {"trace":"7"}\n\n', wire(MESSAGE), textBlock(0), delta(0, 'fine'), ...END)],
    steps: FINE,
    asked: [STREAM],
    line: /^$/,
  },
  ...['"fine"', '["fine"]'].map(
    (content): Row => ({
      name: `an answer in one piece whose content is ${content}`,
      script: [rawJson(`{"type":"message","content":${content},"stop_reason":"end_turn"}`)],
      steps: FINE,
      asked: [STREAM],
      line: /^$/,
      words: 'fine',
    }),
  ),
  {
    name: 'a block without a kind',
    script: [
      raw(
        wire(MESSAGE),
        startBlock(0, { text: 'what am I' }),
        piece(0, { type: 'text_delta', text: 'this' }),
        stop(0),
        startBlock(1, { type: 7 }),
        textBlock(2),
        delta(2, 'fine'),
        stop(2),
        ...END,
      ),
    ],
    steps: ['notice block_left_out', ...FINE],
    asked: [STREAM],
    line: /left out: the server does not say what it is/,
  },
  endless('an event line without an end', `${wire(MESSAGE)}data: `, ''),
  endless('lines without an end that say nothing', wire(MESSAGE), ':\n'),
  exploding('packed events that explode', wire(MESSAGE), '\n', 'text/event-stream'),
  exploding('a packed answer in one piece that explodes', '{', '', 'application/json'),
  {
    name: 'an answer that is packed in an unknown way',
    script: [{ ...raw(wire(MESSAGE), ...END), encoding: 'x-lathe' }],
    steps: ['model_error'],
    asked: [STREAM],
    line: /cannot unpack: its content-encoding is "x-lathe"/,
  },
  distrusted('a duplicate index', /garbled/, textBlock(0), stop(0), textBlock(0)),
  taken(
    'indexes out of order',
    textBlock(1),
    delta(1, 'second'),
    stop(1),
    textBlock(0),
    delta(0, 'first'),
    stop(0),
    ...END,
  ),
];
