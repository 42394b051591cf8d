import type { PromptPriority, QueuedPrompt } from '../../../shared/agent-event';

/** How many prompts may wait; more would hardly be remembered by the one who typed them. */
export const MAX_QUEUED_PROMPTS = 100;

const RANK: Record<PromptPriority, number> = { now: 0, next: 1, later: 2 };

type Queue = readonly QueuedPrompt[];

/** Adds a prompt behind those of its priority. Null when the queue is full. */
export function enqueue(queue: Queue, prompt: QueuedPrompt): Queue | null {
  if (queue.length >= MAX_QUEUED_PROMPTS) return null;
  return [...queue, prompt].toSorted((a, b) => RANK[a.priority] - RANK[b.priority]);
}

/** Whether a prompt goes in between the turns of a running query. */
export const goesBetweenTurns = (prompt: QueuedPrompt): boolean => prompt.priority !== 'later';

/** Splits off what goes in between turns. */
export const takeBetweenTurns = (queue: Queue): { taken: Queue; rest: Queue } => ({
  taken: queue.filter(goesBetweenTurns),
  rest: queue.filter((prompt) => !goesBetweenTurns(prompt)),
});
