import type { PromptBlock, PromptPriority, QueuedPrompt } from '../../../shared/agent-event';
import type { Ids } from '../ports';
import {
  changeQueued,
  enqueue,
  goesBetweenTurns,
  type PromptChange,
  takeBetweenTurns,
} from './prompt-queue';

/** What the person says while a query runs (SPEC A9). One per session. */
export interface Steering {
  /** The prompts that wait, in the order they will go in. */
  queue(): readonly QueuedPrompt[];
  /** Adds a prompt; `now` cuts the running turn, so that it goes in at once. Null when the queue is full. */
  enqueue(
    text: string,
    priority: PromptPriority,
    blocks?: readonly PromptBlock[],
  ): QueuedPrompt | null;
  /** Edits, moves or reprioritises a waiting prompt; false when it no longer waits. */
  change(promptId: string, change: PromptChange): boolean;
  /** Takes a prompt out again; null when it no longer waits. */
  takeBack(promptId: string): QueuedPrompt | null;
  /** Hands over what goes in between two turns. */
  takeQueued(): readonly QueuedPrompt[];
  /** How many wait to go in between turns. */
  waiting(): number;
  /** Begins a turn: the signal aborts with the query, or when the person cuts the turn. */
  startTurn(query: AbortSignal): AbortSignal;
}

/** Creates it with nothing waiting. `changed` is told of every new queue. */
export function createSteering(
  ids: Ids,
  changed: (queue: readonly QueuedPrompt[]) => void,
): Steering {
  let queue: readonly QueuedPrompt[] = [];
  let turn = new AbortController();
  const set = (next: readonly QueuedPrompt[]) => {
    queue = next;
    changed(queue);
  };
  return {
    queue: () => queue,
    enqueue: (text, priority, blocks = []) => {
      const own = blocks.length === 0 ? {} : { blocks: [...blocks] };
      const prompt: QueuedPrompt = { id: ids.next('msg'), text, priority, ...own };
      const next = enqueue(queue, prompt);
      if (next === null) return null;
      set(next);
      if (priority === 'now') turn.abort();
      return prompt;
    },
    change: (promptId, change) => {
      const next = changeQueued(queue, promptId, change);
      if (next === null) return false;
      set(next);
      if (change.priority === 'now') turn.abort();
      return true;
    },
    takeBack: (promptId) => {
      const prompt = queue.find((p) => p.id === promptId) ?? null;
      if (prompt) set(queue.filter((p) => p.id !== promptId));
      return prompt;
    },
    takeQueued: () => {
      const { taken, rest } = takeBetweenTurns(queue);
      if (taken.length > 0) set(rest);
      return taken;
    },
    waiting: () => queue.filter(goesBetweenTurns).length,
    startTurn: (query) => {
      turn = new AbortController();
      return AbortSignal.any([query, turn.signal]);
    },
  };
}
