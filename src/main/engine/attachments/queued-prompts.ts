import type { Message } from '../../../shared/message';
import type { Collector } from './attachment';

const KIND = 'queued_prompt';

/** The writers to an agent at work: the user to the main one, and to a sub-agent the agent that started it. */
const SENDERS = { user: 'The user', agent: 'The agent you work for' } as const;

/** Says of a prompt that came in between two turns that it came so: the work under way is not over. */
export const createQueuedPromptNotes = (sender: keyof typeof SENDERS): Collector => {
  const text = `${SENDERS[sender]} sent the message above while you were working. Take it into account now, answer it if it asks something, then go on with what is still open, unless it says otherwise.`;
  return {
    name: 'queued prompts',
    collect: ({ history, query }) =>
      hasUntold(history, query.promptId) ? [{ attachment: { kind: KIND, text } }] : [],
  };
};

/** Returns the user's words since the last answer, oldest first. */
export const newPrompts = (history: readonly Message[]): readonly Message[] =>
  history
    .slice(history.findLastIndex((m) => m.role === 'assistant') + 1)
    .filter((m) => m.role === 'user' && m.synthetic !== true && m.content.some(isText));

/** Tells whether one of them has no note behind it: one behind the last is enough. */
function hasUntold(history: readonly Message[], promptId: string | null): boolean {
  const last = newPrompts(history).findLast((m) => m.id !== promptId);
  if (last === undefined) return false;
  const after = history.slice(history.indexOf(last));
  return !after.some((m) => m.id === promptId || (m.role === 'attachment' && m.kind === KIND));
}

const isText = (block: { readonly type: string }): boolean => block.type === 'text';
