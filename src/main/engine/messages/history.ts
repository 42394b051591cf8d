import type { DurableEvent } from '../../../shared/agent-event';
import type { ContextEdit } from '../../../shared/context-edit';
import type {
  AssistantMessage,
  Message,
  ToolResultBlock,
  ToolUseBlock,
} from '../../../shared/message';
import {
  editedIds,
  isTooMuchUncleared,
  project,
  releasedOf,
  resultId,
  withoutThinking,
} from './projection';

/**
 * The conversation as the model knows it, folded from durable events. Resuming a session and running one use this same
 * fold, so a request after a restart is the request that would have been made before it.
 */
export interface History {
  /** Folds one event in. Events that say nothing to the model change nothing. */
  fold(event: DurableEvent): void;
  /**
   * The messages so far as they are to be sent, oldest first, edits of the context applied. Later events do not
   * change the list that was given out.
   */
  messages(): readonly Message[];
  /** Tells whether a message with this id is among them; a call that was answered counts by `resultId`. */
  has(id: string): boolean;
  /** The edits since the last boundary, as counts of tokens need them. */
  cuts(): readonly Cut[];
}

/** Tokens that an edit took out and that older counts of the API still hold. */
export interface Cut {
  /** The id of the newest message when the edit was made: what was counted behind it knows of the edit. */
  readonly after: string;
  readonly tokens: number;
}

/** Folds a session's durable events into its history, behind the messages that it inherits. */
export function historyOf(
  events: Iterable<DurableEvent>,
  inherited: readonly Message[] = [],
): History {
  const history = createHistory(inherited);
  for (const event of events) history.fold(event);
  return history;
}

/** Creates a history that begins with `inherited`. An event costs as much as what it changes, however long the history is. */
export function createHistory(inherited: readonly Message[] = []): History {
  const messages: Message[] = [];
  /** The newest place of each id, once somebody looked for one that is not near the end: few logs have any. */
  let known: Map<string, number> | null = null;
  const places = (): Map<string, number> => {
    known ??= new Map(messages.map(({ id }, at) => [id, at]));
    return known;
  };
  /** The place of the newest answer, the only one that can still change: it is over when the next one begins. -1: none. */
  let answerAt = -1;
  let given: readonly Message[] | null = null;
  let cuts: readonly Cut[] = [];
  const folds = new Map<string, readonly Message[]>();
  /** The cuts before each summary. */
  const cutsBefore = new Map<string, readonly Cut[]>();

  const add = (message: Message): void => {
    given = null;
    known?.set(message.id, messages.length);
    if (message.role === 'assistant') answerAt = messages.length;
    messages.push(message);
  };
  /** Puts other messages in the place of all from `at` on. */
  const replaceFrom = (at: number, rest: readonly Message[]): void => {
    given = null;
    messages.length = at;
    if (answerAt >= at) answerAt = messages.findLastIndex(({ role }) => role === 'assistant');
    for (const message of rest) add(message);
  };
  const changeAnswer = (
    id: string,
    change: (answer: AssistantMessage) => AssistantMessage,
  ): boolean => {
    const answer = messages[answerAt];
    if (answer?.role !== 'assistant' || answer.id !== id) return false;
    given = null;
    messages[answerAt] = change(answer);
    return true;
  };
  const remove = (ids: readonly string[]): void => {
    const gone = new Set(ids.flatMap((id) => places().get(id) ?? []));
    if (gone.size === 0) return;
    const from = Math.min(...gone);
    const rest = messages.slice(from).filter((_, i) => !gone.has(from + i));
    for (const id of ids) places().delete(id);
    replaceFrom(from, rest);
  };
  const edit = (edits: readonly ContextEdit[]): void => {
    if (edits.length === 0) return;
    for (const each of edits) {
      if (each.kind !== 'fold') continue;
      folds.set(
        each.id,
        each.messageIds.flatMap((id) => messages[places().get(id) ?? -1] ?? []),
      );
    }
    const ids = edits.flatMap((each) => editedIds(each, folds));
    const from = ids.reduce((at, id) => Math.min(at, places().get(id) ?? at), messages.length);
    if (isTooMuchUncleared(messages, edits)) replaceFrom(0, project(messages, edits, folds, true));
    else replaceFrom(from, project(messages.slice(from), edits, folds));
    for (const each of edits) if (each.kind === 'unfold') folds.delete(each.id);
  };
  /** Returns the place of the newest of some messages; -1 when none of them is there. */
  const newestOf = (ids: readonly string[]): number => {
    const gone = new Set(ids);
    // Nearly always it is near the end: what a summary replaces came after the one before.
    for (let at = messages.length - 1; at >= 0; at -= 1) {
      const message = messages[at];
      if (gone.has(message?.id ?? '')) return at;
      if (message?.role === 'boundary') break;
    }
    return ids.reduce((at, id) => Math.max(at, places().get(id) ?? -1), -1);
  };
  /** Puts the boundary right after what it replaces; what follows it is the recent tail, kept as it is. */
  const addBoundary = ({ id, removed, summary, block }: Compacted): void => {
    const last = newestOf(removed);
    const at = last < 0 ? messages.length : last + 1;
    const tail = messages.slice(at);
    const keptUntil = tail.at(-1)?.id;
    const boundary: Message = {
      role: 'boundary',
      id,
      summary,
      ...(keptUntil === undefined ? {} : { keptUntil }),
      ...(block === undefined ? {} : { block }),
    };
    replaceFrom(at, [boundary, ...tail]);
  };

  /** Takes a boundary out. What was said behind the summary was thought and counted behind that. */
  const undoBoundary = (id: string): void => {
    const at = places().get(id);
    const boundary = at === undefined ? undefined : messages[at];
    if (at === undefined || boundary?.role !== 'boundary') return;
    const kept = places().get(boundary.keptUntil ?? '') ?? at;
    const rest = messages.slice(at + 1);
    places().delete(id);
    replaceFrom(
      at,
      rest.map((message, i) => (at + 1 + i > kept ? uncounted(message) : message)),
    );
    cuts = cutsBefore.get(id) ?? [];
  };

  const rewind = (promptId: string): void => {
    const at = places().get(promptId);
    if (at === undefined || messages[at]?.id !== promptId) return;
    for (const { id } of messages.slice(at)) places().delete(id);
    replaceFrom(at, []);
    // Of a tail that a summary kept the rest is still what was said before it.
    for (const [place, message] of messages.entries()) {
      if (message.role !== 'boundary' || places().has(message.keptUntil ?? message.id)) continue;
      const { keptUntil: _, ...boundary } = message;
      const rest = messages.slice(place + 1).at(-1)?.id;
      messages[place] = rest === undefined ? boundary : { ...boundary, keptUntil: rest };
    }
    // What was taken out of older messages stays out, and the older counts still hold it.
    const last = messages.at(-1)?.id ?? '';
    cuts = cuts.map((cut) => (places().has(cut.after) ? cut : { ...cut, after: last }));
  };

  for (const message of inherited) add(message);

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
        changeAnswer(event.messageId, (answer) => {
          const counted = { ...answer, usage: event.usage, costUsd: event.costUsd };
          return event.cleared === undefined ? counted : boundThere(counted);
        });
        return;
      case 'context_edited':
        edit(event.edits);
        cuts = [...cuts, { after: messages.at(-1)?.id ?? '', tokens: event.counted }];
        return;
      case 'compacted':
        cutsBefore.set(event.id, cuts);
        addBoundary(event);
        cuts = [];
        return;
      case 'compaction_undone':
        undoBoundary(event.id);
        return;
      case 'conversation_cleared':
        known = null;
        folds.clear();
        cuts = [];
        replaceFrom(0, []);
        return;
      case 'rewound':
        rewind(event.promptId);
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
    has: (id) => places().has(id),
    cuts: () => cuts,
  };
}

