import type { ContextParts, NoticeLevel, QueuedPrompt } from './agent-event';
import type { HookReport, RunningHook } from './hooks';
import type { Usage } from './message';
import type { Approval, PermissionMode } from './permission';
import type { Task } from './task';
import type { CallStatus, CallTitle, ToolView } from './tool-call';
import type { CompactionTrigger, Terminal } from './turn';

/** One row of the conversation. Ids are stable, so a list can key on them. */
export type Item =
  | { readonly kind: 'prompt'; readonly id: string; readonly text: string; readonly at: number }
  | { readonly kind: 'text'; readonly id: string; readonly text: string; readonly done: boolean }
  | {
      readonly kind: 'thinking';
      readonly id: string;
      readonly text: string;
      readonly done: boolean;
    }
  | CallItem
  | {
      readonly kind: 'divider';
      readonly id: string;
      readonly level: NoticeLevel;
      readonly code: string;
      readonly text: string;
      readonly fix?: string;
    }
  | { readonly kind: 'hook'; readonly id: string; readonly report: HookReport }
  | {
      readonly kind: 'end';
      readonly id: string;
      readonly terminal: Terminal;
      readonly text: string;
      readonly turns: number;
      readonly costUsd: number;
      readonly durationMs: number;
    };

/** One tool use on screen. Its id is the call's. */
export interface CallItem {
  readonly kind: 'call';
  readonly id: string;
  readonly tool: string;
  readonly title: CallTitle;
  readonly status: CallStatus;
  readonly view: ToolView | null;
  /** Epoch milliseconds. */
  readonly startedAt?: number;
  readonly durationMs?: number;
  /** The text the model got, when the call failed or was refused. */
  readonly error?: string;
}

/**
 * A request failed and is tried again: the pause before that, which ends at `until` (epoch milliseconds), and the
 * next try itself, until the model answers.
 */
export interface Waiting {
  readonly reason: string;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly until: number;
}

/** A summary that is being written, since when (epoch milliseconds) and of how many tokens. */
export interface Compacting {
  readonly trigger: CompactionTrigger;
  readonly startedAt: number;
  readonly tokensBefore: number;
}

/**
 * The picture of one session, folded from its events. `committed` only changes identity when a query ends;
 * what moves while a query runs is in `active`.
 */
export interface Transcript {
  readonly sessionId: string;
  readonly epoch: string;
  /** The last event folded in. */
  readonly seq: number;
  readonly cwd: string;
  readonly createdAt: number;
  readonly demo: boolean;
  readonly title: string;
  readonly model: string;
  readonly effort: string;
  readonly mode: PermissionMode;
  readonly committed: readonly Item[];
  readonly active: readonly Item[];
  readonly running: {
    readonly queryId: string;
    readonly startedAt: number;
    readonly turn: number;
  } | null;
  readonly waiting: Waiting | null;
  /** A summary of the conversation is being written. */
  readonly compacting: Compacting | null;
  /** Since when the model has been silent (epoch milliseconds), when that is worth saying. */
  readonly silentSince: number | null;
  readonly approvals: readonly Approval[];
  /** The hooks that run right now. */
  readonly hooks: readonly RunningHook[];
  readonly queue: readonly QueuedPrompt[];
  readonly tasks: readonly Task[];
  readonly usage: Usage;
  readonly costUsd: number;
  /** As the last answer counted it. `windowTokens` is 0 until a request has told. */
  readonly context: {
    readonly usedTokens: number;
    readonly windowTokens: number;
    /** Absent until a request has told. */
    readonly parts?: ContextParts;
    /** From how many tokens on the conversation is summarised by itself; null: never. */
    readonly compactAt?: number | null;
  } | null;
  /** Of the last finished request. */
  readonly tokensPerSecond: number | null;
  /** Of the last finished request: from sending to first content, in milliseconds. */
  readonly ttftMs: number | null;
}

export const NO_USAGE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
};

/** Sums two usages. */
export const addUsage = (a: Usage, b: Usage): Usage => ({
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
  cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
});

/** The picture of a session in which nothing has happened. */
export const emptyTranscript = (sessionId: string, epoch: string): Transcript => ({
  sessionId,
  epoch,
  seq: 0,
  cwd: '',
  createdAt: 0,
  demo: false,
  title: '',
  model: '',
  effort: '',
  mode: 'default',
  committed: [],
  active: [],
  running: null,
  waiting: null,
  compacting: null,
  silentSince: null,
  approvals: [],
  hooks: [],
  queue: [],
  tasks: [],
  usage: NO_USAGE,
  costUsd: 0,
  context: null,
  tokensPerSecond: null,
  ttftMs: null,
});

/** All rows, oldest first. */
export const allItems = (t: Transcript): readonly Item[] =>
  t.active.length === 0 ? t.committed : [...t.committed, ...t.active];

/** Tokens of a request and its answer: what of the window the next request will need at least. */
export const windowShare = (usage: Usage): number =>
  usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens;

/** The key of the row that shows one block of an answer. */
export const blockItemId = (messageId: string, index: number): string => `${messageId}:${index}`;
