import type { ModelEvent } from '../model-client';
import { mapTexts } from './scrub';

/** One event of a recording, `at` milliseconds after the request was sent. */
export interface TapedEvent {
  readonly at: number;
  readonly event: Readonly<Record<string, unknown>>;
}

/**
 * Puts events on tape. The pieces of a block are kept as one text and their lengths: a path or a key that came in
 * two pieces would slip through otherwise.
 */
export function toTape(
  events: readonly { readonly at: number; readonly event: ModelEvent }[],
  scrubText: (text: string) => string,
): readonly TapedEvent[] {
  const whole = wholeTexts(events.map(({ event }) => event));
  let message = 0;
  const told = new Set<string>();
  return events.map(({ at, event }) => {
    if (event.type === 'message_started') message += 1;
    if (event.type !== 'block_delta') {
      return { at, event: mapTexts(event, scrubText) as TapedEvent['event'] };
    }
    const place = `${message}.${event.index}`;
    const first = !told.has(place);
    told.add(place);
    const piece = { type: event.type, index: event.index, length: event.text.length };
    return { at, event: first ? { ...piece, of: scrubText(whole.get(place) ?? '') } : piece };
  });
}

function wholeTexts(events: readonly ModelEvent[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  let message = 0;
  for (const event of events) {
    if (event.type === 'message_started') message += 1;
    if (event.type !== 'block_delta') continue;
    const place = `${message}.${event.index}`;
    texts.set(place, (texts.get(place) ?? '') + event.text);
  }
  return texts;
}

/** The events of a tape, with the places of this machine put back; texts are cut where they were cut. */
export function fromTape(
  tape: readonly TapedEvent[],
  unscrubText: (text: string) => string,
): readonly { readonly at: number; readonly event: ModelEvent }[] {
  const texts = new Map<number, string>();
  const left = new Map<number, number>();
  for (const { event } of tape) {
    if (event['type'] !== 'block_delta') continue;
    const index = Number(event['index']);
    left.set(index, (left.get(index) ?? 0) + 1);
  }
  return tape.map(({ at, event }) => {
    if (event['type'] !== 'block_delta')
      return { at, event: mapTexts(event, unscrubText) as ModelEvent };
    const index = Number(event['index']);
    if (typeof event['of'] === 'string') texts.set(index, unscrubText(event['of']));
    const rest = texts.get(index) ?? '';
    const pieces = left.get(index) ?? 1;
    left.set(index, pieces - 1);
    const text = pieces <= 1 ? rest : rest.slice(0, Number(event['length']));
    texts.set(index, rest.slice(text.length));
    return { at, event: { type: 'block_delta' as const, index, text } };
  });
}
