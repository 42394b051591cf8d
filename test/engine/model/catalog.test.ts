import { describe, expect, it } from 'vitest';
import {
  canonicalModel,
  contextWindowOf,
  factsOf,
  listModels,
  modelInMode,
  resolveModel,
  sameModel,
  supportedEffort,
} from '../../../src/main/engine/model/catalog';
import { MODELS } from '../../../src/main/engine/model/catalog-data';
import { parseCustomHeaders } from '../../../src/main/engine/model/create-client';

describe('resolveModel', () => {
  it.each([
    ['opus', {}, 'claude-opus-5-5'],
    ['Sonnet', {}, 'claude-sonnet-5-5'],
    ['haiku', {}, 'claude-haiku-5-5'],
    ['fable', {}, 'claude-fable-5-2'],
    ['opus[1m]', {}, 'claude-opus-5-5'],
    [undefined, {}, 'claude-opus-5-5'],
    ['default', {}, 'claude-opus-5-5'],
    ['OpusPlan', {}, 'opusplan'],
    ['opus', { ANTHROPIC_DEFAULT_OPUS_MODEL: 'my-opus' }, 'my-opus'],
    ['my-opus', { ANTHROPIC_DEFAULT_OPUS_MODEL: 'my-opus' }, 'my-opus'],
    [' claude-opus-9 ', {}, 'claude-opus-9'],
    ['llama', { ANTHROPIC_BASE_URL: 'http://localhost:1' }, 'llama'],
    ['claude\u2011opus\u20119', {}, 'claude-opus-9'],
    ['claude-opus\u20109\u20132\u2212x\uff0dy', {}, 'claude-opus-9-2-x-y'],
    ['gpt\u2011oss', { ANTHROPIC_BASE_URL: 'http://localhost:1' }, 'gpt-oss'],
    ['my\u2013opus', { ANTHROPIC_DEFAULT_OPUS_MODEL: 'my\u2013opus' }, 'my\u2013opus'],
  ])('%s with %j is %s', (input, env, id) => {
    expect(resolveModel(input, env)).toEqual({ ok: true, value: id });
  });

  it.each([
    ['opusplan', 'plan', {}, 'claude-opus-5-5'],
    ['opusplan', 'default', {}, 'claude-sonnet-5-5'],
    ['opusplan', 'bypassPermissions', { ANTHROPIC_DEFAULT_SONNET_MODEL: 'mine' }, 'mine'],
    ['claude-haiku-5-5', 'plan', {}, 'claude-haiku-5-5'],
  ] as const)('%s is asked in %s mode with %j as %s', (model, mode, env, id) => {
    expect(modelInMode(model, mode, env)).toBe(id);
  });

  it.each(['[', '{', '"', 'opus: [', "'opus", '-', '(a'])(
    'refuses what is left of a broken line, whatever a server calls its models: %s',
    (input) => {
      const env = { ANTHROPIC_BASE_URL: 'http://localhost:1' };
      expect(resolveModel(input, env)).toMatchObject({ error: { code: 'unknown_model' } });
    },
  );

  it.each(['@cf/meta/llama-3', '[free]qwen', 'Meta Llama (8B)', '/models/x.gguf', 'a:b~c', '模型'])(
    'takes every other name where the server is of the user’s own: %s',
    (input) => {
      const env = { ANTHROPIC_BASE_URL: 'http://localhost:1' };
      expect(resolveModel(input, env)).toEqual({ ok: true, value: input });
    },
  );

  it('refuses an unknown name and lists the known ones', () => {
    const result = resolveModel('gpt', {});
    expect(result).toMatchObject({ ok: false, error: { code: 'unknown_model' } });
    expect(JSON.stringify(result)).toContain('claude-opus-5-5');
  });
});

describe('facts', () => {
  it.each([
    ['claude-haiku-4-5-20251001', 'claude-haiku-4-5'],
    ['us.anthropic.claude-opus-4-8-20260101-v1:0', 'claude-opus-4-8'],
    ['claude-opus-4-6@20260101', 'claude-opus-4-6'],
    ['anthropic/claude-opus-5.5', 'claude-opus-5-5'],
    ['CLAUDE-SONNET-5', 'claude-sonnet-5'],
  ])('%s is %s', (id, bare) => {
    expect(canonicalModel(id)).toBe(bare);
    expect(factsOf(id)?.id).toBe(bare);
    expect(sameModel(id, bare)).toBe(true);
  });

  it('are complete and one is the latest of each family', () => {
    expect(new Set(MODELS.map((m) => m.id)).size).toBe(MODELS.length);
    for (const family of ['opus', 'sonnet', 'haiku', 'fable'])
      expect(MODELS.filter((m) => m.family === family && m.latest)).toHaveLength(1);
    for (const { prices } of MODELS) {
      expect(prices.cacheRead).toBeLessThan(prices.input);
      expect(prices.cacheWrite).toBeCloseTo(prices.input * 1.25);
      expect(prices.output).toBeCloseTo(prices.input * 5);
    }
    expect(listModels().map((m) => m.alias)).toEqual([
      'opus',
      'sonnet',
      'haiku',
      'fable',
      'opusplan',
    ]);
    expect(contextWindowOf('who-knows')).toBe(200_000);
  });

  it.each([
    ['claude-opus-5-5', 'xhigh', 'xhigh'],
    ['claude-opus-4-6', 'xhigh', 'high'],
    ['claude-haiku-4-5', 'high', undefined],
    ['claude-opus-5-5', undefined, undefined],
    ['claude-opus-5-5', 'absurd', undefined],
  ])('effort of %s for %s is %s', (id, wish, level) => {
    expect(supportedEffort(id, wish)).toBe(level);
  });
});

it('reads custom headers, one a line', () => {
  expect(parseCustomHeaders('A: 1\r\nB-c:two: three\nnonsense\nbad name: x')).toEqual({
    A: '1',
    'B-c': 'two: three',
  });
  expect(parseCustomHeaders(undefined)).toEqual({});
});
