import type { AgentEvent } from './agent-event';
import { blockItemId, type Item } from './transcript';
import { type Change, type Draft, NOTHING } from './transcript-draft';

type Showing = Extract<AgentEvent, { type: 'text_shown' | 'text_replaced' }>;

/** Puts what hooks let be shown of a text into its row, which has that instead of what the model wrote. */
export function addShown({ active }: Draft, event: Showing): Change {
  active.update(blockItemId(event.messageId, event.index), (item) => {
    if (item.kind !== 'text') return item;
    const { held, ...shown } = item;
    if (event.type === 'text_replaced') return { ...shown, text: event.text, done: true };
    const text = item.text + event.text;
    return event.isFinal ? { ...shown, text, done: true } : { ...item, text };
  });
  return NOTHING;
}

/** Returns the row with more of its text; one that is held back waits for what hooks say. */
export const withDelta = (item: Item, text: string): Item =>
  item.kind === 'thinking' || (item.kind === 'text' && !item.held)
    ? { ...item, text: item.text + text }
    : item;

/** Returns the row of a text that is whole; one that is held back waits for what hooks say. */
export const heldOr = (item: Item, text: string): Item =>
  item.kind === 'text' && item.held ? item : { kind: 'text', id: item.id, text, done: true };
