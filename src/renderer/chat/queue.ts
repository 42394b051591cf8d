import { carriedTexts } from '../../shared/paste';
import type { PromptPriority, QueuedPrompt } from '../../shared/queued-prompt';
import { carriedWords } from '../store/attachments';

/** A change to a queued prompt. `place` counts from 0 among those of the same priority. */
export type QueueAct =
  | { readonly kind: 'takeBack'; readonly id: string }
  | { readonly kind: 'edit'; readonly id: string; readonly text: string }
  | { readonly kind: 'move'; readonly id: string; readonly place: number }
  | { readonly kind: 'when'; readonly id: string; readonly priority: PromptPriority };

/** The priorities of queued prompts, in the order of the queue. */
export const WHEN: readonly {
  readonly value: PromptPriority;
  readonly label: string;
  readonly description: string;
}[] = [
  { value: 'now', label: 'now', description: 'Cuts short what runs' },
  { value: 'next', label: 'after this turn', description: 'Before the next request to the model' },
  { value: 'later', label: 'when done', description: 'When all of this work is finished' },
];

/** Returns a name for a queued prompt: its first line, and what it carries besides its words. */
export const queuedWords = (prompt: QueuedPrompt): string =>
  queuedText({ ...prompt, text: firstLine(prompt.text) });

/** Returns all words of a queued prompt as far as a list shows them, and what it carries besides. */
export const queuedWhole = (prompt: QueuedPrompt): string => {
  const text = prompt.text.trim();
  return queuedText({
    ...prompt,
    text: text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text,
  });
};

/** Longer prompts are cut in the list; editing them shows the rest. Characters. */
const MAX_SHOWN = 4_000;

function queuedText({ text, blocks = [] }: QueuedPrompt): string {
  const images = blocks.filter(({ type }) => type === 'image').length;
  const carried = carriedWords(images, carriedTexts(blocks));
  return [text, carried].filter((part) => part !== '').join(' · ');
}

/** Returns the position of a prompt among those of its priority, from 0, and their number. */
export function standing(
  queue: readonly QueuedPrompt[],
  prompt: QueuedPrompt,
): { readonly place: number; readonly count: number } {
  const peers = queue.filter((other) => other.priority === prompt.priority);
  return { place: peers.findIndex((other) => other.id === prompt.id), count: peers.length };
}

/** Returns the act that moves a prompt by one among its peers; null at the end of them. */
export function moveBy(
  queue: readonly QueuedPrompt[],
  prompt: QueuedPrompt,
  step: 1 | -1,
): QueueAct | null {
  const { place, count } = standing(queue, prompt);
  const next = place + step;
  return place < 0 || next < 0 || next >= count
    ? null
    : { kind: 'move', id: prompt.id, place: next };
}

/** The meaning of a key press on a queued prompt. */
export type QueueIntent =
  | 'moveUp'
  | 'moveDown'
  | 'older'
  | 'newer'
  | 'edit'
  | 'steer'
  | 'takeBack'
  | 'none';

/** Decides what a key does on a prompt of the queue. */
export function queueIntent(k: {
  readonly key: string;
  readonly mod: boolean;
  readonly alt: boolean;
}): QueueIntent {
  switch (k.key) {
    case 'ArrowUp':
      return k.alt ? 'moveUp' : 'older';
    case 'ArrowDown':
      return k.alt ? 'moveDown' : 'newer';
    case 'Enter':
      return k.mod ? 'steer' : 'edit';
    case 'Delete':
    case 'Backspace':
      return 'takeBack';
    default:
      return 'none';
  }
}

/** Returns the beginning of a prompt, enough to recognise it. */
const firstLine = (text: string): string => text.trimStart().split('\n', 1)[0]?.slice(0, 200) ?? '';
