import type { AgentEvent } from '../../../src/shared/agent-event';
import { applyEvent } from '../../../src/shared/apply-event';
import type { Transcript } from '../../../src/shared/transcript';
import { NOW } from './call-fixtures';
import { runningTranscript } from './fixtures';

/** The picture after these events, one a second, the last one now. */
const happened = (start: Transcript, events: readonly AgentEvent[]): Transcript =>
  events.reduce(
    (t, event, at) =>
      applyEvent(t, {
        sessionId: t.sessionId,
        agentId: 'main',
        epoch: t.epoch,
        seq: t.seq + 1,
        at: NOW - (events.length - 1 - at) * 1000,
        event,
      }),
    start,
  );

const usage = {
  inputTokens: 3_100,
  outputTokens: 8_900,
  cacheReadTokens: 380_000,
  cacheWriteTokens: 24_000,
};

const prompt = (id: string, text: string): AgentEvent => ({
  type: 'user_message',
  id,
  content: [{ type: 'text', text }],
});
const answer = (messageId: string, text: string): readonly AgentEvent[] => [
  { type: 'message_started', messageId, model: 'claude-opus-5-5' },
  {
    type: 'block_finished',
    messageId,
    model: 'claude-opus-5-5',
    index: 0,
    block: { type: 'text', text },
  },
];
const retry = (attempt: number): AgentEvent => ({
  type: 'retry_waiting',
  attempt,
  maxAttempts: 10,
  delayMs: 1000,
  reason: 'api.anthropic.com is overloaded (529).',
});

const quiet: Transcript = { ...runningTranscript, active: [], queue: [] };

/** Everything that went wrong and was mended without anyone's help. */
export const recoveredTranscript = happened(quiet, [
  prompt('u1', 'Write the release notes for everything since the last tag.'),
  retry(2),
  { type: 'retry_ended' },
  retry(3),
  { type: 'retry_ended' },
  { type: 'retried', attempt: 3, reason: 'api.anthropic.com is overloaded (529).' },
  ...answer('r1', 'I’ll read the commits since `v2.3.0` and group them by what they change.'),
  { type: 'continued', reason: 'max_output_tokens_escalate' },
  ...answer('r2', 'The notes have four parts: **new**, **changed**, **fixed** and **removed**.'),
  { type: 'continued', reason: 'max_output_tokens_recovery' },
  ...answer('r3', 'The fixed part goes on with the redirect after signing in.'),
  {
    type: 'compacted',
    id: 'k1',
    summary: 'What was said',
    removed: Array.from({ length: 42 }, (_, n) => `m${n}`),
    tokensBefore: 912_000,
    tokensAfter: 14_200,
  },
  ...answer('r4', 'Forty-two commits are sorted; I’ll write the file now.'),
  prompt('u2', 'Also add a line to the changelog'),
  {
    type: 'notice',
    level: 'warning',
    code: 'model_fallback',
    text: 'claude-opus-5-5 is overloaded; claude-sonnet-5-5 answers from here.',
  },
  { type: 'model_changed', model: 'claude-sonnet-5-5' },
  ...answer('r5', 'The line stands under *Unreleased*.'),
  { type: 'model_changed', model: 'claude-opus-5-5' },
  {
    type: 'message_finished',
    messageId: 'r5',
    model: 'claude-opus-5-5',
    stopReason: 'end_turn',
    usage,
    costUsd: 0.38,
    ttftMs: 1_240,
    tokensPerSecond: 61.7,
  },
  { type: 'context_changed', usedTokens: 416_000, windowTokens: 1_000_000 },
]);

/** The model fell silent in the middle of its work. */
export const silentTranscript = happened(runningTranscript, [
  { type: 'stalled', silentMs: 15_000 },
]);

/** A countdown after the third failure, with a long reason. */
export const retryTranscript = happened({ ...runningTranscript, queue: [] }, [
  {
    type: 'retry_waiting',
    attempt: 4,
    maxAttempts: 10,
    delayMs: 87_000,
    reason:
      'api.anthropic.com limits the rate of requests (429). This request would exceed your organization’s rate limit of 400,000 input tokens per minute.',
  },
]);

/** Several prompts wait, of each kind. */
export const queueTranscript: Transcript = {
  ...runningTranscript,
  queue: [
    { id: 'p1', text: 'Also add a line to the changelog', priority: 'next' },
    { id: 'p2', text: 'Keep the old test, only rename it', priority: 'next' },
    {
      id: 'p3',
      text: 'When all of that is done, look through the whole authentication folder for other places that compare dates as strings',
      priority: 'next',
    },
    { id: 'p4', text: 'Then run the whole suite\nand tell me what is slow', priority: 'later' },
  ],
};

/** A shell line runs after a stop; the last prompt was written since. */
export const heldQueueTranscript: Transcript = {
  ...queueTranscript,
  queue: queueTranscript.queue.map((prompt, at) => (at < 3 ? { ...prompt, held: true } : prompt)),
};

/** The user stopped the work; what waited still waits. */
export const stoppedQueueTranscript: Transcript = {
  ...happened({ ...queueTranscript, active: queueTranscript.active.slice(0, -1) }, [
    {
      type: 'query_finished',
      queryId: 'q1',
      terminal: 'aborted_streaming',
      text: 'Stopped by you.',
      turns: 3,
      usage,
      costUsd: 0.12,
      durationMs: 64_000,
      apiMs: 40_000,
      denials: [],
      stopReason: null,
    },
  ]),
};
