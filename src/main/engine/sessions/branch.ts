import type { DurableEvent } from '../../../shared/agent-event';
import type { Message, UserBlock } from '../../../shared/message';
import type { PromptParts } from '../../../shared/queued-prompt';
import { blockItemId } from '../../../shared/transcript';
import type { LogLine } from './load';

/**
 * The place in a session up to which another one takes it over: before a prompt, before a rewind took effect, or behind the
 * answer that a row of the conversation belongs to, with the results of its calls.
 */
export type BranchPoint =
  | { readonly kind: 'item'; readonly itemId: string }
  | { readonly kind: 'prompt'; readonly promptId: string }
  | { readonly kind: 'rewind'; readonly rewindId: string };

/** Returns the lines of a log before a place; null when it has no such place. What only announces a query goes too. Pure. */
export function linesUntil(
  lines: readonly LogLine[],
  point: BranchPoint,
): readonly LogLine[] | null {
  const found = placeOf(lines, point);
  if (found === null) return null;
  const { at, messageId } = found;
  if (messageId !== null) return linesBehind(lines, at, messageId);
  const kept = lines.slice(0, at);
  const start = kept.findLastIndex(({ event: { type } }) => OF_QUERIES.has(type));
  return kept[start]?.event.type === 'query_started' ? kept.toSpliced(start, 1) : kept;
}

/** The line of a place, and the point that it is. */
interface Place {
  readonly at: number;
  /** The answer to go behind; null: before the line. */
  readonly messageId: string | null;
}

/** Finds a place in a log; null when it has none of the kind. */
function placeOf(lines: readonly LogLine[], point: BranchPoint): Place | null {
  const at = lines.findLastIndex(({ event }) => isAt(event, point));
  const event = lines[at]?.event;
  if (event === undefined) return null;
  return { at, messageId: event.type === 'block_finished' ? event.messageId : null };
}

/** Returns the lines up to the end of an answer with its results, and the end of its query where that comes next. */
function linesBehind(lines: readonly LogLine[], at: number, messageId: string): readonly LogLine[] {
  const rest = lines.slice(at + 1);
  const next = rest.findIndex(
    ({ event }) =>
      NEXT.has(event.type) || (event.type === 'block_finished' && event.messageId !== messageId),
  );
  if (next < 0) return lines;
  const isEnd = rest[next]?.event.type === 'query_finished';
  return lines.slice(0, at + 1 + next + (isEnd ? 1 : 0));
}

/** Events behind which something else than the answer begins. */
const NEXT: ReadonlySet<DurableEvent['type']> = new Set([
  'query_finished',
  'query_started',
  'user_message',
  'compacted',
  'conversation_cleared',
  'rewound',
]);

/** Events that begin or end a query, or show that it has done something. */
const OF_QUERIES: ReadonlySet<DurableEvent['type']> = new Set([
  'query_started',
  'query_finished',
  'user_message',
  'block_finished',
  'call_settled',
]);

function isAt(event: DurableEvent, point: BranchPoint): boolean {
  switch (point.kind) {
    case 'prompt':
      return event.type === 'user_message' && event.id === point.promptId;
    case 'rewind':
      return event.type === 'rewound' && event.id === point.rewindId;
    case 'item':
      return event.type === 'block_finished'
        ? [blockItemId(event.messageId, event.index), callIn(event)].includes(point.itemId)
        : event.type === 'user_message' && event.id === point.itemId;
  }
}

/** Returns the id of the call that a block asks for; null for other blocks. */
const callIn = ({ block }: Extract<DurableEvent, { type: 'block_finished' }>): string | null =>
  block.type === 'tool_use' ? block.id : null;

/** Returns the words of a user's prompt and what it carried; null when `id` names none of the history. Pure. */
export function promptIn(history: readonly Message[], id: string): PromptParts | null {
  const message = history.find((one) => one.id === id);
  if (message?.role !== 'user' || message.synthetic === true) return null;
  return promptOf(message.content);
}

/** Returns the words of a prompt, and what it carries besides them. */
export function promptOf(content: readonly UserBlock[]): PromptParts {
  const parts = content.filter((block) => block.type === 'text' || block.type === 'image');
  const [first] = parts;
  return first?.type === 'text'
    ? { text: first.text, blocks: parts.slice(1) }
    : { text: '', blocks: parts };
}
