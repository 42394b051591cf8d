/** A span of time over which a plan counts, under the ecosystem's name. */
export type PlanWindow = 'five_hour' | 'seven_day' | 'seven_day_overage_included';

/** The use of one window of a plan. */
export interface PlanUse {
  /** 0 … 1, and more where the plan lets more pass. */
  readonly used?: number;
  /** Epoch seconds. */
  readonly resetsAt?: number;
}

export type PlanStatus = 'allowed' | 'allowed_warning' | 'rejected';

/** The limits of the plan that answers are paid from, as the newest answer told them. */
export interface PlanLimits extends PlanUse {
  readonly status: PlanStatus;
  /** The window that matters most now, in the API's own word. */
  readonly window?: string;
  readonly windows: Readonly<Partial<Record<PlanWindow, PlanUse>>>;
  /** The use beyond the plan; absent: the API says nothing of it. */
  readonly overage?: {
    readonly status: PlanStatus;
    readonly resetsAt?: number;
    readonly disabledReason?: string;
  };
}

/** The names of windows for people. */
export const PLAN_WINDOWS: Readonly<Record<PlanWindow, string>> = {
  five_hour: 'Five hours',
  seven_day: 'Seven days',
  seven_day_overage_included: 'Seven days with extra use',
};
