import type { DurableEvent } from '../../../shared/agent-event';
import { pastedBody } from '../../../shared/paste';
import type { SearchHit } from '../../../shared/session-search';
import { blockItemId } from '../../../shared/transcript';
import type { Files } from '../ports';
import { parseLine } from './load';

/** One text of a session that can be found. */
export interface Entry {
  readonly who: SearchHit['who'];
  readonly itemId: string;
  readonly text: string;
}

/** Of a longer text only the beginning can be found. Characters. */
export const MAX_FOUND_TEXT = 1_000_000;
/** Results of tools are long and rarely what is looked for. Characters. */
const MAX_RESULT = 4_000;

/** Returns the text that an event of a log adds to what can be found, of results so many characters; null: none. */
export function entryOf(event: DurableEvent, maxResult = MAX_RESULT): Entry | null {
  switch (event.type) {
    case 'user_message':
      return event.synthetic === true
        ? null
        : entry('user', event.id, textOf(event.content), MAX_FOUND_TEXT);
    case 'block_finished':
      return event.block.type === 'text'
        ? entry(
            'assistant',
            blockItemId(event.messageId, event.index),
            event.block.text,
            MAX_FOUND_TEXT,
          )
        : null;
    case 'call_settled': {
      const { title, callId, content } = event;
      return entry('tool', callId, `${title.verb} ${title.target}\n${textOf(content)}`, maxResult);
    }
    default:
      return null;
  }
}

function entry(who: Entry['who'], itemId: string, text: string, max: number): Entry | null {
  return text.trim() === '' ? null : { who, itemId, text: text.slice(0, max) };
}

const textOf = (blocks: readonly { readonly type: string; readonly text?: string }[]): string =>
  blocks
    .flatMap(({ type, text }) =>
      type === 'text' && text !== undefined ? [pastedBody(text) ?? text] : [],
    )
    .join('\n');

/** A text with the time of its event, epoch milliseconds. */
interface TimedText extends Entry {
  readonly at: number;
}

/** Of the results in a session's own log so much can be found. Characters. */
const MAX_OWN_RESULT = 100_000;
/** A log is read in parts of this size, and what comes after a longer line is not. Bytes. */
const PART_BYTES = 1024 * 1024;
const MAX_LINE_BYTES = 32 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Gives the texts of a log, oldest first. Ends where it cannot be read. */
export async function* entriesIn(files: Files, path: string): AsyncGenerator<TimedText, void> {
  let [at, bytes] = [0, PART_BYTES];
  for (;;) {
    const part = await files.readRange(path, at, at + bytes);
    if (!part.ok) return;
    const length = part.value.lastIndexOf(NEWLINE) + 1;
    if (length === 0) {
      if (part.value.byteLength < bytes || bytes >= MAX_LINE_BYTES) return;
      bytes *= 2;
      continue;
    }
    for (const text of new TextDecoder().decode(part.value.subarray(0, length)).split('\n')) {
      const line = text === '' ? null : parseLine(text);
      const entry = line === null ? null : entryOf(line.event, MAX_OWN_RESULT);
      if (line !== null && entry !== null) yield { ...entry, at: line.at };
    }
    at += length;
    bytes = PART_BYTES;
  }
}
