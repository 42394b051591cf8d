import type { DurableEvent } from './agent-event';
import type { RestorePoint } from './checkpoint';
import { addDivider, type Position } from './dividers';
import type { AgentTranscript, Item } from './transcript';
import {
  type Change,
  createDraft,
  type Draft,
  NOTHING,
  type Rows,
  settleDraft,
} from './transcript-draft';

export type FilesChanged = Extract<DurableEvent, { type: 'files_changed' }>;

/** Marks the call that changed files; tells of a restore, and marks the calls that it took back or gave again. */
export function addFilesChanged(draft: Draft, position: Position, event: FilesChanged): Change {
  const { id, cause, count } = event;
  const { active, committed } = draft;
  if (cause.kind !== 'restore') {
    markCalls(draft, event);
    return NOTHING;
  }
  const { point, took } = cause;
  const marked = undoneBy(event, (restore) => tookOf(draft, restore));
  if (marked !== null) markUndone(draft, marked);
  for (const rows of [active, committed]) if (point.kind === 'restore') giveAgain(rows, point.id);
  return addDivider(draft, position, {
    code: 'files_restored',
    text: toldRestore(point, count),
    ...(point.kind === 'restore' ? {} : { restored: { id, took } }),
  });
}

/** Marks the call that changed files, and those that started the sub-agents around it, as far as the draft has them. */
export function markCalls({ active, committed }: Draft, { id, cause, count }: FilesChanged): void {
  if (cause.kind === 'restore') return;
  const change = (item: Item): Item => {
    if (item.kind !== 'call') return item;
    const { ids = [], count: before = 0 } = item.changed ?? {};
    return { ...item, changed: { ids: [...ids, id], count: before + count } };
  };
  for (const callId of [cause.callId, ...(cause.within ?? [])])
    if (!active.update(callId, change)) committed.update(callId, change);
}

/** Changes that were undone or given again, by their ids. */
interface Undone {
  readonly ids: readonly string[];
  readonly undone: boolean;
}

/** Returns the changes that an event undid or gave again; null for one that did neither. Pure. */
export function undoneBy(
  event: FilesChanged,
  tookOf: (restore: string) => readonly string[],
): Undone | null {
  if (event.cause.kind !== 'restore') return null;
  const { point, took } = event.cause;
  if (point.kind !== 'restore') return { ids: took, undone: true };
  return took.includes(point.id) ? { ids: tookOf(point.id), undone: false } : null;
}

/** Returns what a restore took back, as its row says; nothing when that is gone. */
export function tookOf({ active, committed }: Draft, restore: string): readonly string[] {
  const isIt = (item: Item) => item.kind === 'divider' && item.restored?.id === restore;
  const row = active.findLast(isIt) ?? committed.findLast(isIt);
  return row?.kind === 'divider' ? (row.restored?.took ?? []) : [];
}

/** Takes the button of a restore away that was taken back. */
function giveAgain(rows: Rows, id: string): void {
  const row = rows.findLast((item) => item.kind === 'divider' && item.restored?.id === id);
  if (row?.kind !== 'divider' || row.restored === undefined) return;
  const { restored: _, ...rest } = row;
  rows.update(row.id, () => rest);
}

/** Marks the calls of an agent that were undone or given again. */
export function markUndone({ active, committed }: Draft, { ids, undone }: Undone): void {
  for (const rows of [active, committed]) mark(rows, ids, undone);
}

/**
 * Returns the transcript of a sub-agent with the marks of its calls. `events`: what changed files in its session, in order.
 * Pure.
 */
export function withChanges(
  transcript: AgentTranscript,
  events: readonly FilesChanged[],
): AgentTranscript {
  const draft = createDraft(transcript, true);
  const took = new Map<string, readonly string[]>();
  for (const event of events) {
    markCalls(draft, event);
    const marked = undoneBy(event, (restore) => took.get(restore) ?? []);
    if (marked !== null) markUndone(draft, marked);
    if (event.cause.kind === 'restore') took.set(event.id, event.cause.took);
  }
  return settleDraft(draft);
}

/** Marks the calls all of whose changes are among these. */
function mark(rows: Rows, ids: readonly string[], undone: boolean): void {
  const known = new Set(ids);
  for (const item of rows.list()) {
    if (item.kind !== 'call' || !item.changed?.ids.every((id) => known.has(id))) continue;
    const { undone: _, ...changed } = item.changed;
    rows.update(item.id, () => ({
      ...item,
      changed: undone ? { ...changed, undone } : changed,
    }));
  }
}

/** Says in words how many files a restore changed. */
function toldRestore(point: RestorePoint, count: number): string {
  if (point.kind === 'file') return `Took back changes of ${point.path}`;
  const { kind } = point;
  const files = count === 1 ? '1 file' : `${count} files`;
  if (kind === 'restore') return `Restored again what was undone: ${files}`;
  return kind === 'call' ? `Undid what a call changed: ${files}` : `Files went back: ${files}`;
}
