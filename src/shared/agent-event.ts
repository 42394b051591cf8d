import { z } from 'zod';
import { AgentColor } from './agent-color';
import { ChangeCause } from './checkpoint';
import { ContextEdit } from './context-edit';
import { Spend } from './facts';
import { HookReport } from './hooks';
import type { LiveEvent } from './live-event';
import {
  AssistantBlock,
  ClearedByApi,
  ImageBlock,
  ResultContent,
  Usage,
  UserBlock,
} from './message';
import { ModelChanged, Refusal } from './model-name';
import { PermissionDenial, PermissionMode } from './permission';
import { QueueChanged } from './queued-prompt';
import { Task } from './task';
import { CallStatus, CallTitle, DeferredCall, ToolView } from './tool-call';
import { ApiFailure, CompactionTrigger, ContinueReason, EndReason } from './turn';

/** The code of the notice that a disk takes no more lines of a log. */
export const LOG_WRITE_FAILED = 'log_write_failed';
/** The code of the notice that it takes them again. */
export const LOG_WRITE_RECOVERED = 'log_write_recovered';

/** The version of the session log. A log with a higher one is refused with a clear message. */
export const LOG_VERSION = 1;

/** The id of the agent every session begins with. Sub-agents have ids of their own. */
export const MAIN_AGENT = 'main';

/** A sub-agent, as its parent's log describes it. */
export const SubAgentInfo = z.object({
  id: z.string(),
  /** The agent it works for. */
  parentId: z.string(),
  /** The call that started it; '' where none did, as for the agent of a hook. */
  callId: z.string(),
  /** The name of its definition, e.g. `Explore`. */
  type: z.string(),
  /** Its work in a few words, for people. */
  title: z.string(),
  /** The name that messages reach it by, where it was given one. */
  name: z.string().optional(),
  color: AgentColor.optional(),
  background: z.boolean().optional(),
  /** The worktree it works in, when it has one of its own. */
  worktree: z
    .object({
      /** Absolute. */
      path: z.string(),
      branch: z.string(),
      /** The commit it began at. */
      base: z.string(),
    })
    .optional(),
});
export type SubAgentInfo = z.infer<typeof SubAgentInfo>;

/** The end of a sub-agent. */
export const SubAgentEnd = z.enum(['completed', 'failed', 'cancelled']);
export type SubAgentEnd = z.infer<typeof SubAgentEnd>;

/** Limits of a query: API round trips, and dollars. */
export const QueryLimits = z.object({
  maxTurns: z.number().int().min(1).nullable(),
  maxBudgetUsd: z.number().positive().nullable(),
  /** The session goes on when the money of the day is spent. */
  overDay: z.boolean().exactOptional(),
});
export type QueryLimits = z.infer<typeof QueryLimits>;

/** A change of limits; what is left out stays. */
export const LimitsChange = QueryLimits.partial();
export type LimitsChange = z.infer<typeof LimitsChange>;

/** The amount of thinking: as the model likes, as little as it can, or up to a number of tokens. */
export const ThinkingMode = z.union([
  z.enum(['adaptive', 'disabled']),
  z.object({ budgetTokens: z.number().int().min(1) }),
]);
export type ThinkingMode = z.infer<typeof ThinkingMode>;

/** A summary that waits for a user. Sizes are tokens. */
export const SummaryDraft = z.object({
  id: z.string(),
  summary: z.string(),
  /** Ids of the messages that it would replace. */
  removed: z.array(z.string()),
  tokensBefore: z.number(),
  tokensAfter: z.number(),
});
export type SummaryDraft = z.infer<typeof SummaryDraft>;

export const NoticeLevel = z.enum(['info', 'warning', 'error']);
export type NoticeLevel = z.infer<typeof NoticeLevel>;

/**
 * Events that are written to the session's log; together they are the session.
 * Everything a crash must not lose is here and nothing else.
 */
