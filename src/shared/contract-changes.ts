import { oc } from '@orpc/contract';
import { z } from 'zod';
import type { ChangedText, SessionChanges } from './changes';
import type { RestoreReport } from './checkpoint';
import { outcome, Path, SessionId } from './contract-inputs';

/** The part of the contract about what a session changed in its project. */
export const changesContract = {
  /** The files that differ from what they were before the session. */
  list: oc.input(z.object({ sessionId: SessionId })).output(outcome<SessionChanges>()),
  /** The difference of one of them. */
  diff: oc.input(z.object({ sessionId: SessionId, path: Path })).output(outcome<ChangedText>()),
  /** Takes back one hunk of a difference; `now` is the content that was compared, which must still be there. */
  revertHunk: oc
    .input(
      z.object({
        sessionId: SessionId,
        path: Path,
        now: z.string().min(1).max(100),
        hunk: z.number().int().min(0),
      }),
    )
    .output(outcome<RestoreReport>()),
};
