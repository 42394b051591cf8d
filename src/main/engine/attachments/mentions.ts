import type { Message } from '../../../shared/message';
import type { Attachment, CollectedFact, Collector } from './attachment';
import { type MentionDeps, readMentioned } from './mentioned-file';
import { isTerminalMention, readTerminal } from './mentioned-terminal';
import { aboutOf, MAX_MENTIONS, type Mention, parseMentions } from './parse-mentions';
import { newPrompts } from './queued-prompts';

/** All files of one moment together, so that mentions never fill the window. Characters; about 40 000 tokens. */
const MAX_TOTAL_CHARS = 160_000;

/** Attaches what the person mentioned by `@path` or `@terminal:name` since the last answer. */
export const createMentions = (deps: MentionDeps): Collector => ({
  name: 'mentioned files',
  collect: ({ history }, signal) => {
    const wanted = newPrompts(history).flatMap((prompt) => untold(prompt, history));
    return wanted.length === 0 ? [] : readAll(wanted.slice(0, MAX_MENTIONS), deps, signal);
  },
});

async function readAll(
  wanted: readonly Mention[],
  deps: MentionDeps,
  signal: AbortSignal,
): Promise<readonly CollectedFact[]> {
  const facts = await Promise.all(
    wanted.map((mention) =>
      isTerminalMention(mention)
        ? readTerminal(mention, deps.environment)
        : readMentioned(mention, deps, signal),
    ),
  );
  return withinTotal(facts.filter((fact) => fact !== null));
}

/** Returns the mentions of a prompt that were not answered by an attachment behind it. */
function untold(prompt: Message, history: readonly Message[]): readonly Mention[] {
  if (prompt.role !== 'user') return [];
  const after = history.slice(history.indexOf(prompt) + 1);
  const told = new Set(after.map((m) => (m.role === 'attachment' ? m.about : undefined)));
  return prompt.content
    .flatMap((block) => (block.type === 'text' ? parseMentions(block.text) : []))
    .filter((mention) => !told.has(aboutOf(mention)));
}

function withinTotal(facts: readonly CollectedFact[]): readonly CollectedFact[] {
  let used = 0;
  return facts.map((fact): CollectedFact => {
    const { attachment } = fact;
    if (attachment === null) return fact;
    used += attachment.text.length;
    return used <= MAX_TOTAL_CHARS ? fact : { attachment: leftOut(attachment) };
  });
}

const leftOut = ({ kind, about = '' }: Attachment): Attachment => ({
  kind,
  about,
  text: `${about} is not attached: what was mentioned is too much for one message. Read it when you need it.`,
});
