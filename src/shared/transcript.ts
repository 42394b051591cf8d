import type { AgentColor } from './agent-color';
import {
  MAIN_AGENT,
  type NoticeLevel,
  type QueryLimits,
  type SubAgentEnd,
  type SubAgentInfo,
  type SummaryDraft,
  type ThinkingMode,
} from './agent-event';
import { type Costs, NO_COSTS, type QueryFacts } from './facts';
import type { HookReport, RunningHook } from './hooks';
import type { ContextParts } from './live-event';
import type { ClearedByApi, Usage } from './message';
import type { CarriedText } from './paste';
import type { Approval, PermissionDenial, PermissionMode } from './permission';
import type { PlanLimits } from './plan-limits';
import type { QueuedPrompt } from './queued-prompt';
import type { Task } from './task';
import type { CallStatus, CallTitle, TodoItem, ToolView } from './tool-call';
import type { CompactionTrigger, EndReason } from './turn';

/** One row of the conversation. Ids are stable, so a list can key on them. */
export type Item =
  | {
      readonly kind: 'prompt';
      readonly id: string;
      readonly text: string;
      readonly at: number;
      /** Images it carries. */
      readonly images?: number;
      /** The pasted texts and files it carries. */
      readonly pastes?: readonly CarriedText[];
    }
  | {
      readonly kind: 'text';
      readonly id: string;
      readonly text: string;
      readonly done: boolean;
      /** Hooks have yet to say what else of it is shown. */
      readonly held?: true;
    }
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
      /** The rewind it tells of: what was left behind can be opened as another session. */
      readonly rewind?: string;
      /** The summary it tells of, which can be looked at and taken back. */
      readonly summary?: string;
      /** The restore of files that it tells of, until that is taken back; `took` are the changes it took back. */
      readonly restored?: { readonly id: string; readonly took: readonly string[] };
    }
  | { readonly kind: 'hook'; readonly id: string; readonly report: HookReport }
  | {
      readonly kind: 'end';
      readonly id: string;
      readonly terminal: EndReason;
      readonly text: string;
      readonly turns: number;
      readonly costUsd: number;
      readonly durationMs: number;
      /** The name of the failure of the API that ended it. */
      readonly failure?: string;
      /** Lathe ended while it ran. */
      readonly cut?: true;
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
  /** The input received so far: its beginning, for the title, and the length of all of it in characters. */
  readonly received?: { readonly json: string; readonly chars: number };
  /** The text the model got, when the call failed or was refused. */
  readonly error?: string;
  /** The files it changed, as checkpoints have them; absent when it changed none. */
  readonly changed?: CallChanges;
}

/** The changes of files by one call. */
interface CallChanges {
  readonly ids: readonly string[];
  /** Paths. */
  readonly count: number;
  /** They were taken back. */
  readonly undone?: true;
}

/**
 * A request failed and is tried again: the pause before that, which ends at `until` (epoch milliseconds), and the
 * next try itself, until the model answers.
 */
interface Waiting {
  readonly reason: string;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly until: number;
}

/** The work of one layer of the context. */
interface LayerWork {
  readonly acts: number;
  /** Tokens. */
  readonly freed: number;
}

/** A summary that is being written, since when (epoch milliseconds) and of how many tokens. */
export interface Compacting {
  readonly trigger: CompactionTrigger;
  readonly startedAt: number;
  readonly tokensBefore: number;
}

/**
 * The picture of one agent, folded from its events. `committed` holds ended queries and the ended turns of the
 * running one; its identity stays the same within a turn. What still changes is in `active`.
 */
