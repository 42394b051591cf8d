import { oc } from '@orpc/contract';
import { z } from 'zod';
import { type CommitReport, type GitChanges, MAX_COMMIT_MESSAGE, type StageDiff } from './commit';
import { outcome, Path, SessionId } from './contract-inputs';

const OfSession = z.object({ sessionId: SessionId });

/** The part of the contract about committing what changed in the project of a session. */
export const commitsContract = {
  /** The changes that could be committed; null where there is no repository. */
  view: oc.input(OfSession).output(outcome<GitChanges | null>()),
  diff: oc.input(OfSession.extend({ path: Path })).output(outcome<StageDiff>()),
  /** Stages a path or one hunk of it, or takes that out of the next commit. */
  stage: oc
    .input(
      OfSession.extend({ path: Path, staged: z.boolean(), hunk: z.string().max(100).optional() }),
    )
    .output(outcome<null>()),
  /** Has the small model propose a message for what is staged. */
  draft: oc.input(OfSession).output(outcome<string>()),
  commit: oc
    .input(OfSession.extend({ message: z.string().trim().min(1).max(MAX_COMMIT_MESSAGE) }))
    .output(outcome<CommitReport>()),
  /** Stops the commit that runs, with its hooks. */
  stop: oc.input(OfSession).output(outcome<null>()),
};
