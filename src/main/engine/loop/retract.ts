import type { Message } from '../../../shared/message';
import type { QueryDeps } from './query-deps';
import type { TurnOutcome } from './stream-turn';

/**
 * Takes an answer back out of the history; it stays in the log. Only for answers of which no call ran. Nothing
 * when it never began.
 */
export function retract(
  turn: Pick<TurnOutcome, 'messageId' | 'calls'>,
  reason: string,
  deps: QueryDeps,
): void {
  if (turn.messageId === '') return;
  const calls = turn.calls.map((call) => call.id);
  deps.record({
    type: 'tombstone',
    messageId: turn.messageId,
    reason,
    ...(calls.length === 0 ? {} : { calls }),
  });
}

/**
 * Takes out what carries an image and came after the last answer: the API refused one of those, and would
 * refuse it in every later request too. What was mentioned is said to be left out, so that it is not attached again.
 */
export function dropNewImages(deps: QueryDeps): void {
  const history = deps.history();
  const newest = history.slice(history.findLastIndex((m) => m.role === 'assistant') + 1);
  for (const message of newest.filter(hasImage)) {
    deps.record({
      type: 'tombstone',
      messageId: message.id,
      reason: 'The model refused an image in it.',
    });
    if (message.role !== 'attachment' || message.about === undefined) continue;
    const { kind, about } = message;
    const text = `${about} is not attached: the model cannot use its image.`;
    deps.record({ type: 'attachment', id: deps.ids.next('att'), kind, about, text });
  }
}

function hasImage(message: Message): boolean {
  if (message.role === 'attachment') return (message.images?.length ?? 0) > 0;
  if (message.role !== 'user') return false;
  return message.content.some(
    (block) =>
      block.type === 'image' ||
      (block.type === 'tool_result' && block.content.some((inner) => inner.type !== 'text')),
  );
}
