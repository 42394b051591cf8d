import type { DurableEvent } from '../../../shared/agent-event';
import type { AssistantMessage, Message, ToolResultBlock } from '../../../shared/message';

/**
 * The conversation as the model knows it, folded from durable events. Resuming a session and running one use this same
 * fold, so a request after a restart is the request that would have been made before it.
 */
export interface History {
  /** Folds one event in. Events that say nothing to the model change nothing. */
  fold(event: DurableEvent): void;
  /** The messages so far, oldest first. Later events do not change the list that was given out. */
  messages(): readonly Message[];
}

/** Folds a session's durable events into its history. */
export function historyOf(events: Iterable<DurableEvent>): History {
  const history = createHistory();
  for (const event of events) history.fold(event);
  return history;
}

/** Creates an empty history. An event costs as much as what it changes, however long the history is. */
export function createHistory(): History {
  const messages: Message[] = [];
  /** The newest place of each id. */
  const places = new Map<string, number>();
  let given: readonly Message[] | null = null;

  const add = (message: Message): void => {
    given = null;
    places.set(message.id, messages.length);
    messages.push(message);
  };
  /** Puts other messages in the place of all from `at` on. */
  const replaceFrom = (at: number, rest: readonly Message[]): void => {
    given = null;
    messages.length = at;
    for (const message of rest) add(message);
  };
  const changeAnswer = (
    id: string,
    change: (answer: AssistantMessage) => AssistantMessage,
  ): boolean => {
    const at = places.get(id);
    const answer = at === undefined ? undefined : messages[at];
    if (at === undefined || answer?.role !== 'assistant') return false;
    given = null;
    messages[at] = change(answer);
    return true;
  };
  const remove = (ids: readonly string[]): void => {
    const gone = new Set(ids.flatMap((id) => places.get(id) ?? []));
    if (gone.size === 0) return;
    const from = Math.min(...gone);
    const rest = messages.slice(from).filter((_, i) => !gone.has(from + i));
    for (const id of ids) places.delete(id);
    replaceFrom(from, rest);
  };
  /** The boundary goes right after what it replaces; what follows it is the recent tail, kept as it is. */
  const addBoundary = ({ id, removed, summary }: Compacted): void => {
    const last = removed.reduce((max, gone) => Math.max(max, places.get(gone) ?? -1), -1);
    const at = last < 0 ? messages.length : last + 1;
    const tail = messages.slice(at);
    const keptUntil = tail.at(-1)?.id;
    const boundary: Message = {
      role: 'boundary',
      id,
      summary,
      ...(keptUntil === undefined ? {} : { keptUntil }),
    };
    replaceFrom(at, [boundary, ...tail]);
  };

  const fold = (event: DurableEvent): void => {
    switch (event.type) {
      case 'user_message':
      case 'attachment':
      case 'call_settled':
        add(messageOf(event));
        return;
      case 'block_finished': {
        // Blocks of one answer stay in one message, also when results of its first calls are already there.
        const { messageId: id, model, block } = event;
        const known = changeAnswer(id, (answer) => ({
          ...answer,
          content: [...answer.content, block],
        }));
        if (!known) add({ role: 'assistant', id, model, content: [block] });
        return;
      }
      case 'message_finished':
        changeAnswer(event.messageId, (answer) => ({ ...answer, usage: event.usage }));
        return;
      case 'compacted':
        addBoundary(event);
        return;
      case 'tombstone':
        remove([event.messageId, ...(event.calls ?? []).map(resultId)]);
    }
  };

  return {
    fold,
    messages: () => {
      given ??= [...messages];
      return given;
    },
  };
}

type Compacted = Extract<DurableEvent, { type: 'compacted' }>;
type Said = Extract<DurableEvent, { type: 'user_message' | 'attachment' | 'call_settled' }>;

/** The message that an event brings whole. */
function messageOf(event: Said): Message {
  switch (event.type) {
    case 'user_message':
      return {
        role: 'user',
        id: event.id,
        content: event.content,
        ...(event.synthetic ? { synthetic: true } : {}),
      };
    case 'attachment':
      return {
        role: 'attachment',
        id: event.id,
        kind: event.kind,
        text: event.text,
        ...(event.about === undefined ? {} : { about: event.about }),
        ...(event.images === undefined ? {} : { images: event.images }),
      };
    case 'call_settled': {
      const result: ToolResultBlock = {
        type: 'tool_result',
        tool_use_id: event.callId,
        content: event.content,
        ...(event.isError ? { is_error: true } : {}),
      };
      return { role: 'user', id: resultId(event.callId), content: [result] };
    }
  }
}

/** The id of the message that holds a call's result. */
const resultId = (callId: string): string => `${callId}:result`;

/** Returns the tool uses that have no result yet, in the order they were asked. */
export function openCalls(history: readonly Message[]): readonly { id: string; name: string }[] {
  const settled = new Set<string>();
  const asked: { id: string; name: string }[] = [];
  for (const message of history) {
    if (message.role === 'boundary' || message.role === 'attachment') continue;
    for (const block of message.content) {
      if (block.type === 'tool_use') asked.push({ id: block.id, name: block.name });
      if (block.type === 'tool_result') settled.add(block.tool_use_id);
    }
  }
  return asked.filter((call) => !settled.has(call.id));
}
