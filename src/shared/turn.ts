import { z } from 'zod';

/** The reason a query ended. */
export const EndReason = z.enum([
  'completed',
  'max_turns',
  'max_budget',
  'blocking_limit',
  'prompt_too_long',
  'image_error',
  'model_error',
  'aborted_streaming',
  'aborted_tools',
  'stop_hook_prevented',
  'hook_stopped',
  'tool_deferred',
  'tool_deferred_unavailable',
  'repeated_calls',
]);
export type EndReason = z.infer<typeof EndReason>;

/** A failure of the API that ended a query: by its name (docs/hooks.md), and with the status of the answer, if there was one. */
export const ApiFailure = z.object({ error: z.string(), status: z.number().optional() });
export type ApiFailure = z.infer<typeof ApiFailure>;

/** The reason the loop goes round once more, or a query goes on where a limit, the end of Lathe or a failure stopped one. */
export const ContinueReason = z.enum([
  'next_turn',
  'collapse_drain_retry',
  'reactive_compact_retry',
  'max_output_tokens_escalate',
  'max_output_tokens_recovery',
  'stop_hook_blocking',
  'token_budget_continuation',
  'queued_prompt',
  'limit_lifted',
  'restarted',
  'asked_again',
]);
export type ContinueReason = z.infer<typeof ContinueReason>;

/** The reason a conversation is summarised: the window fills up, the API found it too long, or a user asked. */
export const CompactionTrigger = z.enum(['auto', 'reactive', 'manual']);
export type CompactionTrigger = z.infer<typeof CompactionTrigger>;

/** The reason why the model stopped, as the API says it. Unknown values are kept. */
export type StopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'stop_sequence'
  | 'tool_use'
  | 'pause_turn'
  | 'compaction'
  | 'refusal'
  | 'model_context_window_exceeded'
  | (string & {});
