import type { DurableEvent } from '../../shared/agent-event';
import { pastedBody } from '../../shared/paste';
import type { SearchHit } from '../../shared/session-search';
import { blockItemId } from '../../shared/transcript';

/** One text of a session that can be found. */
export interface Entry {
  readonly who: SearchHit['who'];
  readonly itemId: string;
  readonly text: string;
}

/** Of a longer text only the beginning can be found. Characters. */
const MAX_TEXT = 100_000;
/** Results of tools are long and rarely what is looked for. Characters. */
const MAX_RESULT = 4_000;

/** Returns the text that an event of a log adds to what can be found; null when it adds none. */
export function entryOf(event: DurableEvent): Entry | null {
  switch (event.type) {
    case 'user_message':
      return event.synthetic === true
        ? null
        : entry('user', event.id, textOf(event.content), MAX_TEXT);
    case 'block_finished':
      return event.block.type === 'text'
        ? entry('assistant', blockItemId(event.messageId, event.index), event.block.text, MAX_TEXT)
        : null;
    case 'call_settled': {
      const { title, callId, content } = event;
      return entry('tool', callId, `${title.verb} ${title.target}\n${textOf(content)}`, MAX_RESULT);
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
