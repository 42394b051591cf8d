import type { AgentEvent } from '../../../shared/agent-event';
import type { Message } from '../../../shared/message';
import type { CompactionTrigger } from '../../../shared/turn';
import { sinceBoundary } from '../messages/normalize';
import { type Split, type SummaryDeps, splitForSummary, summarise } from './summarise';
import { messagesTokens, textTokens } from './tokens';

/** A fact that goes back into the conversation behind a summary. */
export interface Restored {
  readonly kind: string;
  readonly text: string;
  readonly about?: string;
}

/** The dependencies of a compaction. */
export interface CompactDeps extends SummaryDeps {
  /**
   * Returns what the model must not lose with the part that goes: files it worked with, open work (docs/spec.md F5).
   * Never fails.
   */
  readonly restore: (
    gone: readonly Message[],
    kept: readonly Message[],
    signal: AbortSignal,
  ) => Promise<readonly Restored[]>;
  /** The hooks that are asked before a summary and told after it. Never fail. */
  readonly hooks?: CompactHooks | undefined;
}

/** The hooks around a summary. */
export interface CompactHooks {
  /** Returns why it must not be made now; null when it may. `focus` is what a person wants kept. */
  before(
    trigger: CompactionTrigger,
    focus: string | undefined,
    signal: AbortSignal,
  ): Promise<string | null>;
  after(trigger: CompactionTrigger, summary: string, signal: AbortSignal): Promise<void>;
}

export interface CompactOptions {
  /** The reason for it. */
  readonly trigger: CompactionTrigger;
  /** The size of the context before; written down with the compaction. */
  readonly tokensBefore: number;
  /** The things that a person wants kept above all. */
  readonly focus?: string | undefined;
}

/** The outcome of a compaction. `why` is for a person. */
export type CompactOutcome =
  | { readonly kind: 'compacted'; readonly tokensAfter: number; readonly summary: string }
  | { readonly kind: 'aborted' }
  | {
      readonly kind: 'failed';
      readonly why: string;
      /** A hook of the person refused it: nothing is broken. */
      readonly refused?: boolean;
    };

/** The reason where there is nothing to do. */
const NOTHING_TO_SUMMARISE = 'There is nothing left to summarise.';

/** Tells whether the conversation since the last boundary has a part that a summary could replace. */
export const canCompact = (history: readonly Message[]): boolean =>
  isSplit(splitForSummary(sinceBoundary(history)));

const isSplit = ({ head }: Split): boolean => head.some((message) => message.role !== 'boundary');

/**
 * Replaces the older part of what is sent by a summary that the model writes (docs/spec.md F5): boundary,
 * summary, recent tail, and behind it what must not be forgotten. Yields the events to be recorded: its beginning and
 * end, retries, the cost of the request, and `compacted`. Nothing changes when it fails. Never throws.
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

/** Turns a defect into a failure like any other: the conversation must go on as it was. */
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
