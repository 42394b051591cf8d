import { expect, it } from 'vitest';
import { readPlanLimits } from '../../../src/main/engine/model/plan-limits';
import { rateLimits } from '../../../src/main/engine/session/status-line';
import { planUsage, rateLimitEvent } from '../../../src/main/hosts/headless/plan-lines';
import type { PlanLimits } from '../../../src/shared/plan-limits';
import { error, reply } from '../../support/scripted-api-replies';
import { openTestSession } from '../../support/session';
import { ofType } from '../query/support';

const UNIFIED = 'anthropic-ratelimit-unified-';
const headers = (facts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(facts).map(([name, value]) => [`${UNIFIED}${name}`, value]));
const FULL = {
  ...{ status: 'allowed_warning', 'representative-claim': 'five_hour', reset: '1764554400' },
  ...{ '5h-utilization': '0.92', '5h-reset': '1764554400', '5h-status': 'allowed_warning' },
  ...{ '7d-utilization': '0.4', '7d-reset': '1764900000', 'fallback-percentage': '0.5' },
  ...{ 'overage-status': 'rejected', 'overage-disabled-reason': 'out_of_credits' },
};
const LIMITS: PlanLimits = {
  status: 'allowed_warning',
  ...{ window: 'five_hour', used: 0.92, resetsAt: 1764554400 },
  windows: {
    five_hour: { used: 0.92, resetsAt: 1764554400 },
    seven_day: { used: 0.4, resetsAt: 1764900000 },
  },
  overage: { status: 'rejected', disabledReason: 'out_of_credits' },
};

it.each([
  [{}, null],
  [{ status: 'fine' }, null],
  [FULL, LIMITS],
  [
    { status: 'rejected', '5h-utilization': '-1', '7d-reset': 'soon', reset: '1e9' },
    { status: 'rejected', windows: {} },
  ],
  [
    { status: 'allowed', 'representative-claim': 'x'.repeat(500), 'overage-status': 'null' },
    { status: 'allowed', window: 'x'.repeat(60), windows: {} },
  ],
])('%j tells of a plan: %j', (facts, limits) => {
  expect(readPlanLimits(new Headers(headers(facts)))).toEqual(limits);
});

it('programs and the status line are told in their own forms', () => {
  expect(rateLimitEvent(LIMITS)).toEqual({
    type: 'rate_limit_event',
    rate_limit_info: {
      ...{ status: 'allowed_warning', resetsAt: 1764554400, rateLimitType: 'five_hour' },
      ...{ utilization: 0.92, overageStatus: 'rejected', overageDisabledReason: 'out_of_credits' },
    },
  });
  expect(rateLimitEvent({ status: 'allowed', window: 'a_day', windows: {} })).toEqual({
    type: 'rate_limit_event',
    rate_limit_info: { status: 'allowed' },
  });
  expect(planUsage(LIMITS)).toEqual({
    five_hour: { utilization: 92, resets_at: '2025-12-01T02:00:00.000Z' },
    seven_day: { utilization: 40, resets_at: '2025-12-05T02:00:00.000Z' },
  });
  expect(rateLimits(LIMITS)).toEqual({
    five_hour: { used_percentage: 92, resets_at: 1764554400 },
    seven_day: { used_percentage: 40, resets_at: 1764900000 },
  });
});

it('a session knows what the newest answer told, a refusal too', async () => {
  const refused = headers({ status: 'rejected', 'representative-claim': 'seven_day' });
  const t = await openTestSession([
    reply('one', { headers: headers(FULL) }),
    reply('two'),
    error(400, 'no more', refused),
  ]);
  try {
    expect(ofType(await t.run('a'), 'plan_limits')).toEqual([
      { type: 'plan_limits', limits: LIMITS },
    ]);
    expect(ofType(await t.run('b'), 'plan_limits')).toEqual([]);
    expect(t.session.log.transcript().planLimits).toEqual(LIMITS);
    await t.run('c');
    const rejected = { status: 'rejected', window: 'seven_day', windows: {} };
    expect(t.session.log.transcript().planLimits).toEqual(rejected);
  } finally {
    await t.close();
  }
});
