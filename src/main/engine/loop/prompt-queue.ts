import type { UserBlock } from '../../../shared/message';
import {
  type PromptBlock,
  type PromptPriority,
  type QueueChanged,
  type QueuedPrompt,
  withHeld,
} from '../../../shared/queued-prompt';
import type { Ids } from '../ports';
import { type PromptAdmission, type QueryDeps, tell } from './query-deps';

/** The most prompts that may wait; more would hardly be remembered by the one who typed them. */
export const MAX_QUEUED_PROMPTS = 100;

const RANK: Record<PromptPriority, number> = { now: 0, next: 1, later: 2 };

type Queue = readonly QueuedPrompt[];

const sorted = (queue: Queue): Queue =>
  queue.toSorted((a, b) => RANK[a.priority] - RANK[b.priority]);

/** Adds a prompt behind those of its priority. Null when the queue is full. */
export function enqueue(queue: Queue, prompt: QueuedPrompt): Queue | null {
  return queue.length >= MAX_QUEUED_PROMPTS ? null : sorted([...queue, prompt]);
}

/** A change of a waiting prompt. Undefined leaves a part as it is. */
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

/** Tells whether a prompt goes in between the turns of a running query. */
const goesBetweenTurns = (prompt: QueuedPrompt): boolean => prompt.priority !== 'later';

/** Splits off what goes in between turns, of those that are `ready`. */
export const takeBetweenTurns = (
  queue: Queue,
  ready: Queue = queue,
): { taken: Queue; rest: Queue } => {
  const taken = ready.filter(goesBetweenTurns);
  return { taken, rest: queue.filter((prompt) => !taken.includes(prompt)) };
};

/** The prompts that a user writes while a query runs (docs/spec.md A9). One per agent. */
export interface PromptQueue {
  /** Returns the prompts that wait, in the order they will go in. */
  list(): readonly QueuedPrompt[];
  /** Adds a prompt; `now` cuts the running turn, so that it goes in at once. Null when the queue is full. */
  enqueue(
    text: string,
    priority: PromptPriority,
    blocks?: readonly PromptBlock[],
    id?: string,
  ): QueuedPrompt | null;
  /** Edits, moves or reprioritises a waiting prompt; false when it no longer waits. */
  change(promptId: string, change: PromptChange): boolean;
  /** Takes a prompt out again; null when it no longer waits. */
  takeBack(promptId: string): QueuedPrompt | null;
  /** Takes a prompt out to send it; null when it no longer waits. */
  take(promptId: string): QueuedPrompt | null;
  /** Holds what waits, so that nothing of it goes in by itself unless it is to cut the turn. */
  hold(): void;
  /** Lets go in what was held. */
  release(): void;
  /** Keeps a prompt and what waits behind it, while a user edits it. Returns what ends that. */
  edit(promptId: string): () => void;
  /** Returns the prompt whose turn it is; null when none is to go in. */
  due(): QueuedPrompt | null;
  /** Takes out what goes in between two turns. */
  takeQueued(): readonly QueuedPrompt[];
  /** Counts those that wait to go in between turns. */
  waiting(): number;
  /** Begins a turn. Its signal aborts with the query, or when the user cuts the turn. */
  startTurn(query: AbortSignal): AbortSignal;
}

