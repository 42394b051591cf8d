import { z } from 'zod';
import { ResultContent } from './message';

/**
 * One change to what is sent of the history. The log keeps what was there. Thinking that came after a changed message
 * was made behind another prefix, so it is no longer sent either.
 */
export const ContextEdit = z.discriminatedUnion('kind', [
  /** Sends `content` as the result of a call. */
  z.object({
    kind: z.literal('replace_result'),
    callId: z.string(),
    content: z.array(ResultContent),
  }),
  /** Sends an answer without its thinking. */
  z.object({ kind: z.literal('drop_thinking'), messageId: z.string() }),
  /** Sends `text` in the place of the first of these messages, and nothing of the others. */
  z.object({
    kind: z.literal('fold'),
    id: z.string(),
    messageIds: z.array(z.string()).min(1),
    text: z.string(),
  }),
  /** Sends again what the fold of that id left out, as it was when it was folded. */
  z.object({ kind: z.literal('unfold'), id: z.string() }),
]);
export type ContextEdit = z.infer<typeof ContextEdit>;
