import type { PlanLimits, PlanUse } from '../../../shared/plan-limits';
import type { Json } from './api-shape';

/** The names of windows that programs know. */
const WINDOWS: ReadonlySet<string> = new Set([
  'five_hour',
  'seven_day',
  'seven_day_opus',
  'seven_day_sonnet',
  'seven_day_overage_included',
  'overage',
]);

/** The reasons for which nothing is used beyond a plan, as programs know them. */
const REASONS: ReadonlySet<string> = new Set([
  'overage_not_provisioned',
  'org_level_disabled',
  'org_level_disabled_until',
  'out_of_credits',
  'seat_tier_level_disabled',
  'member_level_disabled',
  'seat_tier_zero_credit_limit',
  'group_zero_credit_limit',
  'member_zero_credit_limit',
  'org_service_level_disabled',
  'no_limits_configured',
  'fetch_error',
]);

/** Tells the limits of the plan that pays. */
export function rateLimitEvent({ status, window, used, resetsAt, overage }: PlanLimits): Json {
  const reason = overage?.disabledReason;
  return {
    type: 'rate_limit_event',
    rate_limit_info: {
      status,
      ...(resetsAt === undefined ? {} : { resetsAt }),
      ...(window === undefined || !WINDOWS.has(window) ? {} : { rateLimitType: window }),
      ...(used === undefined ? {} : { utilization: used }),
      ...(overage === undefined ? {} : { overageStatus: overage.status }),
      ...(overage?.resetsAt === undefined ? {} : { overageResetsAt: overage.resetsAt }),
      ...(reason === undefined
        ? {}
        : { overageDisabledReason: REASONS.has(reason) ? reason : 'unknown' }),
    },
  };
}

/** Returns the use of a plan as the answer to `get_usage` has it; null where no answer told of one. */
export const planUsage = (limits: PlanLimits | undefined): Json | null =>
  limits === undefined
    ? null
    : {
        five_hour: windowUse(limits.windows.five_hour),
        seven_day: windowUse(limits.windows.seven_day),
      };

const windowUse = (use: PlanUse | undefined): Json | null =>
  use === undefined
    ? null
    : {
        utilization: use.used === undefined ? null : use.used * 100,
        resets_at: use.resetsAt === undefined ? null : new Date(use.resetsAt * 1000).toISOString(),
      };
