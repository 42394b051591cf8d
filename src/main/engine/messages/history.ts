import type { DurableEvent } from '../../../shared/agent-event';
import type { AssistantMessage, Message } from '../../../shared/message';

/**
 * The history that a session's durable events amount to. Resuming a session and running one use this same fold,
 * so what is sent after a restart is what would have been sent before it.
 */
export function historyOf(events: Iterable<DurableEvent>): readonly Message[] {
  let history: readonly Message[] = [];
  for (const event of events) history = foldHistory(history, event);
  return history;
}

/** Folds one event into the history. Pure; events that say nothing to the model change nothing. */
export function foldHistory(history: readonly Message[], event: DurableEvent): readonly Message[] {
  switch (event.type) {
    case 'user_message':
      return [
        ...history,
        {
          role: 'user',
          id: event.id,
          content: event.content,
          ...(event.synthetic ? { synthetic: true } : {}),
        },
      ];
    case 'attachment':
      return [
        ...history,
        {
          role: 'attachment',
          id: event.id,
          kind: event.kind,
          text: event.text,
          ...(event.about === undefined ? {} : { about: event.about }),
          ...(event.images === undefined ? {} : { images: event.images }),
        },
      ];
    case 'block_finished':
      return withBlock(history, event);
    case 'message_finished':
      return replaceAssistant(history, event.messageId, (message) => ({
        ...message,
        usage: event.usage,
      }));
    case 'call_settled':
      return [
        ...history,
        {
          role: 'user',
          id: resultId(event.callId),
          content: [
            {
              type: 'tool_result',
              tool_use_id: event.callId,
              content: event.content,
              ...(event.isError ? { is_error: true } : {}),
            },
          ],
        },
      ];
    case 'compacted':
      return withBoundary(history, event);
    case 'tombstone':
      return history.filter(
        ({ id }) => id !== event.messageId && !event.calls?.some((call) => id === resultId(call)),
      );
    default:
      return history;
  }
}

/** The id of the message that holds a call's result. */
const resultId = (callId: string): string => `${callId}:result`;

type Compacted = Extract<DurableEvent, { type: 'compacted' }>;

/** The boundary goes right after what it replaces; what follows it is the recent tail, kept as it is. */
function withBoundary(history: readonly Message[], event: Compacted): readonly Message[] {
  const removed = new Set(event.removed);
  const lastRemoved = history.findLastIndex((message) => removed.has(message.id));
  const at = lastRemoved < 0 ? history.length : lastRemoved + 1;
  const tail = history.slice(at);
  const keptUntil = tail.at(-1)?.id;
  return [
    ...history.slice(0, at),
    {
      role: 'boundary',
      id: event.id,
      summary: event.summary,
      ...(keptUntil === undefined ? {} : { keptUntil }),
    },
    ...tail,
  ];
}

type BlockFinished = Extract<DurableEvent, { type: 'block_finished' }>;

/** Blocks of one answer stay in one message, also when results of its first calls are already there. */
function withBlock(history: readonly Message[], event: BlockFinished): readonly Message[] {
  const known = history.some((m) => m.role === 'assistant' && m.id === event.messageId);
  if (!known) {
    return [
      ...history,
      { role: 'assistant', id: event.messageId, model: event.model, content: [event.block] },
    ];
  }
  return replaceAssistant(history, event.messageId, (message) => ({
    ...message,
    content: [...message.content, event.block],
  }));
}

function replaceAssistant(
  history: readonly Message[],
  id: string,
  change: (message: AssistantMessage) => AssistantMessage,
): readonly Message[] {
  const at = history.findLastIndex((m) => m.role === 'assistant' && m.id === id);
  const message = history[at];
  return message?.role === 'assistant' ? history.with(at, change(message)) : history;
}

/** Ids of the tool uses that have no result yet, in the order they were asked. */
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
