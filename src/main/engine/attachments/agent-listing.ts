import type { Message } from '../../../shared/message';
import type { Attachment, Collector } from './attachment';

const KIND = 'agent_listing';

/** Characters of all descriptions together; about 4 000 tokens. Of agents beyond only the names are told. */
const MAX_CHARS = 16_000;
/** Characters of one description. */
const MAX_DESCRIPTION = 1_000;

/** A kind of sub-agent as the model is told of it. */
interface ListedAgent {
  readonly name: string;
  readonly description: string;
}

interface AgentListingOptions {
  /** Returns the kinds that the Agent tool does not describe itself, sorted. */
  readonly agents: () => readonly ListedAgent[];
  /** Resolves when no look at their files is under way. */
  readonly settled: () => Promise<void>;
}

/** Tells which further kinds of sub-agents there are: all of them once, then only what came and went. */
export const createAgentListing = ({ agents, settled }: AgentListingOptions): Collector => ({
  name: 'kinds of sub-agents',
  collect: async ({ history }) => {
    await settled();
    const attachment = agentListing(history, agents());
    return attachment === null ? [] : [{ attachment }];
  },
});

/**
 * Returns what to tell about the agents there are now; null when the model knows. What it was told is read from the
 * history, so that a resumed session tells nothing twice, and one after a summary tells all again. Pure.
 */
export function agentListing(
  history: readonly Message[],
  agents: readonly ListedAgent[],
): Attachment | null {
  const told = toldNames(history);
  const now = new Set(agents.map(({ name }) => name));
  const added = agents.filter(({ name }) => !told.has(name));
  const removed = [...told].filter((name) => !now.has(name)).sort();
  if (added.length + removed.length === 0) return null;
  let room = MAX_CHARS;
  const lines = added.map(({ name, description }) => {
    const text = description.replace(/\s+/g, ' ').slice(0, Math.min(MAX_DESCRIPTION, room));
    room -= text.length;
    return text === '' ? `- ${name}` : `- ${name}: ${text}`;
  });
  return {
    kind: KIND,
    about: [
      ...added.map(({ name }) => `+${encodeURIComponent(name)}`),
      ...removed.map((name) => `-${encodeURIComponent(name)}`),
    ].join(' '),
    text: [
      ...(added.length === 0
        ? []
        : [`${told.size > 0 ? 'More kinds' : 'Further kinds'} for the Agent tool:`, ...lines]),
      ...(removed.length === 0 ? [] : [`Kinds that are no longer there: ${removed.join(', ')}.`]),
    ].join('\n'),
  };
}

/** Returns the names that the model was told of and that did not go since. */
function toldNames(history: readonly Message[]): ReadonlySet<string> {
  const told = new Set<string>();
  for (const message of history) {
    if (message.role !== 'attachment' || message.kind !== KIND) continue;
    for (const change of message.about?.split(' ') ?? []) {
      const name = decodeURIComponent(change.slice(1));
      if (change.startsWith('+')) told.add(name);
      else told.delete(name);
    }
  }
  return told;
}
