import { eventIterator, oc, type } from '@orpc/contract';
import { z } from 'zod';
import { outcome, Path, SessionId } from './contract-inputs';
import type { Fault, Result } from './result';
import { ExportFormat, type ExportPiece } from './session-export';
import {
  type CopiedSession,
  type OtherContents,
  OtherCopyRequest,
  OtherLogName,
  type OtherPage,
  OtherPageRequest,
  type SearchAnswer,
  SearchText,
} from './session-search';

/** A session in the trash. */
export interface TrashedSession {
  readonly id: string;
  readonly title: string;
  /** Epoch milliseconds. */
  readonly deletedAt: number;
}

/** The part of the contract about sessions that are kept, open or not. */
export const keptSessionsContract = {
  rename: oc
    .input(z.object({ sessionId: SessionId, title: z.string().max(200) }))
    .output(outcome<null>()),
  /** Leaves a session out of the list, or takes it in again. */
  archive: oc
    .input(z.object({ sessionId: SessionId, archived: z.boolean() }))
    .output(outcome<null>()),
  /** Moves a session that does not work into the trash. */
  remove: oc.input(z.object({ sessionId: SessionId })).output(outcome<null>()),
  /** Takes a session out of the trash. */
  restore: oc.input(z.object({ sessionId: SessionId })).output(outcome<null>()),
  /** Lists the sessions of a project in the trash, the one that was deleted last first. */
  listTrash: oc.input(z.object({ project: Path })).output(outcome<readonly TrashedSession[]>()),
  /** Searches what was said in all sessions of this machine; each answer replaces the one before it. */
  search: oc
    .input(z.object({ text: SearchText }))
    .output(eventIterator(type<Result<SearchAnswer, Fault>>())),
  /** Reads a page of another agent's log. */
  readOther: oc.input(OtherPageRequest).output(outcome<OtherPage>()),
  /** Lists the prompts in another agent's log. */
  contentsOfOther: oc.input(OtherLogName).output(outcome<OtherContents>()),
  /** Makes a session of another agent's log, up to a message. */
  copyOther: oc.input(OtherCopyRequest).output(outcome<CopiedSession>()),
  /** Writes a session out, in pieces, with keys and tokens hidden. */
  export: oc
    .input(z.object({ sessionId: SessionId, format: ExportFormat }))
    .output(eventIterator(type<Result<ExportPiece, Fault>>())),
};
