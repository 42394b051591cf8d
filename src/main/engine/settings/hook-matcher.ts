import type { HookEvent } from '../../../shared/hooks';
import { err, ok, type Result } from '../../../shared/result';

/** Whether a hook is for a subject: a tool's name, a trigger, a kind of notification. */
export type Matcher = (subject: string) => boolean;

/** Longer patterns are a mistake, or an attack on matching. UTF-16 units. */
const MAX_LENGTH = 1_000;
/** Names are shorter; what comes after this is not looked at, so that no pattern can run for long. UTF-16 units. */
const MAX_SUBJECT = 256;

/** CONVENTIONS 4: a text of only these is a list of exact names. */
const NAMES_ONLY = /^[A-Za-z0-9_\-, |]*$/;
/** Where kinds of failure are matched, only `|` separates, and fewer characters make a name. */
const FAILURES_ONLY = /^[A-Za-z0-9_|]*$/;
/** A repeated group that repeats or chooses inside itself: matching one can take for ever. */
const ENDLESS = /\((?:[^()\\]|\\.)*(?:[*+|]|\{\d+,\d*\})(?:[^()\\]|\\.)*\)(?:[*+]|\{\d+,\d*\})/;

/**
 * Reads a matcher: exact names separated by `|` or `,`; any other text is a regular expression that may fit
 * anywhere; empty and `*` mean all. The error says what is wrong with it. Pure.
 */
export function readMatcher(text: string, event?: HookEvent): Result<Matcher, string> {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === '*') return ok(() => true);
  if (trimmed.length > MAX_LENGTH) {
    return err(`the matcher is longer than ${MAX_LENGTH} characters`);
  }
  if ((event === 'StopFailure' ? FAILURES_ONLY : NAMES_ONLY).test(trimmed)) {
    const names = new Set(trimmed.split(/[|,]/).map((name) => name.trim()));
    return ok((subject) => names.has(subject));
  }
  if (ENDLESS.test(trimmed)) {
    return err(
      'the matcher repeats a group that itself repeats or chooses, which could take for ever',
    );
  }
  try {
    const pattern = new RegExp(trimmed);
    return ok((subject) => pattern.test(subject.slice(0, MAX_SUBJECT)));
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return err(`the matcher is no regular expression (${why})`);
  }
}
