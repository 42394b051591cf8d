import type { Message } from '../../../shared/message';
import type { Attachment, Collector } from './attachment';

/** Characters of all descriptions together; about 4 000 tokens. Of what is beyond only the names are told. */
const MAX_CHARS = 16_000;
/** Characters of one description. */
const MAX_DESCRIPTION = 1_536;

/** A thing that people define in files, as the model is told of it. */
interface Listed {
  readonly name: string;
  readonly description: string;
}

/** The words of one listing. */
export interface ListingWords {
  /** Of its attachments. */
  readonly kind: string;
  readonly first: string;
  readonly more: string;
  readonly gone: string;
}

export const AGENT_WORDS: ListingWords = {
  kind: 'agent_listing',
  first: 'Further kinds for the Agent tool:',
  more: 'More kinds for the Agent tool:',
  gone: 'Kinds that are no longer there:',
};

export const SKILL_WORDS: ListingWords = {
  kind: 'skill_listing',
  first: 'Skills for the Skill tool:',
  more: 'More skills for the Skill tool:',
  gone: 'Skills that are no longer there:',
};

interface ListingOptions {
  /** Names the collector in notices. */
  readonly name: string;
  readonly words: ListingWords;
  /** Returns what there is now, sorted by name. */
  readonly items: () => readonly Listed[];
  /** Resolves when no look at their files is under way; null when none is. */
  readonly settled: () => Promise<void> | null;
}

/** Tells what people define in files: all of it once, then only what came and went. */
export const createDefinitionListing = ({
  name,
  words,
  items,
  settled,
}: ListingOptions): Collector => ({
  name,
  collect: ({ history }) => {
    const list = () => {
      const attachment = definitionListing(history, items(), words);
      return attachment === null ? [] : [{ attachment }];
    };
    return settled()?.then(list) ?? list();
  },
});

/**
 * Returns what to tell about what there is now; null when the model knows. What it was told is read from the history, so
 * that a resumed session tells nothing twice, and one after a summary tells all again. Pure.
 */
function definitionListing(
  history: readonly Message[],
  items: readonly Listed[],
  words: ListingWords,
): Attachment | null {
  const told = toldNames(history, words.kind);
  const now = new Set(items.map(({ name }) => name));
  const added = items.filter(({ name }) => !told.has(name));
  const removed = [...told].filter((name) => !now.has(name)).sort();
  if (added.length + removed.length === 0) return null;
  let room = MAX_CHARS;
  const lines = added.map(({ name, description }) => {
    const text = description.replace(/\s+/g, ' ').slice(0, Math.min(MAX_DESCRIPTION, room));
    room -= text.length;
    return text === '' ? `- ${name}` : `- ${name}: ${text}`;
  });
  return {
    kind: words.kind,
    about: [
      ...added.map(({ name }) => `+${encodeURIComponent(name)}`),
      ...removed.map((name) => `-${encodeURIComponent(name)}`),
    ].join(' '),
    text: [
      ...(added.length === 0 ? [] : [told.size > 0 ? words.more : words.first, ...lines]),
      ...(removed.length === 0 ? [] : [`${words.gone} ${removed.join(', ')}.`]),
    ].join('\n'),
  };
}

/** Returns the names that the model was told of and that did not go since. */
function toldNames(history: readonly Message[], kind: string): ReadonlySet<string> {
  const told = new Set<string>();
  for (const message of history) {
    if (message.role !== 'attachment' || message.kind !== kind) continue;
    for (const change of message.about?.split(' ') ?? []) {
      const name = decodeURIComponent(change.slice(1));
      if (change.startsWith('+')) told.add(name);
      else told.delete(name);
    }
  }
  return told;
}
