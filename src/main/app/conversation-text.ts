import { plainLine } from '../../shared/plain-line';
import type { Item } from '../../shared/transcript';
import { scrub } from '../engine/model/scrub';

/** The longest conversation that is given; of a longer one, its end. Characters. */
const MAX_TEXT_CHARS = 5_000_000;

/** Writes a conversation as plain text, keys and tokens hidden. */
export function conversationText(items: readonly Item[]): string {
  const parts: string[] = [];
  let room = MAX_TEXT_CHARS;
  // The newest is kept.
  for (const item of items.toReversed()) {
    const text = itemText(item);
    if (text === '') continue;
    if (text.length > room) {
      parts.push('(What was said before is left out.)');
      break;
    }
    room -= text.length;
    parts.push(text);
  }
  return scrub(parts.toReversed().join('\n\n'), [], []);
}

function itemText(item: Item): string {
  switch (item.kind) {
    case 'prompt':
      return `> ${item.text.trim().replaceAll('\n', '\n  ')}`;
    case 'text':
      return item.text.trim() === '' ? '' : `● ${item.text.trim()}`;
    case 'call': {
      const { verb, target } = item.title;
      const said = item.error ?? (item.view?.kind === 'shell' ? item.view.tail : '');
      const result = said.trim() === '' ? '' : `\n  ⎿ ${said.trim().replaceAll('\n', '\n    ')}`;
      return `● ${verb}${target === '' ? '' : `(${target})`}${result}`;
    }
    case 'divider':
      return item.text;
    default:
      return '';
  }
}

/** Returns a name for the file of a conversation: the day it began, and the first words of it. */
export function conversationFileName(items: readonly Item[]): string {
  const first = items.find((item) => item.kind === 'prompt');
  if (first === undefined) return 'conversation.txt';
  const day = new Date(first.at).toISOString().slice(0, 10);
  const words = plainLine(first.text, 200)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replace(/^-|-$/g, '');
  return `${words === '' ? day : `${day}-${words}`}.txt`;
}
