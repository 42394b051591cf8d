import type { PlanLimits, PlanStatus, PlanUse, PlanWindow } from '../../../shared/plan-limits';

const PREFIX = 'anthropic-ratelimit-unified-';

/** The windows by the part of a header's name that stands for them. */
const WINDOWS: readonly (readonly [string, PlanWindow])[] = [
  ['5h', 'five_hour'],
  ['7d', 'seven_day'],
  ['7d_oi', 'seven_day_overage_included'],
];

/** Reads the limits of a plan from the headers of an answer; null for an answer that tells none. Pure. */
export function readPlanLimits(headers: Headers): PlanLimits | null {
  const text = (name: string): string | undefined => headers.get(`${PREFIX}${name}`) ?? undefined;
  const number = (name: string): number | undefined => {
    const value = text(name)?.trim() ?? '';
    return /^\d{1,15}(?:\.\d{1,15})?$/.test(value) ? Number(value) : undefined;
  };
  const status = statusOf(text('status'));
  if (status === null) return null;
  const windows: Partial<Record<PlanWindow, PlanUse>> = {};
  for (const [part, window] of WINDOWS) {
    const use = useOf(number(`${part}-utilization`), number(`${part}-reset`));
    if (use.used !== undefined || use.resetsAt !== undefined) windows[window] = use;
  }
  const window = text('representative-claim')?.slice(0, MAX_WORD);
  const named = windows[window as PlanWindow];
  const overage = statusOf(text('overage-status'));
  const reason = text('overage-disabled-reason')?.slice(0, MAX_WORD);
  const overageReset = number('overage-reset');
  return {
    status,
    ...(window === undefined ? {} : { window }),
    ...useOf(named?.used, number('reset') ?? named?.resetsAt),
    windows,
    ...(overage === null
      ? {}
      : {
          overage: {
            status: overage,
            ...(overageReset === undefined ? {} : { resetsAt: overageReset }),
            ...(reason === undefined ? {} : { disabledReason: reason }),
          },
        }),
  };
}

/** Longer words of a header are cut. Characters. */
const MAX_WORD = 60;

const useOf = (used: number | undefined, resetsAt: number | undefined): PlanUse => ({
  ...(used === undefined ? {} : { used }),
  ...(resetsAt === undefined ? {} : { resetsAt }),
});

const STATUSES: readonly PlanStatus[] = ['allowed', 'allowed_warning', 'rejected'];

const statusOf = (text: string | undefined): PlanStatus | null =>
  STATUSES.find((status) => status === text) ?? null;
