import { z } from 'zod';
import type { PromptParts } from './queued-prompt';

/** The longest search, in characters. */
export const MAX_SEARCH = 500;

/** A search over what was said in sessions: words, "phrases in quotes", and beginnings of words (`word*`). */
export const SearchText = z.string().min(1).max(MAX_SEARCH);

/** A part of a snippet; `found` where it is what was searched for. */
export interface SnippetPart {
  readonly text: string;
  readonly found: boolean;
}

/** The other agents whose logs are searched too. */
export const OtherOrigin = z.enum(['claude', 'codex']);
export type OtherOrigin = z.infer<typeof OtherOrigin>;

/** Their names for people. */
export const ORIGIN_NAMES: Readonly<Record<OtherOrigin, string>> = {
  claude: 'Claude Code',
  codex: 'Codex',
};

/** The longest path of a log. Characters. */
const MAX_PATH = 1_000;

/** A page of another agent's log: around a byte, or before or behind another page. */
export const OtherPageRequest = z.object({
  origin: OtherOrigin,
  /** Its path below the folder of that agent. */
  log: z.string().max(MAX_PATH),
  place: z.enum(['around', 'before', 'from']),
  /** Bytes from the beginning of the log. */
  at: z.number().int().nonnegative(),
});
export type OtherPageRequest = z.infer<typeof OtherPageRequest>;

/** A log of another agent, by its path below that agent's folder. */
export const OtherLogName = OtherPageRequest.pick({ origin: true, log: true });
export type OtherLogName = z.infer<typeof OtherLogName>;

/** The wish to go on from a message of another agent's log, or from its end. */
export const OtherCopyRequest = OtherLogName.extend({
  /** The message to end at: before a prompt, behind any other; null: all of the log. */
  itemId: z
    .string()
    .regex(/^\d{1,15}(?::tool)?$/)
    .nullable(),
  /** The folder to work in where that of the session is gone. */
  project: z.string().max(MAX_PATH).nullable(),
});
export type OtherCopyRequest = z.infer<typeof OtherCopyRequest>;

/** A session that began as a copy of another agent's. */
export interface CopiedSession {
  readonly sessionId: string;
  readonly project: string;
  /** The prompt that the copy stops before, for the draft; null: it stops before none. */
  readonly prompt: PromptParts | null;
}

/** A table of contents of another agent's log. */
export interface OtherContents {
  /** The prompts of a user, oldest first. `at`: epoch milliseconds; 0: it does not say. */
  readonly prompts: readonly {
    readonly itemId: string;
    readonly at: number;
    readonly text: string;
  }[];
  /** There are older ones. */
  readonly more: boolean;
}

/** One message of another agent's log. */
export interface OtherMessage {
  readonly itemId: string;
  readonly who: SearchHit['who'];
  /** Epoch milliseconds; 0: it does not say. */
  readonly at: number;
  readonly text: string;
  /** It is longer than what is shown. */
  readonly isCut: boolean;
}

/** The part of another agent's log from `start` to `end`. Bytes; `size` is that of the log. */
export interface OtherPage {
  readonly messages: readonly OtherMessage[];
  readonly start: number;
  readonly end: number;
  readonly size: number;
}

/** One message that has what was searched for. */
export interface SearchHit {
  readonly sessionId: string;
  readonly project: string;
  /** The session's title; empty when it has none. */
  readonly title: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly who: 'user' | 'assistant' | 'tool';
  /** The item of the transcript that shows it. */
  readonly itemId: string;
  readonly snippet: readonly SnippetPart[];
  /** It stands in another agent's log, at that path below the agent's folder; absent: in one of Lathe's own. */
  readonly other?: { readonly origin: OtherOrigin; readonly log: string };
}

/** The findings of a search so far: each answer replaces the one before it, and the last one has no progress. */
export interface SearchAnswer {
  /** Newest first, at most {@link HITS_PER_SESSION} of a session. */
  readonly hits: readonly SearchHit[];
  /** There are more sessions than those in `hits`. */
  readonly more: boolean;
  /** Logs that were read so far, and how many there are to read; null when all were. */
  readonly progress: { readonly done: number; readonly total: number } | null;
  /** The reason why this search is slower than usual, for people. */
  readonly note: string | null;
}

export const HITS_PER_SESSION = 3;
export const MAX_HIT_SESSIONS = 40;
