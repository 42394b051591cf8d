import { oc } from '@orpc/contract';
import { z } from 'zod';
import {
  type RestoreDiff,
  RestorePoint,
  type RestorePreview,
  type RestoreReport,
} from './checkpoint';
import { outcome, Path, SessionId } from './contract-inputs';

/** The part of the contract by which files go back to what they were. */
export const restoreContract = {
  /** The changes that going back would make to the files of the project. */
  preview: oc
    .input(z.object({ sessionId: SessionId, point: RestorePoint }))
    .output(outcome<RestorePreview>()),
  /** The difference that it would make to one of them. */
  diff: oc
    .input(z.object({ sessionId: SessionId, point: RestorePoint, path: Path }))
    .output(outcome<RestoreDiff>()),
  /**
   * Gives files back their state; what runs is stopped first. Those that somebody else changed are left as they are,
   * unless `overwrite`.
   */
  files: oc
    .input(z.object({ sessionId: SessionId, point: RestorePoint, overwrite: z.boolean() }))
    .output(outcome<RestoreReport>()),
};
