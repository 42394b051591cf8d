import { oc } from '@orpc/contract';
import { z } from 'zod';
import { outcome, Path, SessionId } from './contract-inputs';
import type { CostView } from './cost-view';

/** The part of the contract about money. */
export const costsContract = {
  /** The cost of all sessions today and on the days before, and the limit of a day in a project. */
  view: oc.input(z.object({ project: Path })).output(outcome<CostView>()),
};

/**
 * Goes on where the end of Lathe cut the work, a failure of the API ended it, or a limit of turns or money stopped it;
 * `forSession` takes that limit away from the session.
 */
export const continueWork = oc
  .input(z.object({ sessionId: SessionId, forSession: z.boolean().exactOptional() }))
  .output(outcome<null>());
