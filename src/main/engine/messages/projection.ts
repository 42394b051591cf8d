import type { ContextEdit } from '../../../shared/context-edit';
import type { Message, ResultContent, UserBlock } from '../../../shared/message';
import { CLEARED } from './cache';

/**
 * Applies edits of the context to messages, whose number and ids stay. `folds` has what an unfold brings back. Thinking behind the first changed message
 * goes: the API refuses it once what was before it is another. What a clearing takes out stays beside it, for an API that
 * clears by itself; `released`: what earlier ones took out does not. Returns the same object for a message that stays as it is. Pure.
 */
export function project(
  messages: readonly Message[],
  edits: readonly ContextEdit[],
  folds: Folds = NO_FOLDS,
  released = false,
): readonly Message[] {
  const byId = new Map(
    edits.flatMap((edit) => editedIds(edit, folds).map((id, at) => [id, { edit, at }])),
  );
  let isChanged = false;
  /** What an API that clears by itself is sent has changed too. */
  let isChangedThere = false;
  return messages.map((message) => {
    const found = byId.get(message.id);
    const clears = found !== undefined && isClearing(found.edit);
    const before = released ? releasedOf(message) : message;
    isChangedThere ||= before !== message;
    isChanged ||= isChangedThere;
    const edited = found === undefined ? before : applyEdit(before, found, folds);
    const sent = isChanged ? withoutThinking(edited) : edited;
    isChanged ||= edited !== before;
    isChangedThere ||= edited !== before && !clears;
    if (sent.role === 'user')
      return clears
        ? { ...sent, uncleared: unclearedOf(before) }
        : edited === before
          ? sent
          : releasedOf(sent);
    if (sent.role !== 'assistant') return sent;
    if (isChangedThere) return releasedOf(sent);
    return sent === before ? sent : { ...sent, uncleared: unclearedOf(before) };
  });
}

/** The messages that folds left out, by the ids of the folds. */
type Folds = ReadonlyMap<string, readonly Message[]>;
const NO_FOLDS: Folds = new Map();

/** Returns the ids of the messages that an edit changes. */
export function editedIds(edit: ContextEdit, folds: Folds): readonly string[] {
  switch (edit.kind) {
    case 'replace_result':
      return [resultId(edit.callId)];
    case 'drop_thinking':
      return [edit.messageId];
    case 'fold':
      return edit.messageIds;
    case 'unfold':
      return (folds.get(edit.id) ?? []).map(({ id }) => id);
  }
}

/** The kind of the attachment that stands for folded messages. */
export const FOLDED = 'folded';

/** Applies an edit to the message that is the one `at` among those it changes. */
function applyEdit(
  message: Message,
  { edit, at }: { readonly edit: ContextEdit; readonly at: number },
  folds: Folds,
): Message {
  if (edit.kind === 'drop_thinking') return withoutThinking(message);
  if (edit.kind === 'fold') {
    const text = at === 0 ? edit.text : '';
    return { role: 'attachment', id: message.id, kind: FOLDED, text, about: edit.id };
  }
  if (edit.kind === 'unfold') return withoutThinking(folds.get(edit.id)?.[at] ?? message);
  if (message.role !== 'user') return message;
  const content = message.content.map((block) =>
    block.type === 'tool_result' && block.tool_use_id === edit.callId
      ? { ...block, content: edit.content }
      : block,
  );
  return { ...message, content };
}

/** Returns an answer without its thinking; the same object when it has none. */
export function withoutThinking(message: Message): Message {
  if (message.role !== 'assistant') return message;
  const content = message.content.filter(({ type }) => !isThinkingType(type));
  return content.length === message.content.length ? message : { ...message, content };
}

const isThinkingType = (type: string): boolean =>
  type === 'thinking' || type === 'redacted_thinking';

/** Returns the id of the message that holds a call's result. */
export const resultId = (callId: string): string => `${callId}:result`;

/** Tells whether an edit clears a result whose call can be made again. */
const isClearing = (edit: ContextEdit): boolean => {
  const [first] = edit.kind === 'replace_result' ? edit.content : [];
  return first?.type === 'text' && first.text.startsWith(CLEARED);
};

/** Returns a message as an API that clears by itself is sent it. */
export const unclearedOf = (message: Message): Message =>
  message.role === 'user' || message.role === 'assistant'
    ? (message.uncleared ?? message)
    : message;

/** Returns a message without what a clearing took out of it; the same object when none did. */
export function releasedOf(message: Message): Message {
  if (message.role !== 'user' && message.role !== 'assistant') return message;
  if (message.uncleared === undefined) return message;
  const { uncleared: _, ...rest } = message;
  return rest;
}

/**
 * The most of what was cleared that is kept, and sent to an API that clears by itself: it goes over the wire with each
 * request. Characters.
 */
const MAX_UNCLEARED = 1_000_000;

/** Tells whether clearing these results would keep more of what was cleared than may be sent. */
export function isTooMuchUncleared(
  messages: readonly Message[],
  edits: readonly ContextEdit[],
): boolean {
  const clears = edits.filter(isClearing);
  if (clears.length === 0) return false;
  const ids = new Set(clears.flatMap((edit) => editedIds(edit, NO_FOLDS)));
  let chars = 0;
  for (const message of messages) {
    if (message.role !== 'user') continue;
    const kept = ids.has(message.id) ? unclearedOf(message) : message.uncleared;
    if (kept?.role === 'user') chars += resultChars(kept.content);
  }
  return chars > MAX_UNCLEARED;
}

const resultChars = (content: readonly UserBlock[]): number =>
  content.reduce(
    (sum, block) =>
      block.type === 'tool_result'
        ? sum + block.content.reduce((chars, part) => chars + partChars(part), 0)
        : sum,
    0,
  );

const partChars = (part: ResultContent): number =>
  part.type === 'text' ? part.text.length : part.source.data.length;