export interface AgentTranscript {
  readonly model: string;
  readonly effort: string;
  readonly mode: PermissionMode;
  /** The amount of thinking; null while nobody chose: as much as the model likes. */
  readonly thinking: ThinkingMode | null;
  /** The limits that a user or settings set; null while nobody set any. */
  readonly limits: QueryLimits | null;
  /** The working directory of its shell calls; empty until a call changed it. */
  readonly shellCwd: string;
  readonly committed: readonly Item[];
  readonly active: readonly Item[];
  readonly running: {
    readonly queryId: string;
    readonly startedAt: number;
    readonly turn: number;
  } | null;
  /** The spend and progress of the running query, or of the last one. */
  readonly query: QueryFacts | null;
  /** API round trips of the queries that ended. */
  readonly roundTrips: number;
  /** Prompts that were answered. */
  readonly promptsAnswered: number;
  readonly todos: readonly TodoItem[];
  /** The plan the user approved last; null when there is none. */
  readonly plan: string | null;
  /** A summary that waits for the user to look at it. */
  readonly draft: SummaryDraft | null;
  /** The work of each layer of the context so far: how often it acted, and the tokens it freed. */
  readonly layers: Readonly<Record<string, LayerWork>>;
  /** The parts that the API itself left out of the newest request; null: none. */
  readonly cleared: ClearedByApi | null;
  /** The messages that a user wants kept word for word, {@link MAX_PINS} at most. */
  readonly pins: readonly string[];
  /** The names of deferred tools that it found, in the order in which it found them. */
  readonly foundTools: readonly string[];
  readonly waiting: Waiting | null;
  /** A summary of the conversation is being written. */
  readonly compacting: Compacting | null;
  /** Since when the model has been silent (epoch milliseconds), when that is worth saying. */
  readonly silentSince: number | null;
  /** The hooks that run right now. */
  readonly hooks: readonly RunningHook[];
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

/** A sub-agent of the session. */
export interface SubAgent extends SubAgentInfo {
  readonly status: 'running' | SubAgentEnd;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly endedAt?: number;
  /** Null when it is no longer kept here: its log has it. */
  readonly transcript: AgentTranscript | null;
}

/** A question that stands, and the agent whose call it is about. */
export type PendingApproval = Approval & { readonly agentId: string };

/** The picture of one session: its main agent, and what belongs to no agent alone. */
export interface Transcript extends AgentTranscript {
  readonly sessionId: string;
  readonly epoch: string;
  /** The last event folded in. */
  readonly seq: number;
  /** The project folder. */
  readonly cwd: string;
  readonly createdAt: number;
  readonly demo: boolean;
  readonly title: string;
  /** The colour it is marked with in lists; null: it has none any more. Absent: it never had one. */
  readonly color?: AgentColor | null;
  /** Sub-agents in the order they were started. */
  readonly agents: readonly SubAgent[];
  readonly approvals: readonly PendingApproval[];
  readonly queue: readonly QueuedPrompt[];
  readonly tasks: readonly Task[];
  readonly costs: Costs;
  /** Calls that were refused, oldest first; the newest {@link MAX_DENIALS} of them. */
  readonly denials: readonly PermissionDenial[];
  /** Says that the conversation cannot be saved at the moment, and what helps; null when it can. */
  readonly unsaved: string | null;
  /** The line that the user's own command prints for the status bar; '': none. */
  readonly statusLine: string;
  /** The title that a hook gave the window while it shows the session; absent or '': none. */
  readonly windowTitle?: string;
  /** The limits of the plan that pays, by the newest answer that told them. Absent: none did. */
  readonly planLimits?: PlanLimits;
}

/** The most messages that are kept word for word. */
export const MAX_PINS = 50;

/** The most refused calls that are listed. */
export const MAX_DENIALS = 1000;

/** The picture of an agent to which nothing has happened. */
export const EMPTY_AGENT: AgentTranscript = {
  model: '',
  effort: '',
  thinking: null,
  mode: 'default',
  limits: null,
  shellCwd: '',
  committed: [],
  active: [],
  running: null,
  query: null,
  roundTrips: 0,
  promptsAnswered: 0,
  todos: [],
  plan: null,
  draft: null,
  layers: {},
  cleared: null,
  pins: [],
  foundTools: [],
  waiting: null,
  compacting: null,
  silentSince: null,
  hooks: [],
  context: null,
  tokensPerSecond: null,
  ttftMs: null,
};

/** Returns the picture of a session in which nothing has happened. */
export const emptyTranscript = (sessionId: string, epoch: string): Transcript => ({
  ...EMPTY_AGENT,
  sessionId,
  epoch,
  seq: 0,
  cwd: '',
  createdAt: 0,
  demo: false,
  title: '',
  agents: [],
  approvals: [],
  queue: [],
  tasks: [],
  costs: NO_COSTS,
  denials: [],
  unsaved: null,
  statusLine: '',
});

/** Returns the picture of one agent of the session; null when it is not kept here. */
export const transcriptOfAgent = (t: Transcript, agentId: string): AgentTranscript | null =>
  agentId === MAIN_AGENT ? t : (t.agents.find(({ id }) => id === agentId)?.transcript ?? null);

/** Returns all rows, oldest first. */
export const allItems = (t: AgentTranscript): readonly Item[] =>
  t.active.length === 0 ? t.committed : [...t.committed, ...t.active];

/** Tokens of a request and its answer: what of the window the next request will need at least. */
export const windowShare = (usage: Usage): number =>
  usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens;

/** Returns the key of the row that shows one block of an answer. */
export const blockItemId = (messageId: string, index: number): string => `${messageId}:${index}`;
