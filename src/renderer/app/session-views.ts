import type { DiffHunk, TodoItem, ToolView } from '../../shared/tool-call';
import type { Item } from '../../shared/transcript';

/** A plan as a call shows it. */
export type PlanView = Extract<ToolView, { kind: 'plan' }>;

/** One change of a file by one call, in the order it happened. */
export interface FileChange {
  readonly callId: string;
  readonly path: string;
  readonly created: boolean;
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly DiffHunk[];
}

/** A file with every change the session made to it. */
export interface ChangedFile {
  readonly path: string;
  readonly created: boolean;
  readonly added: number;
  readonly removed: number;
  readonly changes: readonly FileChange[];
}

/** Returns the changes that really happened among these rows. */
export const changesIn = (items: readonly Item[]): readonly FileChange[] =>
  items.flatMap((item) =>
    item.kind === 'call' && item.status === 'done' && item.view?.kind === 'diff'
      ? [{ ...item.view, callId: item.id }]
      : [],
  );

/** Groups changes by file, the file touched last first. */
export function byFile(changes: readonly FileChange[]): readonly ChangedFile[] {
  const files = new Map<string, FileChange[]>();
  for (const change of changes) {
    const known = files.get(change.path) ?? [];
    files.delete(change.path);
    files.set(change.path, [...known, change]);
  }
  return [...files.entries()]
    .map(([path, list]) => ({
      path,
      created: list[0]?.created ?? false,
      added: list.reduce((sum, c) => sum + c.added, 0),
      removed: list.reduce((sum, c) => sum + c.removed, 0),
      changes: list,
    }))
    .reverse();
}

/** Returns the newest plan among these rows, or null. */
export function latestTodos(items: readonly Item[]): readonly TodoItem[] | null {
  const last = items.findLast((item) => item.kind === 'call' && item.view?.kind === 'todo');
  return last?.kind === 'call' && last.view?.kind === 'todo' ? last.view.items : null;
}

/** Returns the newest plan the model put before the user among these rows, or null. */
export function latestPlan(items: readonly Item[]): PlanView | null {
  const last = items.findLast((item) => item.kind === 'call' && item.view?.kind === 'plan');
  return last?.kind === 'call' && last.view?.kind === 'plan' ? last.view : null;
}

/** Returns the prompts of these rows, oldest first, without the same one twice in a row. */
export const promptsIn = (items: readonly Item[]): readonly string[] =>
  items
    .flatMap((item) => (item.kind === 'prompt' ? [item.text] : []))
    .filter((text, at, all) => text !== all[at - 1]);

/** Returns the running foreground command that could go on in the background, or null. */
export function foregroundCall(items: readonly Item[]): string | null {
  const call = items.findLast(
    (item) =>
      item.kind === 'call' &&
      item.status === 'running' &&
      item.view?.kind === 'shell' &&
      !item.view.background,
  );
  return call?.id ?? null;
}