/** Creates a queue in which nothing waits but what was `kept` from before. `record` is told of every change. */
export function createPromptQueue(
  ids: Ids,
  record: (change: QueueChanged) => void,
  kept: Queue = [],
): PromptQueue {
  let queue: Queue = [];
  let turn = new AbortController();
  const set = (next: Queue, sent: Queue = []) => {
    const before = new Set(queue);
    tell(
      next,
      next.filter((prompt) => !before.has(prompt)),
      sent,
    );
  };
  const tell = (next: Queue, added: QueuedPrompt[], sent: Queue = []) => {
    queue = next;
    const held = queue.filter(isHeld).map(({ id }) => id);
    record({
      type: 'queue_changed',
      order: queue.map(({ id }) => id),
      ...(added.length === 0 ? {} : { added }),
      ...(held.length === 0 ? {} : { held }),
      ...(sent.length === 0 ? {} : { sent: sent.map(({ id }) => id) }),
    });
  };
  const remove = (promptId: string, isSent: boolean): QueuedPrompt | null => {
    const prompt = queue.find(({ id }) => id === promptId);
    if (prompt === undefined) return null;
    set(
      queue.filter(({ id }) => id !== promptId),
      isSent ? [prompt] : [],
    );
    return prompt;
  };
  const setHeld = (held: boolean) => {
    if (queue.every((prompt) => isHeld(prompt) === held)) return;
    tell(
      queue.map((prompt) => withHeld(prompt, held)),
      [],
    );
  };
  let edited: readonly { readonly id: string }[] = [];
  const ready = (): Queue => {
    const open = queue.findIndex(({ id }) => edited.some((one) => one.id === id));
    const before = open === -1 ? queue : queue.slice(0, open);
    return before.filter((prompt) => prompt.priority === 'now' || !isHeld(prompt));
  };
  if (kept.length > 0) set(sorted(kept));
  return {
    list: () => queue,
    hold: () => setHeld(true),
    release: () => setHeld(false),
    edit: (id) => {
      const one = { id };
      edited = [...edited, one];
      return () => {
        edited = edited.filter((other) => other !== one);
      };
    },
    due: () => ready()[0] ?? null,
    enqueue: (text, priority, blocks = [], id = ids.next('msg')) => {
      const own = blocks.length === 0 ? {} : { blocks: [...blocks] };
      const prompt: QueuedPrompt = { id, text, priority, ...own };
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
    takeBack: (promptId) => remove(promptId, false),
    take: (promptId) => remove(promptId, true),
    takeQueued: () => {
      const { taken, rest } = takeBetweenTurns(queue, ready());
      if (taken.length > 0) set(rest, taken);
      return taken;
    },
    waiting: () => ready().filter(goesBetweenTurns).length,
    startTurn: (query) => {
      turn = new AbortController();
      return AbortSignal.any([query, turn.signal]);
    },
  };
}

const isHeld = ({ held = false }: QueuedPrompt): boolean => held;

const ADMITTED: PromptAdmission = { kind: 'admitted', contexts: [] };

/**
 * Records what a user said, with what hooks add to it. Returns why a hook refused it (then nothing is recorded);
 * otherwise null.
 */
export async function admitPrompt(
  id: string,
  content: readonly UserBlock[],
  deps: QueryDeps,
  signal: AbortSignal,
): Promise<string | null> {
  const text = wordsOf(content);
  const admission = deps.admit ? await deps.admit({ id, text }, signal) : ADMITTED;
  if (admission.kind === 'refused') return admission.reason;
  for (const text of admission.openings ?? [])
    deps.record({
      ...{ type: 'user_message', id: deps.ids.next('msg') },
      content: [{ type: 'text', text }],
    });
  deps.record({ type: 'user_message', id, content: [...content] });
  for (const context of admission.contexts) tell(deps, 'hook', context);
  return null;
}

/** Records the prompts that wait in the queue. One that a hook refuses leaves a word for the model. */
export async function admitQueued(deps: QueryDeps, signal: AbortSignal): Promise<void> {
  for (const prompt of deps.takeQueued()) {
    const refusal = await admitPrompt(prompt.id, promptContent(prompt), deps, signal);
    if (refusal !== null) tell(deps, 'hook', REFUSED);
  }
}

const REFUSED =
  'The user wrote something that one of their hooks keeps from you. Go on without it.';

/** Returns the content of a prompt, its words first. */
export const promptContent = ({
  text,
  blocks = [],
}: {
  readonly text: string;
  readonly blocks?: readonly PromptBlock[] | undefined;
}): readonly UserBlock[] => [{ type: 'text', text }, ...blocks];

/** Returns the text of a message. */
const wordsOf = (content: readonly UserBlock[]): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
