import type { DurableEvent } from '../../../shared/agent-event';
import type { Message } from '../../../shared/message';
import type { PromptParts } from '../../../shared/queued-prompt';
import type { LogLine } from './load';

/** The place in a session up to which another one takes it over: before a prompt, or before a rewind took effect. */
export type BranchPoint =
  | { readonly kind: 'prompt'; readonly promptId: string }
  | { readonly kind: 'rewind'; readonly rewindId: string };

/** Returns the lines of a log before a place; null when it has no such place. What only announces a query goes too. Pure. */
export function linesUntil(
  lines: readonly LogLine[],
  point: BranchPoint,
): readonly LogLine[] | null {
  const at = lines.findLastIndex(({ event }) => isAt(event, point));
  if (at < 0) return null;
  const kept = lines.slice(0, at);
  const start = kept.findLastIndex(({ event: { type } }) => OF_QUERIES.has(type));
  return kept[start]?.event.type === 'query_started' ? kept.toSpliced(start, 1) : kept;
}

/** Events that begin or end a query, or show that it has done something. */
const OF_QUERIES: ReadonlySet<DurableEvent['type']> = new Set([
  'query_started',
  'query_finished',
  'user_message',
  'block_finished',
  'call_settled',
]);

const isAt = (event: DurableEvent, point: BranchPoint): boolean =>
  point.kind === 'prompt'
    ? event.type === 'user_message' && event.id === point.promptId
    : event.type === 'rewound' && event.id === point.rewindId;

/** Returns the words of a person's prompt and what it carried; null when `id` names none of the history. Pure. */
export function promptIn(history: readonly Message[], id: string): PromptParts | null {
  const message = history.find((one) => one.id === id);
  if (message?.role !== 'user' || message.synthetic === true) return null;
  const parts = message.content.filter((block) => block.type === 'text' || block.type === 'image');
  const [first] = parts;
  return first?.type === 'text'
    ? { text: first.text, blocks: parts.slice(1) }
    : { text: '', blocks: parts };
}
