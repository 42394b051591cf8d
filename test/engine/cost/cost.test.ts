import { describe, expect, it } from 'vitest';
import { createCostLedger, NO_COST } from '../../../src/main/engine/cost/ledger';
import { price, priceOf } from '../../../src/main/engine/cost/price';
import type { Usage } from '../../../src/shared/message';

const usage = (
  inputTokens: number,
  outputTokens = 0,
  cacheReadTokens = 0,
  cacheWriteTokens = 0,
): Usage => ({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens });
const M = 1_000_000;

describe('price', () => {
  it.each([
    ['claude-opus-5-5', usage(M), 4],
    ['claude-opus-5-5', usage(0, M), 20],
    ['claude-opus-5-5', usage(0, 0, M), 0.2],
    ['claude-opus-5-5', usage(0, 0, 0, M), 5],
    ['claude-sonnet-5-5', usage(M, M, M, M), 14.6],
    ['claude-haiku-5-5', usage(100_000, 100_000), 0.06],
    ['claude-haiku-5-5', usage(50_001, 100_000, 50_000), 0.2775005],
    ['claude-haiku-4-5-20251001', usage(M), 1],
  ])('%s %j is $%d', (model, tokens, usd) => {
    expect(price(tokens, model)).toBeCloseTo(usd, 10);
  });

  it('of an unknown model is 0 and flagged', () => {
    expect(priceOf(usage(M), 'llama')).toEqual({ usd: 0, known: false });
  });
});

describe('the ledger', () => {
  it('adds up per session, model and query', () => {
    const ledger = createCostLedger();
    const opus = { model: 'claude-opus-5-5', usage: usage(10, 1, 2, 3), costUsd: 0.5, apiMs: 100 };
    ledger.record({ ...opus, queryId: 'q1' });
    ledger.record({ ...opus, queryId: 'q2' });
    ledger.record({ model: 'claude-haiku-5-5', usage: usage(5), costUsd: 0.1, queryId: 'q2' });
    ledger.record({ model: 'claude-haiku-5-5', usage: usage(5), costUsd: 0.1 });
    expect(ledger.total()).toMatchObject({ requests: 4, apiMs: 200, usage: usage(30, 2, 4, 6) });
    expect(ledger.total().costUsd).toBeCloseTo(1.2);
    expect(ledger.byModel().get('claude-haiku-5-5')).toMatchObject({
      requests: 2,
      usage: usage(10),
    });
    expect(ledger.ofQuery('q2').costUsd).toBeCloseTo(0.6);
    expect(ledger.ofQuery('nobody')).toEqual(NO_COST);
  });

  it('says when a price is missing', () => {
    const ledger = createCostLedger();
    ledger.record({ model: 'llama', usage: usage(1), costUsd: 0 });
    expect(ledger.total().priceKnown).toBe(false);
  });

  it('does not grow with the number of queries', () => {
    const ledger = createCostLedger();
    for (let n = 0; n < 1500; n += 1)
      ledger.record({ model: 'claude-opus-5-5', usage: usage(1), costUsd: 1, queryId: `q${n}` });
    expect(ledger.ofQuery('q0')).toEqual(NO_COST);
    expect(ledger.ofQuery('q1499').requests).toBe(1);
    expect(ledger.total().requests).toBe(1500);
  });
});
