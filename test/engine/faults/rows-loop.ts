import { error, reply, toolUse, toolUseJson } from '../../support/scripted-api-replies';
import type { Row } from './play';

const TOO_LONG = error(400, 'prompt is too long: 250000 tokens > 200000 maximum');
const LIMIT = reply('as much as fits', { stopReason: 'max_tokens' });
const COMPACTED = ['compacted', 'again: reactive_compact_retry'];
const FINE = ['answer: end_turn', 'completed'];
const asked = (...messages: readonly number[]) => messages.map((n) => `sonnet-5-5 stream ${n}`);

/** Faults that the loop recovers from, as far as it can. */
export const LOOP_ROWS: readonly Row[] = [
  {
    name: '413 compacts',
    script: [error(413, 'Request exceeds the maximum size'), reply('a summary'), reply('fine')],
    steps: [...COMPACTED, ...FINE],
    asked: asked(1, 1, 1),
    maxTokens: [8192, 20_000, 8192],
    line: /^$/,
  },
  {
    name: 'prompt too long twice',
    script: [TOO_LONG, reply('a summary'), TOO_LONG],
    steps: [...COMPACTED, 'prompt_too_long'],
    asked: asked(1, 1, 1),
    maxTokens: [8192, 20_000, 8192],
    line: /conversation is too long for claude-sonnet-5-5/,
  },
  {
    name: 'stop_reason max_tokens five times',
    script: [LIMIT, LIMIT, LIMIT, LIMIT, LIMIT, reply('never asked')],
    steps: [
      'answer: max_tokens',
      'void',
      'again: max_output_tokens_escalate',
      'answer: max_tokens',
      'again: max_output_tokens_recovery',
      'answer: max_tokens',
      'again: max_output_tokens_recovery',
      'answer: max_tokens',
      'again: max_output_tokens_recovery',
      'answer: max_tokens',
      'model_error',
    ],
    asked: asked(1, 1, 3, 5, 7),
    maxTokens: [8192, 64_000, 64_000, 64_000, 64_000],
    line: /output limit again and again and was given up/,
  },
  {
    name: 'stop_reason max_tokens five times, each in the middle of a tool input',
    script: () => reply([toolUseJson('Note', '{"line":"cut')], { stopReason: 'max_tokens' }),
    steps: [
      'answer: max_tokens',
      'void',
      'notice call_cut',
      'again: max_output_tokens_escalate',
      ...Array.from({ length: 3 }, () => [
        'answer: max_tokens',
        'again: max_output_tokens_recovery',
      ]).flat(),
      'answer: max_tokens',
      'model_error',
    ],
    asked: asked(1, 1, 3, 5, 7),
    maxTokens: [8192, 64_000, 64_000, 64_000, 64_000],
    refused: /cut short/,
    line: /output limit again and again .* call of Note, which was not run/,
  },
  {
    name: 'input and max_tokens exceed the context',
    script: [
      error(400, 'input length and `max_tokens` exceed context limit: 196000 + 8192 > 200000'),
      reply('fine'),
    ],
    steps: FINE,
    asked: asked(1, 1),
    maxTokens: [8192, 3000],
    line: /^$/,
  },
  {
    name: 'the same call with the same input five times in a row',
    script: (_, n) => (n < 9 ? reply([toolUse('Note', { line: 'again' })]) : reply('fine')),
    steps: [
      ...Array.from({ length: 4 }, () => ['answer: tool_use', 'again: next_turn']).flat(),
      'answer: tool_use',
      'repeated_calls',
    ],
    asked: asked(1, 3, 5, 7, 9),
    ran: Array.from({ length: 5 }, () => 'again'),
    line: /Note was called with the same input 5 times in a row/,
  },
];
