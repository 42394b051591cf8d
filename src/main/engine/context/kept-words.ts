import type { Message } from '../../../shared/message';
import { textTokens } from './tokens';

/** A fact that goes back into the conversation behind a summary. */
export interface Restored {
  readonly kind: string;
  readonly text: string;
  readonly about?: string;
}

/** The kinds of attachments in which words are kept word for word behind a summary. */
const PINNED = 'pinned';
const USER_WORDS = 'user_words';

/** The room for words of the user; the newest go first. Tokens. */
const MAX_USER_TOKENS = 8_000;
/** The room for one pinned message; of a longer one the beginning is kept. Characters. */
const MAX_PINNED_CHARS = 40_000;

/**
 * Returns what stays word for word behind a summary of `gone` (docs/spec.md F5): what a user pinned, and the newest of their
 * own words. What was kept by an earlier summary is kept again.
 */
export function keptWords(
  gone: readonly Message[],
  pins: ReadonlySet<string>,
): readonly Restored[] {
  const pinned = gone.flatMap((message): Restored[] => {
    if (message.role === 'attachment' && message.kind === PINNED)
      return pins.has(message.about ?? '') ? [restored(PINNED, message.text, message.about)] : [];
    const text = pins.has(message.id) ? wordsOf(message).slice(0, MAX_PINNED_CHARS) : '';
    if (text.trim() === '') return [];
    return [restored(PINNED, `The user pinned this, word for word:\n\n${text}`, message.id)];
  });
  const said = gone.flatMap((message) => {
    if (message.role === 'attachment' && message.kind === USER_WORDS) return [message.text];
    const own = isPrompt(message) && !pins.has(message.id);
    const text = own ? wordsOf(message).trim() : '';
    return text === '' ? [] : [`${USER_HEAD}\n\n${text}`];
  });
  let room = MAX_USER_TOKENS;
  const words: Restored[] = [];
  for (const text of said.toReversed()) {
    room -= textTokens(text);
    if (room < 0) break;
    words.unshift(restored(USER_WORDS, text));
  }
  return [...words, ...pinned];
}

/** Tells whether a user wrote a message. */
const isPrompt = (message: Message): boolean =>
  message.role === 'user' &&
  message.synthetic !== true &&
  message.content.every(({ type }) => type !== 'tool_result');

const USER_HEAD = 'The user wrote this earlier, word for word:';

const restored = (kind: string, text: string, about?: string): Restored => ({
  ...{ kind, text },
  ...(about === undefined ? {} : { about }),
});

/** Returns the words of a message: its texts and those of its results. */
function wordsOf(message: Message): string {
  switch (message.role) {
    case 'boundary':
      return message.summary;
    case 'attachment':
      return message.text;
    default:
      return message.content
        .flatMap((block) => {
          if (block.type === 'text') return [block.text];
          if (block.type !== 'tool_result') return [];
          return block.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
        })
        .join('\n');
  }
}
