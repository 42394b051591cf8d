import type { DurableEvent } from './agent-event';
import type { RestorePoint } from './checkpoint';
import { addDivider, type Position } from './dividers';
import type { Item } from './transcript';
import { type Change, type Draft, NOTHING, type Rows } from './transcript-draft';

type FilesChanged = Extract<DurableEvent, { type: 'files_changed' }>;

/** Marks the call that changed files; tells of a restore, and marks the calls that it took back or gave again. */
export function addFilesChanged(draft: Draft, position: Position, event: FilesChanged): Change {
  const { id, cause, count } = event;
  const { active, committed } = draft;
  if (cause.kind !== 'restore') {
    const change = (item: Item): Item => {
      if (item.kind !== 'call') return item;
      const { ids = [], count: before = 0 } = item.changed ?? {};
      return { ...item, changed: { ids: [...ids, id], count: before + count } };
    };
    if (!active.update(cause.callId, change)) committed.update(cause.callId, change);
    return NOTHING;
  }
  const { point, took } = cause;
  for (const rows of [active, committed]) {
    if (point.kind !== 'restore') mark(rows, took, true);
    else if (took.includes(point.id)) giveAgain(rows, point.id, (ids) => markAll(draft, ids));
  }
  return addDivider(draft, position, {
    code: 'files_restored',
    text: toldRestore(point, count),
    ...(point.kind === 'restore' ? {} : { restored: { id, took } }),
  });
}

/** Finds the row of a restore that was taken back, and takes its button away. */
function giveAgain(rows: Rows, id: string, onFound: (took: readonly string[]) => void): void {
  const row = rows.findLast((item) => item.kind === 'divider' && item.restored?.id === id);
  if (row?.kind !== 'divider' || row.restored === undefined) return;
  const { restored, ...rest } = row;
  rows.update(row.id, () => rest);
  onFound(restored.took);
}

const markAll = ({ active, committed }: Draft, ids: readonly string[]): void => {
  for (const rows of [active, committed]) mark(rows, ids, false);
};

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
