import type { PromptPriority, QueuedPrompt } from '../../../shared/agent-event';

/** How many prompts may wait; more would hardly be remembered by the one who typed them. */
export const MAX_QUEUED_PROMPTS = 100;

const RANK: Record<PromptPriority, number> = { now: 0, next: 1, later: 2 };

type Queue = readonly QueuedPrompt[];

const sorted = (queue: Queue): Queue =>
  queue.toSorted((a, b) => RANK[a.priority] - RANK[b.priority]);

/** Adds a prompt behind those of its priority. Null when the queue is full. */
export function enqueue(queue: Queue, prompt: QueuedPrompt): Queue | null {
  return queue.length >= MAX_QUEUED_PROMPTS ? null : sorted([...queue, prompt]);
}

/** What can be changed of a waiting prompt. Undefined leaves a part as it is. */
export interface PromptChange {
  readonly text?: string | undefined;
  readonly priority?: PromptPriority | undefined;
  /** Place among the prompts of its priority; out of range means first or last. */
  readonly place?: number | undefined;
}

/** Edits, reprioritises or moves a prompt. Null when it no longer waits. */
export function changeQueued(queue: Queue, id: string, change: PromptChange): Queue | null {
  const at = queue.findIndex((prompt) => prompt.id === id);
  const old = queue[at];
  if (old === undefined) return null;
  const { text = old.text, priority = old.priority } = change;
  const prompt: QueuedPrompt = { ...old, text, priority };
  const rest = queue.toSpliced(at, 1);
  if (change.place === undefined) {
    return priority === old.priority ? queue.with(at, prompt) : sorted([...rest, prompt]);
  }
  const peers = rest.filter((other) => other.priority === priority);
  const place = Math.min(Math.max(0, Math.trunc(change.place)), peers.length);
  const others = rest.filter((other) => other.priority !== priority);
  return sorted([...others, ...peers.toSpliced(place, 0, prompt)]);
}

/** Whether a prompt goes in between the turns of a running query. */
export const goesBetweenTurns = (prompt: QueuedPrompt): boolean => prompt.priority !== 'later';

/** Splits off what goes in between turns. */
export const takeBetweenTurns = (queue: Queue): { taken: Queue; rest: Queue } => ({
  taken: queue.filter(goesBetweenTurns),
  rest: queue.filter((prompt) => !goesBetweenTurns(prompt)),
});
