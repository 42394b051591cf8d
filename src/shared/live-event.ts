import type { RunningHook } from './hooks';
import type { Approval } from './permission';
import type { PlanLimits } from './plan-limits';
import type { Task } from './task';
import type { TerminalSequences } from './terminal-signal';
import type { CallStatus, CallTitle, ToolView } from './tool-call';
import type { CompactionTrigger } from './turn';

/** The tokens of the context by category: estimates whose sum is what is used. */
export interface ContextParts {
  readonly system: number;
  readonly tools: number;
  /** Memory files, date and place: what stands in front of the conversation. */
  readonly memory: number;
  readonly messages: number;
}

/** Events that only matter while they happen; a reload gets their effect from the snapshot. */
export type LiveEvent =
  | { readonly type: 'turn_started'; readonly queryId: string; readonly turn: number }
  | { readonly type: 'message_started'; readonly messageId: string; readonly model: string }
  | {
      readonly type: 'block_started';
      readonly messageId: string;
      readonly index: number;
      readonly kind: 'text' | 'thinking' | 'tool_use' | 'other';
      /** Of a text: what is shown of it comes by `text_shown`, when hooks have answered. */
      readonly held?: true;
      /** For `tool_use`. */
      readonly callId?: string;
      readonly tool?: string;
    }
  | {
      readonly type: 'block_delta';
      readonly messageId: string;
      readonly index: number;
      readonly text: string;
    }
  /** More of a text that was held is shown; `isFinal`: that is all of it. */
  | {
      readonly type: 'text_shown';
      readonly messageId: string;
      readonly index: number;
      readonly text: string;
      readonly isFinal: boolean;
    }
  /** The API's rough count of `tokens` more of a thought that it does not show. */
  | {
      readonly type: 'thinking_counted';
      readonly messageId: string;
      readonly index: number;
      readonly tokens: number;
    }
  | {
      readonly type: 'call_changed';
      readonly callId: string;
      readonly tool: string;
      readonly title: CallTitle;
      readonly status: CallStatus;
      readonly view: ToolView | null;
      /** The time it began to run, epoch milliseconds. */
      readonly startedAt?: number;
    }
  | { readonly type: 'approval_requested'; readonly approval: Approval }
  | { readonly type: 'approval_withdrawn'; readonly approvalId: string }
  | {
      readonly type: 'retry_waiting';
      readonly attempt: number;
      readonly maxAttempts: number;
      readonly delayMs: number;
      readonly reason: string;
      /** The reason, as the ecosystem names it (docs/hooks.md), and the HTTP status if there was an answer. */
      readonly error?: string;
      readonly status?: number;
    }
  | { readonly type: 'retry_ended' }
  | { readonly type: 'stalled'; readonly silentMs: number }
  /** A summary is being written; `compaction_ended` comes whatever becomes of it. Tokens. */
  | {
      readonly type: 'compaction_started';
      readonly trigger: CompactionTrigger;
      readonly tokensBefore: number;
    }
  | {
      readonly type: 'compaction_ended';
      readonly trigger: CompactionTrigger;
      readonly outcome: 'compacted' | 'failed' | 'aborted';
      /** The reason it failed. */
      readonly why?: string;
      readonly tokensBefore: number;
      /** As before where nothing was replaced. */
      readonly tokensAfter: number;
    }
  /** Tells the limits of the plan that pays, by the newest answer. */
  | { readonly type: 'plan_limits'; readonly limits: PlanLimits }
  /** A sign-in to the provider of the model goes on, or has ended; `output` is all that its command printed, by lines. */
  | {
      readonly type: 'auth_status';
      readonly isAuthenticating: boolean;
      readonly output: readonly string[];
      /** The reason why it failed. */
      readonly error?: string;
    }
  | { readonly type: 'cwd_changed'; readonly cwd: string }
  | { readonly type: 'status_line'; readonly text: string }
  | { readonly type: 'hook_started'; readonly hook: RunningHook }
  /** A hook that was waited for goes on without anybody waiting. */
  | { readonly type: 'hook_backgrounded'; readonly hookId: string }
  /** A hook gives the user a signal, as a terminal would. */
  | ({ readonly type: 'terminal_signals' } & TerminalSequences)
  /** The output so far of a command that runs as a hook, cut at its limit. */
  | {
      readonly type: 'hook_progress';
      readonly hook: RunningHook;
      readonly stdout: string;
      readonly stderr: string;
    }
  /** A tool server says that what it sent the user to an address for is done. */
  | {
      readonly type: 'elicitation_completed';
      readonly server: string;
      readonly elicitationId: string;
    }
  | { readonly type: 'task_changed'; readonly task: Task }
  | { readonly type: 'task_evicted'; readonly taskId: string }
  | {
      readonly type: 'context_changed';
      readonly usedTokens: number;
      readonly windowTokens: number;
      readonly parts?: ContextParts;
      /** From how many tokens on the conversation is summarised by itself; null: never. */
      readonly compactAt?: number | null;
    };