/** Returns an answer whose thinking was made behind what an API got that clears by itself: none but that may have it back. */
function boundThere(answer: AssistantMessage): AssistantMessage {
  const plain = withoutThinking(answer);
  return plain === answer || plain.role !== 'assistant' ? answer : { ...plain, uncleared: answer };
}

/** Returns an answer without its thinking and the count of its request. */
function uncounted(message: Message): Message {
  const plain = releasedOf(withoutThinking(message));
  if (plain.role !== 'assistant') return plain;
  const { usage: _usage, costUsd: _cost, ...rest } = plain;
  return rest;
}

type Compacted = Extract<DurableEvent, { type: 'compacted' }>;
type Said = Extract<DurableEvent, { type: 'user_message' | 'attachment' | 'call_settled' }>;

/** Returns the message that an event brings whole. */
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

/** Returns the tool uses that have no result yet, in the order they were asked. */
export function openCalls(history: readonly Message[]): readonly { id: string; name: string }[] {
  const open = new Map<string, { id: string; name: string }>();
  for (const message of history) {
    if (message.role === 'boundary' || message.role === 'attachment') continue;
    for (const block of message.content) {
      if (block.type === 'tool_use') open.set(block.id, { id: block.id, name: block.name });
      if (block.type === 'tool_result') open.delete(block.tool_use_id);
    }
  }
  return [...open.values()];
}

/** Returns what is said up to the answer whose calls still run; the same list when none do. Pure. */
export function beforeOpenCalls(history: readonly Message[]): readonly Message[] {
  const open = new Set(openCalls(history).map(({ id }) => id));
  const at = history.findIndex(
    (message) =>
      message.role === 'assistant' &&
      message.content.some((block) => block.type === 'tool_use' && open.has(block.id)),
  );
  return at < 0 ? history : history.slice(0, at);
}

/** A call of an answer with its result, as the model reads it. */
export interface SettledCall {
  readonly call: ToolUseBlock;
  /** A text, or blocks where there is more than text. */
  readonly response: unknown;
}

/** Returns the calls of the newest answer that have results in the history, in the order they were asked. */
export function settledCalls(
  calls: readonly ToolUseBlock[],
  history: readonly Message[],
): readonly SettledCall[] {
  const results = new Map<string, unknown>();
  // Results come after their answer.
  for (const message of history.slice(history.findLastIndex((m) => m.role === 'assistant') + 1)) {
    if (message.role !== 'user') continue;
    for (const block of message.content) {
      if (block.type === 'tool_result') results.set(block.tool_use_id, plain(block.content));
    }
  }
  return calls.flatMap((call) =>
    results.has(call.id) ? [{ call, response: results.get(call.id) }] : [],
  );
}

/** Returns the content of a result; one text stands for itself. */
function plain(content: readonly { readonly type: string; readonly text?: string }[]): unknown {
  const [only] = content;
  return content.length === 1 && only?.type === 'text' ? only.text : content;
}