export const DurableEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('session_started'),
    version: z.number(),
    cwd: z.string(),
    createdAt: z.number(),
    /** The session this one was forked from. */
    parent: z.string().optional(),
    demo: z.boolean().optional(),
  }),
  z.object({ type: z.literal('title_changed'), title: z.string() }),
  /** Null: it has none any more. */
  z.object({ type: z.literal('color_changed'), color: AgentColor.nullable() }),
  ModelChanged,
  z.object({ type: z.literal('effort_changed'), effort: z.string() }),
  /** Somebody chose how much the model thinks: a user, settings or the command line. */
  z.object({ type: z.literal('thinking_changed'), thinking: ThinkingMode }),
  z.object({ type: z.literal('mode_changed'), mode: PermissionMode }),
  /** Limits of turns and money were set for every query from now on; null: none. */
  z.object({ type: z.literal('limits_changed'), limits: QueryLimits }),
  QueueChanged,
  z.object({ type: z.literal('query_started'), queryId: z.string() }),
  z.object({
    type: z.literal('user_message'),
    id: z.string(),
    content: z.array(UserBlock),
    synthetic: z.boolean().optional(),
  }),
  z.object({
    type: z.literal('attachment'),
    id: z.string(),
    kind: z.string(),
    text: z.string(),
    /** Its subject (a path, a threshold), so that the same is not told twice. */
    about: z.string().optional(),
    images: z.array(ImageBlock).optional(),
  }),
  /** One block of an answer is complete. Written at once, so that a call that ran is never forgotten. */
  z.object({
    type: z.literal('block_finished'),
    messageId: z.string(),
    model: z.string(),
    index: z.number(),
    block: AssistantBlock,
  }),
  /** A hook had something else shown in place of a text, which stays as it is for the model. */
  z.object({
    type: z.literal('text_replaced'),
    messageId: z.string(),
    index: z.number(),
    text: z.string(),
  }),
  z.object({
    type: z.literal('message_finished'),
    messageId: z.string(),
    model: z.string(),
    stopReason: z.string().nullable(),
    usage: Usage,
    costUsd: z.number(),
    /** From request to first content, in milliseconds. */
    ttftMs: z.number().optional(),
    /** Output tokens a second. */
    tokensPerSecond: z.number().optional(),
    /** The API was asked to clear old results of the request. */
    cleared: ClearedByApi.optional(),
    /** Why the model declined, where it did and the API says so. */
    refusal: Refusal.optional(),
  }),
  /** A call has its result. `content` is what the model gets. */
  z.object({
    type: z.literal('call_settled'),
    callId: z.string(),
    tool: z.string(),
    title: CallTitle,
    status: CallStatus,
    content: z.array(ResultContent),
    isError: z.boolean(),
    view: ToolView.nullable(),
    durationMs: z.number(),
  }),
  /** The agent found deferred tools: their definitions are sent from now on. */
  z.object({ type: z.literal('tools_found'), names: z.array(z.string()) }),
  z.object({
    type: z.literal('approval_answered'),
    approvalId: z.string(),
    callId: z.string(),
    behavior: z.enum(['allow', 'deny']),
    rule: z.string().optional(),
  }),
  z.object({
    type: z.literal('compacted'),
    id: z.string(),
    trigger: CompactionTrigger.optional(),
    summary: z.string(),
    /** Ids of messages removed from what is sent. */
    removed: z.array(z.string()),
    tokensBefore: z.number(),
    tokensAfter: z.number(),
    /** The summary was written beside the work, before it was needed. */
    ahead: z.literal(true).optional(),
    /** The API wrote it: its block, to be sent back as it is. */
    block: z.record(z.string(), z.unknown()).optional(),
  }),
  /** A user wants a message kept word for word, or no longer so. */
  z.object({ type: z.literal('message_pinned'), messageId: z.string(), pinned: z.boolean() }),
  /** A summary was written for a user to look at and change; null: they want none of it. Nothing is replaced yet. */
  z.object({ type: z.literal('summary_drafted'), draft: SummaryDraft.nullable() }),
  /** A user took a summary back: what it had replaced is sent again. */
  z.object({ type: z.literal('compaction_undone'), id: z.string() }),
  /** A program began the conversation anew: nothing of before is sent any more. `promptId`: its request, where it has an id. */
  z.object({ type: z.literal('conversation_cleared'), promptId: z.string().nullable() }),
  /** A layer of the context pipeline changed what is sent; `freed` and `counted` are tokens. */
  z.object({
    type: z.literal('context_edited'),
    layer: z.string(),
    edits: z.array(ContextEdit),
    freed: z.number(),
    /** The part of `freed` that the API counted already. */
    counted: z.number(),
  }),
  /** An answer that was cut and replaced (fallback, retry). It stays in the log and leaves the history. */
  z.object({
    type: z.literal('tombstone'),
    messageId: z.string(),
    reason: z.string(),
    /** Calls of that answer that leave with it. None of them was run. */
    calls: z.array(z.string()).optional(),
  }),
  /**
   * A user went back to before one of their prompts: from here on neither it nor what came after it is sent or
   * shown. The log keeps all of it, and another session can be made of it.
   */
  z.object({
    type: z.literal('rewound'),
    id: z.string(),
    promptId: z.string(),
    /** The prompt's words, for people. */
    text: z.string(),
    /** The restore by which files went back with it. */
    restored: z.string().optional(),
  }),
  /** Files changed, and how they were before is kept under `id`. Told in the log of the session, whichever agent's call it was. */
  z.object({
    type: z.literal('files_changed'),
    id: z.string(),
    cause: ChangeCause,
    /** Paths that changed. */
    count: z.number(),
    /** The first of them. */
    paths: z.array(z.string()),
  }),
  /** A request beside the conversation (a summary, a title) is done; its cost counts like any other. */
  z.object({
    type: z.literal('side_call'),
    purpose: z.string(),
    model: z.string(),
    usage: Usage,
    costUsd: z.number(),
    durationMs: z.number(),
    /** The tool that asked, when one did. */
    tool: z.string().optional(),
  }),
  /** The loop goes round once more, and why. */
  z.object({ type: z.literal('continued'), reason: ContinueReason }),
  /** A request that had failed was answered, on which try; `reason` is the last failure, for a user. */
  z.object({ type: z.literal('retried'), reason: z.string(), attempt: z.number() }),
  z.object({
    type: z.literal('query_finished'),
    queryId: z.string(),
    terminal: EndReason,
    /** The final text, or what went wrong, for a user. */
    text: z.string(),
    turns: z.number(),
    usage: Usage,
    costUsd: z.number(),
    durationMs: z.number(),
    /** Time spent waiting for the API. */
    apiMs: z.number(),
    denials: z.array(PermissionDenial),
    stopReason: z.string().nullable(),
    /** A hook put it off, and the query ended there. */
    deferred: DeferredCall.optional(),
    /** The API failed it. */
    failure: ApiFailure.optional(),
    /** Lathe ended while it ran. */
    cut: z.literal(true).optional(),
  }),
  /** A request waits for long before its next try: until when, epoch milliseconds, and why. */
  z.object({ type: z.literal('long_wait'), until: z.number(), reason: z.string() }),
  z.object({
    type: z.literal('notice'),
    level: NoticeLevel,
    code: z.string(),
    text: z.string(),
    fix: z.string().optional(),
  }),
  /**
   * A task runs. Told once more when it goes on in the background without the call that started it. `memo` is what its
   * runner needs to take it up again after a restart.
   */
  z.object({ type: z.literal('task_started'), task: Task, memo: z.unknown().optional() }),
  z.object({ type: z.literal('task_settled'), task: Task }),
  /** A call was refused by a rule, a hook, the automatic mode or a user. */
  z.object({ type: z.literal('call_denied'), denial: PermissionDenial }),
  /** A sub-agent begins, or one that had ended takes up a further message under its old id. */
  z.object({ type: z.literal('agent_started'), agent: SubAgentInfo }),
  /** A sub-agent ended; `spend` is all it used, by model, its own sub-agents left out. */
  z.object({
    type: z.literal('agent_settled'),
    agentId: z.string(),
    status: SubAgentEnd,
    spend: z.record(z.string(), Spend),
  }),
  /** A hook ran. Written down whatever came of it; the conversation shows what is worth a line. */
  z.object({ type: z.literal('hook_settled'), report: HookReport }),
]);
export type DurableEvent = z.infer<typeof DurableEvent>;

/** Everything that can happen in a session. */
export type AgentEvent = DurableEvent | LiveEvent;

/**
 * An event with its place. `seq` grows by one from 1 within an epoch (one run of a session in one process);
 * `at` is epoch milliseconds.
 */
export interface Stamped<E extends AgentEvent = AgentEvent> {
  readonly sessionId: string;
  /** The agent it happened to. */
  readonly agentId: string;
  readonly epoch: string;
  readonly seq: number;
  readonly at: number;
  readonly event: E;
}
