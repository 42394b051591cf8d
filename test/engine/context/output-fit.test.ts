import { describe, expect, it } from 'vitest';
import { fittingOutput, withOutputFit } from '../../../src/main/engine/context/limits';
import type { ModelEvent, ModelRequest } from '../../../src/main/engine/model/model-client';

const words = (input: number | string, asked: number | string, limit: number | string) =>
  `input length and \`max_tokens\` exceed context limit: ${input} + ${asked} > ${limit}, decrease input length`;

describe('the output that still fits', () => {
  it.each<[string, string, number | null]>([
    ['from the numbers', words(190_000, 20_000, 200_000), 9_000],
    ['with separators', words('190,000', '20_000', '200,000'), 9_000],
    ['exactly enough', words(196_000, 20_000, 200_000), 3_000],
    ['too little', words(196_001, 20_000, 200_000), null],
    ['none at all', words(210_000, 1, 200_000), null],
    ['other words with numbers', 'balance: 1 + 2 > 3', null],
    ['no numbers', 'the context limit is reached', null],
  ])('%s', (_name, message, expected) => {
    expect(fittingOutput(message)).toBe(expected);
  });
});

const request: ModelRequest = {
  model: 'm',
  maxTokens: 20_000,
  system: [],
  messages: [],
  tools: [],
};
const failed = (message: string): ModelEvent => ({
  type: 'failed',
  error: { kind: 'prompt_too_long', message, retryable: false },
});

async function play(answers: readonly ModelEvent[]) {
  const asked: number[] = [];
  const model = withOutputFit({
    stream: async function* ({ maxTokens }) {
      asked.push(maxTokens);
      yield answers[asked.length - 1] ?? failed('the script has run out');
    },
  });
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request, new AbortController().signal)) events.push(event);
  return { asked, events };
}

describe('asking for less output', () => {
  it('hides a refusal it can cure', async () => {
    const answer: ModelEvent = { type: 'retry_ended' };
    const { asked, events } = await play([failed(words(190_000, 20_000, 200_000)), answer]);
    expect(asked).toEqual([20_000, 9_000]);
    expect(events).toEqual([answer]);
  });

  it('gives up when the numbers do not help', async () => {
    const same = failed(words(100, 20_000, 200_000));
    expect(await play([same])).toEqual({ asked: [20_000], events: [same] });
  });

  it('gives up after three tries', async () => {
    const tighter = (n: number) => failed(words(190_000 + n * 1_000, 20_000, 200_000));
    const { asked, events } = await play([0, 1, 2, 3].map(tighter));
    expect(asked).toEqual([20_000, 9_000, 8_000, 7_000]);
    expect(events).toEqual([tighter(3)]);
  });
});
