import { type } from '@orpc/contract';
import { z } from 'zod';
import type { Fault, Result } from './result';

/** The parts of which inputs and outputs of the contract are made. */

export const Id = z.string().min(1).max(200);
/** Session ids name files: nothing in one may lead elsewhere. */
export const SessionId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/);
/** Agent ids name files too. */
export const AgentId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/);
/** Ids of messages, as the page that writes them makes them. */
export const MessageId = z.string().regex(/^[A-Za-z0-9_-]{8,64}$/);
export const Path = z.string().min(1).max(4096);
export const Side = z.number().int().min(2).max(1000);
/** A project, and the session whose mode and rules count there. */
export const RulesPlace = z.object({ project: Path, sessionId: SessionId.optional() });
export const outcome = <T>() => type<Result<T, Fault>>();

/** The most images and pasted texts of one prompt. */
export const MAX_PROMPT_BLOCKS = 40;
