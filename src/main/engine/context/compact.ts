import type { AgentEvent, SummaryDraft } from '../../../shared/agent-event';
import type { Message } from '../../../shared/message';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { CompactionTrigger } from '../../../shared/turn';
import { sinceBoundary } from '../messages/normalize';
import { keptWords, type Restored } from './kept-words';
import {
  type ReplacingSummary,
  type Split,
  type SummaryDeps,
  splitBefore,
  splitBehind,
  splitForSummary,
  summarise,
  type WrittenSummary,
} from './summarise';
import { messagesTokens, prefixTokens, textTokens } from './tokens';

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
  /** Returns why it must not be made now; null when it may. `focus` is what a user wants kept. */
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
  /** The things that a user wants kept above all. */
  readonly focus?: string | undefined;
  /** Returns a summary that was written ahead, with what it replaces; null: there is none. Never fails. */
  readonly ahead?: (
    sent: readonly Message[],
    signal: AbortSignal,
  ) => Promise<ReplacingSummary | null>;
}

/** The outcome of a compaction. `why` is for a user. */
export type CompactOutcome =
  | { readonly kind: 'compacted'; readonly tokensAfter: number; readonly summary: string }
  | { readonly kind: 'aborted' }
  | {
      readonly kind: 'failed';
      readonly why: string;
      /** A hook of the user refused it: nothing is broken. */
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
    ...(outcome.kind === 'failed' ? { why: outcome.why } : {}),
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
  split: Split,
  options: CompactOptions,
  deps: CompactDeps,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, CompactOutcome> {
  const { trigger, tokensBefore, focus } = options;
  const ahead = (await options.ahead?.([...split.head, ...split.tail], signal)) ?? null;
  if (signal.aborted) return { kind: 'aborted' };
  if (ahead !== null) {
    const replacing = { trigger, tokensBefore, isAhead: true };
    return yield* replaceBy(ahead.written, ahead.split, replacing, deps, signal);
  }
  const written = yield* summarise(split.head, focus, deps, signal);
  if (written.kind === 'aborted') return written;
  if (written.kind !== 'summary') return { kind: 'failed', why: written.why };
  return yield* replaceBy(written, split, { trigger, tokensBefore }, deps, signal);
}

/** The facts of a replacement that its event tells. */
interface Replacing extends Pick<CompactOptions, 'trigger' | 'tokensBefore'> {
  /** The summary was written ahead. */
  readonly isAhead?: boolean;
}

/** Puts a summary in the place of a head. */
async function* replaceBy(
  { text, prefix, block }: WrittenSummary,
  { head, tail }: Split,
  { trigger, tokensBefore, isAhead = false }: Replacing,
  deps: CompactDeps,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, CompactOutcome> {
  const kept = keptWords(head, deps.pinned());
  const restored = [...kept, ...(await deps.restore(head, tail, signal))];
  if (signal.aborted) return { kind: 'aborted' };
  const texts = [text, ...restored.map((fact) => fact.text)];
  const tokensAfter = prefix + messagesTokens(tail) + sumOf(texts);
  yield {
    type: 'compacted',
    id: deps.ids.next('cmp'),
    trigger,
    summary: text,
    removed: head.map((message) => message.id),
    tokensBefore,
    tokensAfter,
    ...(block === undefined ? {} : { block: { ...block } }),
    ...(isAhead ? { ahead: true as const } : {}),
  };
  for (const fact of restored) yield { type: 'attachment', id: deps.ids.next('att'), ...fact };
  return { kind: 'compacted', tokensAfter, summary: text };
}

const sumOf = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + textTokens(text), 0);

/** Options of a summary that a user looks at. */
interface DraftOptions extends Pick<CompactOptions, 'tokensBefore' | 'focus'> {
  /** The id of the first message that stays as it is; by default as many stay as the share for the newest allows. */
  readonly until?: string | undefined;
}

/**
 * Has the model write a summary for a user to look at; nothing is replaced. Yields the events to record, the draft among
 * them.
 */
export async function* draftSummary(
  history: readonly Message[],
  { tokensBefore, focus, until }: DraftOptions,
  deps: CompactDeps,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, Result<SummaryDraft>> {
  const sent = sinceBoundary(history);
  const split = until === undefined ? splitForSummary(sent) : splitBefore(sent, until);
  if (split === null) return err(NO_PLACE);
  const { head, tail } = split;
  if (!isSplit({ head, tail })) return err(fault('nothing_to_summarise', NOTHING_TO_SUMMARISE));
  const written = yield* summarise(head, focus, deps, signal);
  if (written.kind === 'aborted') return err(fault('aborted', 'It was stopped.'));
  if (written.kind !== 'summary') return err(fault('no_summary', written.why));
  const draft: SummaryDraft = {
    id: deps.ids.next('cmp'),
    summary: written.text,
    removed: head.map(({ id }) => id),
    tokensBefore,
    tokensAfter: written.prefix + messagesTokens(tail) + textTokens(written.text),
  };
  yield { type: 'summary_drafted', draft };
  return ok(draft);
}

const NO_PLACE = fault(
  'gone',
  'A summary cannot end at that message: it is not sent any more, or calls before it have no result.',
  'Choose a later message.',
);

/** Puts a draft, as the user changed it, in the place of what it is about; what was said since stays behind it. */
export async function* applyDraft(
  history: readonly Message[],
  draft: SummaryDraft,
  deps: CompactDeps,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, CompactOutcome> {
  const sent = sinceBoundary(history);
  const split = splitBehind(sent, draft.removed);
  if (split === null) {
    return { kind: 'failed', why: 'The conversation has changed since it was written.' };
  }
  const prefix = prefixTokens(await deps.buildRequest(split.tail, signal));
  const { summary: text, tokensBefore } = draft;
  return yield* replaceBy(
    { text, prefix },
    split,
    { trigger: 'manual', tokensBefore },
    deps,
    signal,
  );
}
