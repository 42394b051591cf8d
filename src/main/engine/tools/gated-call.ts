import type { PermissionRequest } from '../permissions/request';
import type { HookAdvice } from './hook-advice';
import type { AnyTool } from './tool';

/** Whether a call may run; if not, what the model is told. */
export type Verdict =
  /**
   * `decided`: what exactly was allowed. `input` is there when the call was changed: this runs, and nothing
   * else. The person changed it, unless `changedBy` says that a hook did.
   */
  | {
      readonly allowed: true;
      readonly decided: readonly PermissionRequest[];
      readonly input?: Record<string, unknown>;
      readonly changedBy?: 'hook';
    }
  | Refusal
  /** A hook put it off: it has no result, and the query ends. */
  | { readonly allowed: false; readonly status: 'deferred' };

/** A call that does not run, and what the model is told. */
export interface Refusal {
  readonly allowed: false;
  readonly status: 'denied' | 'cancelled';
  readonly message: string;
}

/** A call that wants to run. Its input has passed the schema. */
export interface GatedCall {
  readonly id: string;
  readonly tool: AnyTool;
  readonly input: Record<string, unknown>;
  /** Whether it is the only call of its response; known when the response is whole. Absent: it cannot be put off. */
  readonly alone?: () => Promise<boolean>;
  /** What hooks want of the decision. */
  readonly advice?: HookAdvice;
}

/** For a call whose query ended while it was decided. */
export const INTERRUPTED: Verdict = {
  allowed: false,
  status: 'cancelled',
  message: 'Interrupted by the user.',
};
