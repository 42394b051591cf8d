import { z } from 'zod';
import { ImageBlock, TextBlock } from './message';

/** The urgency of a queued prompt: `now` cuts the running turn, `next` goes in between turns, `later` after the query. */
export const PromptPriority = z.enum(['now', 'next', 'later']);
export type PromptPriority = z.infer<typeof PromptPriority>;

/** A part of a prompt besides its words: an image, or a pasted text that {@link pastedText} marks. */
export const PromptBlock = z.discriminatedUnion('type', [TextBlock, ImageBlock]);
export type PromptBlock = z.infer<typeof PromptBlock>;

export const QueuedPrompt = z.object({
  id: z.string(),
  text: z.string(),
  priority: PromptPriority,
  blocks: z.array(PromptBlock).optional(),
  /** It has waited since a stop or the last run of Lathe, until the user asks the model something. */
  held: z.boolean().optional(),
});
export type QueuedPrompt = z.infer<typeof QueuedPrompt>;

/** The words of a prompt, and what it carries besides them. */
export type PromptParts = Pick<QueuedPrompt, 'text' | 'blocks'>;

/**
 * The prompts that wait are those of `order` from now on, of them `added` are new or changed and `held` are held. Those
 * `sent` go to the model, and are safe once a `user_message` has their id.
 */
export const QueueChanged = z.object({
  type: z.literal('queue_changed'),
  order: z.array(z.string()),
  added: z.array(QueuedPrompt).optional(),
  held: z.array(z.string()).optional(),
  sent: z.array(z.string()).optional(),
});
export type QueueChanged = z.infer<typeof QueueChanged>;

/** Returns the prompts that wait after a change. Pure. */
export function queueAfter(
  queue: readonly QueuedPrompt[],
  { order, added = [], held = [] }: Pick<QueueChanged, 'order' | 'added' | 'held'>,
): readonly QueuedPrompt[] {
  const known = new Map([...queue, ...added].map((prompt) => [prompt.id, prompt]));
  const waiting = order.flatMap((id) => known.get(id) ?? []);
  return waiting.map((prompt) => withHeld(prompt, held.includes(prompt.id)));
}

/** Returns a prompt that is held, or that is not. */
export function withHeld(prompt: QueuedPrompt, held: boolean): QueuedPrompt {
  if ((prompt.held === true) === held) return prompt;
  const { held: _, ...rest } = prompt;
  return held ? { ...rest, held } : rest;
}
