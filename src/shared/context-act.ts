import { z } from 'zod';

/** Something a user does about what is sent of a conversation. */
export const ContextAct = z.discriminatedUnion('kind', [
  /** Keeps a message word for word whatever is left out, or lets go of it. */
  z.object({ kind: z.literal('pin'), messageId: z.string().max(200), pinned: z.boolean() }),
  /** Has a summary written to look at; `focus` is what is to be kept above all, `until` the first message that stays. */
  z.object({
    kind: z.literal('draft'),
    focus: z.string().max(10_000).optional(),
    until: z.string().max(200).optional(),
  }),
  /** Puts the drafted summary, as the user changed it, in the place of what it is about. */
  z.object({ kind: z.literal('apply'), summary: z.string().min(1).max(400_000) }),
  /** Throws the drafted summary away. */
  z.object({ kind: z.literal('discard') }),
  /** Sends again what a summary had replaced. */
  z.object({ kind: z.literal('undo'), summaryId: z.string().max(200) }),
  /** Counts what the next request would send, by category, where no request has told it yet. */
  z.object({ kind: z.literal('measure') }),
  /** Sends again, as it was, all that was folded. */
  z.object({ kind: z.literal('unfold') }),
]);
export type ContextAct = z.infer<typeof ContextAct>;
