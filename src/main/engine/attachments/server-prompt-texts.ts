import type { Message } from '../../../shared/message';
import { parseSlash } from '../../../shared/slash';
import type { ServerPrompts } from '../mcp/server-prompts';
import type { CollectedFact, Collector } from './attachment';
import { newPrompts } from './queued-prompts';

/** Tells what a tool server wrote for a prompt of its that a user used by `/mcp__server__prompt`. */
export const createServerPromptTexts = (prompts: ServerPrompts): Collector => ({
  name: 'prompts of tool servers',
  collect: ({ history }, signal) => {
    const used = newPrompts(history).flatMap((prompt) => usedIn(prompt, history, prompts));
    if (used.length === 0) return [];
    const facts = used.map(async ({ prompt, args }): Promise<CollectedFact> => {
      const filled = await prompts.fill(prompt, args, signal);
      const about = `/${prompt.name}`;
      const text = filled.ok
        ? `The user used ${about}, a prompt of the tool server ${prompt.server}. Do what it says:\n\n${filled.value.text}`
        : `The user used ${about}, a prompt of the tool server ${prompt.server}. It could not be had, so tell them why: ${filled.error}`;
      const images = filled.ok ? filled.value.images : [];
      return {
        attachment: { kind: 'mention', about, text, ...(images.length === 0 ? {} : { images }) },
      };
    });
    return Promise.all(facts);
  },
});

/** Returns the prompt of a server that a message uses and that no attachment behind it told. */
function usedIn(message: Message, history: readonly Message[], prompts: ServerPrompts) {
  if (message.role !== 'user') return [];
  const [first, ...more] = message.content;
  if (first?.type !== 'text' || more.length > 0) return [];
  const slash = parseSlash(first.text);
  const prompt = slash?.name.startsWith('mcp__') ? prompts.find(slash.name) : null;
  if (slash === null || prompt === null) return [];
  const after = history.slice(history.indexOf(message) + 1);
  const isTold = after.some((m) => m.role === 'attachment' && m.about === `/${prompt.name}`);
  return isTold ? [] : [{ prompt, args: slash.rest }];
}
