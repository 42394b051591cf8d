import type { AgentEvent } from './agent-event';

/** Follows what hooks have shown in place of the texts of one query's answer. */
export interface ShownAnswer {
  /** Takes an event of the agent, in order. */
  see(event: AgentEvent): void;
  /** Returns the words of the query's end as people are to read them. */
  shown(end: string): string;
}

interface Text {
  readonly said: string;
  readonly shown: string;
}

type Texts = Map<number, Text>;

/** Creates it. It begins anew with each query. */
export function createShownAnswer(): ShownAnswer {
  /** The texts of each message since the query began, by the number of their block. */
  let messages = new Map<string, Texts>();
  let retracted = new Set<string>();
  let isReplaced = false;

  const put = (messageId: string, index: number, text: Text) => {
    const texts: Texts = messages.get(messageId) ?? new Map();
    texts.set(index, text);
    messages.set(messageId, texts);
  };

  return {
    see: (event) => {
      if (event.type === 'query_started') {
        messages = new Map();
        retracted = new Set();
        isReplaced = false;
      }
      if (event.type === 'block_finished' && event.block.type === 'text') {
        const { text } = event.block;
        put(event.messageId, event.index, { said: text, shown: text });
      }
      if (event.type === 'tombstone') retracted.add(event.messageId);
      if (event.type !== 'text_replaced') return;
      const said = messages.get(event.messageId)?.get(event.index)?.said;
      if (said === undefined) return;
      isReplaced = true;
      put(event.messageId, event.index, { said, shown: event.text });
    },
    shown: (end) => {
      if (!isReplaced) return end;
      const all = [...messages.values()];
      const kept = [...messages].flatMap(([id, texts]) => (retracted.has(id) ? [] : [texts]));
      // The reason of a failure may quote an answer that was taken back.
      return withNewest(end, kept) ?? withNewest(end, all) ?? withEach(end, all);
    },
  };
}

/** Returns the words with what is shown of the messages that they end with, as many as there are; null: they end with none. */
function withNewest(end: string, messages: readonly Texts[]): string | null {
  let [said, shown] = ['', ''];
  let found: string | null = null;
  for (const texts of messages.toReversed()) {
    const all = [...texts.values()];
    said = all.map((text) => text.said).join('\n\n') + said;
    if (said.length > end.length) break;
    // A text of which nothing is shown leaves no gap.
    const visible = all.filter((text) => text.shown !== '' || text.said === '');
    shown = visible.map((text) => text.shown).join('\n\n') + shown;
    if (said !== '' && end.endsWith(said)) found = end.slice(0, -said.length) + shown;
  }
  return found;
}

/** Returns the words with each text replaced that hooks had something else shown for, wherever it stands. */
const withEach = (end: string, messages: readonly Texts[]): string =>
  messages
    .flatMap((texts) => [...texts.values()])
    .filter(({ said, shown }) => said.trim() !== '' && said !== shown)
    .toSorted((a, b) => b.said.length - a.said.length)
    .reduce((words, { said, shown }) => words.replaceAll(said, () => shown), end);
