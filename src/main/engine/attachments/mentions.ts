import type { Message } from '../../../shared/message';
import type { ServerResources } from '../mcp/resource-tools';
import type { Attachment, CollectedFact, Collector } from './attachment';
import { type MentionDeps, readMentioned } from './mentioned-file';
import { readMentionedResource } from './mentioned-resource';
import { isTerminalMention, readTerminal } from './mentioned-terminal';
import { aboutOf, MAX_MENTIONS, type Mention, parseMentions } from './parse-mentions';
import { newPrompts } from './queued-prompts';

/** All files of one moment together, so that mentions never fill the window. Characters; about 40 000 tokens. */
const MAX_TOTAL_CHARS = 160_000;

/** The dependencies of {@link createMentions}. */
interface AllMentionDeps extends MentionDeps {
  /** The names of the kinds of sub-agents that can be started; empty where none can. */
  readonly agents: () => readonly string[];
  /** The resources of tool servers. */
  readonly resources: ServerResources;
  /** The prompts, by id, in which none is looked for. */
  readonly asWritten?: Pick<ReadonlySet<string>, 'has'>;
}

/** Attaches what the user mentioned by `@path`, `@terminal:name`, `@agent:name` or `@server:uri` since the last answer. */
export const createMentions = (deps: AllMentionDeps): Collector => ({
  name: 'mentioned files',
  collect: ({ history }, signal) => {
    const wanted = newPrompts(history).flatMap((prompt) =>
      deps.asWritten?.has(prompt.id) === true ? [] : untold(prompt, history),
    );
    return wanted.length === 0 ? [] : readAll(wanted.slice(0, MAX_MENTIONS), deps, signal);
  },
});

async function readAll(
  wanted: readonly Mention[],
  deps: AllMentionDeps,
  signal: AbortSignal,
): Promise<readonly CollectedFact[]> {
  const facts = await Promise.all(
    wanted.map(async (mention) =>
      isTerminalMention(mention)
        ? readTerminal(mention, deps.environment)
        : (agentNote(mention, deps.agents()) ??
          (await readMentionedResource(mention, deps.resources, signal)) ??
          readMentioned(mention, deps, signal)),
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

const AGENT = 'agent:';

/** Tells the model whom the user wants a work given to; null for a mention of something else. */
function agentNote(mention: Mention, agents: readonly string[]): CollectedFact | null {
  if (!mention.path.startsWith(AGENT)) return null;
  const about = aboutOf(mention);
  const wanted = mention.path.slice(AGENT.length).toLowerCase();
  const name = agents.find((one) => one.toLowerCase() === wanted);
  const text =
    name === undefined
      ? `There is no sub-agent ${about}. ${agents.length === 0 ? 'None can be started here.' : `There are: ${agents.join(', ')}.`}`
      : `The user mentioned ${about}: they want a sub-agent of the kind ${name} to do this work. Start it with the Agent tool.`;
  return { attachment: { kind: 'mention', about, text } };
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
