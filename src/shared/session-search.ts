import { z } from 'zod';

/** The longest search, in characters. */
export const MAX_SEARCH = 500;

/** A search over what was said in sessions: words, "phrases in quotes", and beginnings of words (`word*`). */
export const SearchText = z.string().min(1).max(MAX_SEARCH);

/** A part of a snippet; `found` where it is what was searched for. */
export interface SnippetPart {
  readonly text: string;
  readonly found: boolean;
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
