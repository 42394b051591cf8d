import type { AgentEvent } from './agent-event';
import { addQueuedMark, type Position } from './dividers';
import { heldOr } from './fold-shown';
import { previewTarget } from './input-preview';
import { carriedTexts, typedWords } from './paste';
import { blockItemId, type CallItem, type Item } from './transcript';
import { type Change, type Draft, NOTHING, type Rows } from './transcript-draft';

/** Adds the row of a prompt. */
export function addPrompt(
  draft: Draft,
  { id, content }: Extract<AgentEvent, { type: 'user_message' }>,
  at: number,
  position: Position,
): Change {
  const { query } = draft.t;
  const asked = query?.promptId === null ? { query: { ...query, promptId: id } } : NOTHING;
  const pastes = carriedTexts(content);
  const images = content.filter(({ type }) => type === 'image').length;
  const text = typedWords(content);
  if (text === '' && pastes.length + images === 0) return asked;
  addQueuedMark(draft, position);
  addRow(draft, {
    ...{ kind: 'prompt', id, text, at },
    ...(images === 0 ? {} : { images }),
    ...(pastes.length === 0 ? {} : { pastes }),
  });
  return asked;
}

function addRow({ active }: Draft, item: Item): Change {
  active.add(item);
  return NOTHING;
}

type BlockStart = Extract<AgentEvent, { type: 'block_started' }>;
type BlockFinish = Extract<AgentEvent, { type: 'block_finished' }>;

/** Adds the row of a block that begins: words, a thought, or a call whose input is being received. */
export function addBlockStart(draft: Draft, event: BlockStart): Change {
  const { kind, tool } = event;
  const id = blockItemId(event.messageId, event.index);
  if (kind === 'tool_use' && tool !== undefined) {
    return addRow(draft, {
      ...askedCall({ id, name: tool }),
      status: 'receiving',
      received: { json: '', chars: 0 },
    });
  }
  if (kind !== 'text' && kind !== 'thinking') return NOTHING;
  const held = kind === 'text' && event.held ? ({ held: true } as const) : {};
  return addRow(draft, { kind, id, text: '', done: false, ...held });
}

/** As much of an input as is looked at for the title of its call: what names a call comes first. Characters. */
const MAX_LOOKED_AT = 4_096;

/** Adds a piece of a call's input to its row: its title as soon as it is known, and how long it is by now. */
export function receiving(call: CallItem, text: string, project: string): CallItem {
  if (call.received === undefined) return call;
  const { json, chars } = call.received;
  const received = { json: (json + text).slice(0, MAX_LOOKED_AT), chars: chars + text.length };
  if (json.length === MAX_LOOKED_AT) return { ...call, received };
  const target = previewTarget(received.json, project);
  return { ...call, received, title: { ...call.title, target } };
}

/** Puts a finished block in place of what its deltas built; a log has no deltas, so it is simply added. */
export function addBlock(draft: Draft, event: BlockFinish): Change {
  const { block } = event;
  const id = blockItemId(event.messageId, event.index);
  switch (block.type) {
    case 'text':
      if (draft.active.update(id, (item) => heldOr(item, block.text))) return NOTHING;
      return addRow(draft, { kind: 'text', id, text: block.text, done: true });
    case 'thinking':
      return upsert(draft, { kind: 'thinking', id, text: block.thinking, done: true });
    case 'tool_use':
      if (draft.active.has(block.id) || draft.active.update(id, () => askedCall(block))) {
        return NOTHING;
      }
      return addRow(draft, askedCall(block));
    default:
      return NOTHING;
  }
}

const askedCall = ({ id, name }: { readonly id: string; readonly name: string }): CallItem => ({
  kind: 'call',
  id,
  tool: name,
  title: { verb: name, target: '' },
  status: 'queued',
  view: null,
});

const upsert = (draft: Draft, item: Item): Change =>
  draft.active.update(item.id, () => item) ? NOTHING : addRow(draft, item);

/** Adds the row of a call, or brings it up to date. */
export function upsertCall(draft: Draft, call: Omit<CallItem, 'kind'>): Change {
  const { active, committed } = draft;
  const change = (item: Item): Item =>
    item.kind === 'call' ? { ...item, ...call, view: call.view ?? item.view } : item;
  if (active.update(call.id, change)) return NOTHING;
  // A call of an earlier turn of the running query may still report, for example from the background.
  const known = committed.findLast(({ id, kind }) => id === call.id || kind === 'end');
  if (known?.kind === 'call' && committed.update(call.id, change)) return NOTHING;
  return addRow(draft, { kind: 'call', ...call });
}

/** Takes an answer's rows out. It is the newest answer, so none of them stands before words of another one. */
export function removeAnswer(
  active: Rows,
  { messageId, calls }: Extract<AgentEvent, { type: 'tombstone' }>,
): Change {
  const isOwn = ({ id }: Item) => id.startsWith(`${messageId}:`);
  active.removeAfter(
    (item) => (item.kind === 'text' || item.kind === 'thinking') && !isOwn(item),
    (item) => isOwn(item) || (calls?.includes(item.id) ?? false),
  );
  return NOTHING;
}

/** Moves the rows of the turn that has ended to `committed`, so that the next turn changes only its own rows. */
export function settleTurn({ active, committed }: Draft): void {
  for (const item of active.takeAll()) {
    // Half a call was never made.
    if (item.kind !== 'call' || item.status !== 'receiving') committed.add(item);
  }
}
