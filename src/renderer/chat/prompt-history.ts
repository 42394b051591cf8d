/** Where a person stands in the prompts they sent before. `at` counts back from the newest, 1 is the newest. */
export interface Recall {
  readonly at: number;
  /** What was being written when they began to look back. */
  readonly draft: string;
}

/** Not looking back. */
export const NOT_RECALLING: Recall = { at: 0, draft: '' };

/**
 * One step back (`older`) or forward through `history` (oldest first) from `draft`. Null when there is
 * nothing further that way; a step forward past the newest gives back the draft.
 */
export function recallStep(
  recall: Recall,
  history: readonly string[],
  draft: string,
  direction: 'older' | 'newer',
): { readonly recall: Recall; readonly text: string } | null {
  const at = recall.at + (direction === 'older' ? 1 : -1);
  if (at < 0 || at > history.length) return null;
  const kept = recall.at === 0 ? draft : recall.draft;
  if (at === 0) return { recall: NOT_RECALLING, text: kept };
  return { recall: { at, draft: kept }, text: history[history.length - at] ?? '' };
}
