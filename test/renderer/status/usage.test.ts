import { describe, expect, it } from 'vitest';
import { typedModelEntries } from '../../../src/renderer/palette/Palette';
import { effortUsed, modelLabel, modelOptions } from '../../../src/renderer/status/models';
import {
  contextFacts,
  contextUse,
  fullNote,
  layerFacts,
  pinFacts,
  planFacts,
  sessionFacts,
  speedFacts,
} from '../../../src/renderer/status/usage-facts';
import { NO_COSTS } from '../../../src/shared/facts';
import { addCosts } from '../../support/add-costs';

const choice = (id: string, alias?: string) => ({
  ...{ id, name: `Model ${id}`, contextTokens: 200_000, efforts: ['low', 'high'] },
  ...(alias === undefined ? {} : { alias }),
});
const MODELS = [choice('big-one-1', 'big'), choice('small-one-1', 'small'), choice('old-one-1')];

describe('contextUse', () => {
  it.each([
    ['nothing counted yet', null, 'big-one-1', null],
    [
      'as the request told',
      { usedTokens: 50, windowTokens: 100 },
      'big-one-1',
      { used: 50, window: 100, share: 0.5 },
    ],
    [
      'as the list tells after a restart',
      { usedTokens: 50_000, windowTokens: 0 },
      'big',
      { used: 50_000, window: 200_000, share: 0.25 },
    ],
    ['a window nobody knows', { usedTokens: 50, windowTokens: 0 }, 'unknown', null],
  ] as const)('%s', (_, context, model, use) =>
    expect(contextUse({ context, model }, MODELS)).toEqual(use),
  );
  it.each<[number, number | null | undefined, RegExp | null]>([
    [50_000, undefined, null],
    [50_000, 150_000, /summarised at 150k\.$/],
    [50_000, null, null],
    [165_000, undefined, /Nearly full: older/],
    [165_000, null, /summaries are off: \/compact/],
    [165_000, 170_000, /Nearly full: older/],
    [171_000, 170_000, /^Full/],
  ])('says what comes at %d, summarised at %s', (usedTokens, compactAt, note) => {
    const facts = compactAt === undefined ? {} : { compactAt };
    const context = { usedTokens, windowTokens: 200_000, ...facts };
    const said = fullNote({ context }, usedTokens / 200_000);
    if (note === null) expect(said).toBeNull();
    else expect(said).toMatch(note);
  });

  it('says where the window goes, as soon as a request has told', () => {
    const context = { usedTokens: 20_000, windowTokens: 200_000 };
    const factsOf = (told: Parameters<typeof contextFacts>[0]['context']) =>
      contextFacts({ context: told, model: 'big-one-1' }, MODELS).map(
        ({ label, value }) => `${label}|${value}`,
      );
    expect(factsOf(context)).toEqual([]);
    const parts = { system: 2_000, tools: 3_000, memory: 1_000, messages: 14_000 };
    expect(factsOf({ ...context, parts })).toEqual([
      'System prompt|2k',
      'Tools|3k',
      'Memory and facts|1k',
      'Conversation|14k',
      'Free|180k',
    ]);
    // Another model was chosen since.
    expect(factsOf({ ...context, parts, windowTokens: 0 })).toContain('Free|180k');
  });
});

it('adds up what went in, with the share of the cache', () => {
  const usage = {
    ...{ inputTokens: 3_100, outputTokens: 8_900 },
    ...{ cacheReadTokens: 380_000, cacheWriteTokens: 24_000 },
  };
  const facts = sessionFacts({
    promptsAnswered: 2,
    roundTrips: 9,
    costs: addCosts(NO_COSTS, 'main', { opus: { usage, costUsd: 0.38, requests: 1 } }),
  });
  expect(facts.map(({ label, value, note }) => [label, value, note ?? ''].join('|'))).toEqual([
    'Cost|$0.38|',
    'Prompts answered|2|',
    'Requests for them|9|',
    'Tokens out|8.9k|',
    'Tokens in|407k|',
    'from the cache|380k|93 %',
    'put into the cache|24k|',
    'new|3.1k|',
  ]);
});

it('says how fast the last request was, when that is known', () => {
  expect(speedFacts({ tokensPerSecond: null, ttftMs: null })).toEqual([]);
  expect(speedFacts({ tokensPerSecond: 61.7, ttftMs: 1240 }).map((f) => f.value)).toEqual([
    '62 tokens/s',
    '1.2 s',
  ]);
});

describe('models and efforts', () => {
  it('lists the others under a heading, and a model of no list first', () => {
    const options = modelOptions(MODELS, 'claude-opus-9-1');
    expect(options.map((o) => [o.value, o.heading])).toEqual([
      ['claude-opus-9-1', undefined],
      ['big-one-1', undefined],
      ['small-one-1', undefined],
      ['old-one-1', 'More models'],
    ]);
    expect(options[0]?.label).toBe('Claude Opus 9.1');
    expect(modelOptions(MODELS, 'small')).toHaveLength(3);
    expect(modelLabel(MODELS, 'small')).toBe('Model small-one-1');
  });
  it.each([
    [['low', 'high'], 'high', 'high'],
    [['low', 'high'], 'max', 'high'],
    [['low', 'high'], 'medium', 'low'],
    [['high'], 'low', ''],
  ])('of %j with %s wished, %s is asked for', (efforts, wished, used) =>
    expect(effortUsed(efforts, wished)).toBe(used),
  );
  it.each([
    ['claude-opus-9-1', 1],
    ['  team/model:v2  ', 1],
    ['big-one-1', 0],
    ['big', 0],
    ['two words here', 0],
    ['op', 0],
  ])('offers %j by its id: %d', (typed, count) =>
    expect(typedModelEntries(MODELS, typed)).toHaveLength(count),
  );
});

it('lists what each layer left out, and what is pinned', () => {
  const layers = {
    microcompact: { acts: 3, freed: 120_000 },
    autocompact: { acts: 1, freed: 90_000 },
  };
  const cleared = { results: 14, thinking: 0, tokens: 70_000 };
  expect(layerFacts({ layers, cleared })).toEqual([
    { label: 'Results to be had again', value: '120k', note: '3 times' },
    { label: 'Summaries', value: '90k', note: 'once' },
    { label: 'By the API, newest request', value: '70k', note: '14 results' },
  ]);
  expect(layerFacts({ layers: {}, cleared: null })).toEqual([]);
  expect(pinFacts({ pins: ['a', 'b'] })).toEqual([
    { label: 'Kept word for word', value: '2 prompts' },
  ]);
  expect(pinFacts({ pins: [] })).toEqual([]);
});

it('says how much of a plan is used, where answers tell of one', () => {
  const windows = { five_hour: { used: 0.923, resetsAt: 1764554400 }, seven_day: { used: 0.4 } };
  expect(planFacts({ planLimits: { status: 'allowed', windows } }, String)).toEqual([
    { label: 'Five hours', value: '92 %', note: 'until 1764554400' },
    { label: 'Seven days', value: '40 %' },
  ]);
  expect(planFacts({}, String)).toEqual([]);
});
