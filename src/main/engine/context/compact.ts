import type { AgentEvent } from '../../../shared/agent-event';
import type { Message } from '../../../shared/message';
import type { CompactionTrigger } from '../../../shared/turn';
import { sinceBoundary } from '../messages/normalize';
import type { CompactDeps } from './compact-deps';
import { type Split, splitForSummary } from './split';
import { summarise } from './summarise';
import { messagesTokens, textTokens } from './tokens';

export interface CompactOptions {
  /** Why it is done. */
  readonly trigger: CompactionTrigger;
  /** What the context held before; written down with the compaction. */
  readonly tokensBefore: number;
  /** What a person wants kept above all. */
  readonly focus?: string | undefined;
}

/** How a compaction went. `why` is for a person. */
export type CompactOutcome =
  | { readonly kind: 'compacted'; readonly tokensAfter: number; readonly summary: string }
  | { readonly kind: 'aborted' }
  | {
      readonly kind: 'failed';
      readonly why: string;
      /** A hook of the person did not want it: nothing is broken. */
      readonly refused?: boolean;
    };

/** Why nothing was done where there is nothing to do. */
export const NOTHING_TO_SUMMARISE = 'There is nothing left to summarise.';

/** Whether the conversation since the last boundary has a part that a summary could replace. */
export const canCompact = (history: readonly Message[]): boolean =>
  isSplit(splitForSummary(sinceBoundary(history)));

const isSplit = ({ head }: Split): boolean => head.some((message) => message.role !== 'boundary');

/**
 * Replaces the older part of what is sent by a summary that the model writes (SPEC F5): boundary, summary,
 * recent tail, and behind it what must not be forgotten. Yields what is to be recorded: its beginning and end,
 * retries, the cost of the request, and `compacted`. Nothing changes when it fails. Never throws.
 */
export async function* compact(
  history: readonly Message[],
  options: CompactOptions,
  deps: CompactDeps,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, CompactOutcome> {
  const split = splitForSummary(sinceBoundary(history));
  if (!isSplit(split)) return { kind: 'failed', why: NOTHING_TO_SUMMARISE };
  const { trigger, tokensBefore, focus } = options;
  const refusal = await deps.hooks?.before(trigger, focus, signal);
  if (signal.aborted) return { kind: 'aborted' };
  if (typeof refusal === 'string') {
    return { kind: 'failed', why: `A hook blocked it: ${refusal}`, refused: true };
  }
  yield { type: 'compaction_started', trigger, tokensBefore };
  const outcome = yield* attempt(split, options, deps, signal);
  yield {
    type: 'compaction_ended',
    trigger,
    outcome: outcome.kind,
    tokensBefore,
    tokensAfter: outcome.kind === 'compacted' ? outcome.tokensAfter : tokensBefore,
  };
  if (outcome.kind === 'compacted') await deps.hooks?.after(trigger, outcome.summary, signal);
  return outcome;
}

/** A defect on the way is a failure like any other: the conversation must go on as it was. */
async function* attempt(
  split: Split,
  options: CompactOptions,
  deps: CompactDeps,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, CompactOutcome> {
  try {
    return yield* replaced(split, options, deps, signal);
  } catch (thrown) {
    if (signal.aborted) return { kind: 'aborted' };
    return { kind: 'failed', why: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

async function* replaced(
  { head, tail }: Split,
  { trigger, tokensBefore, focus }: CompactOptions,
  deps: CompactDeps,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, CompactOutcome> {
  const written = yield* summarise(head, focus, deps, signal);
  if (written.kind === 'aborted') return written;
  if (written.kind !== 'summary') return { kind: 'failed', why: written.why };
  const restored = await deps.restore(head, tail, signal);
  if (signal.aborted) return { kind: 'aborted' };
  const texts = [written.text, ...restored.map((fact) => fact.text)];
  const tokensAfter =
    written.prefix + messagesTokens(tail) + texts.reduce((sum, text) => sum + textTokens(text), 0);
  yield {
    type: 'compacted',
    id: deps.ids.next('cmp'),
    trigger,
    summary: written.text,
    removed: head.map((message) => message.id),
    tokensBefore,
    tokensAfter,
  };
  for (const fact of restored) yield { type: 'attachment', id: deps.ids.next('att'), ...fact };
  return { kind: 'compacted', tokensAfter, summary: written.text };
}
