/** What a key press means in a dialog about several files. */
export type FileIntent =
  | { readonly kind: 'select'; readonly at: number }
  /** To the question before or after this one. */
  | { readonly kind: 'leave'; readonly by: 1 | -1 }
  | { readonly kind: 'allowOne' }
  | { readonly kind: 'denyOne' }
  /** Typing that was meant for something else. */
  | { readonly kind: 'stray' }
  | { readonly kind: 'none' };

export interface FileKey {
  readonly key: string;
  /** The key is held down. */
  readonly repeat: boolean;
  /** The platform's main modifier, and nothing else, is held. */
  readonly mod: boolean;
  /** No modifier is held. */
  readonly plain: boolean;
  /** The chosen file and how many there are. */
  readonly at: number;
  readonly count: number;
  /** Other questions wait. */
  readonly others: boolean;
  /** Milliseconds the guard still holds. */
  readonly guardLeft: number;
}

const NONE: FileIntent = { kind: 'none' };

/**
 * Decides what a key does to the chosen file. Up and down go on to the other questions at the ends of the list, or round it
 * when there are none. One file is answered by a fresh key after the guard only: Backspace may be left over from typing.
 */
export function fileIntent(k: FileKey): FileIntent {
  const step = k.key === 'ArrowDown' ? 1 : k.key === 'ArrowUp' ? -1 : null;
  if (step !== null) {
    if (!k.plain) return NONE;
    const at = k.at + step;
    if (at >= 0 && at < k.count) return { kind: 'select', at };
    return k.others
      ? { kind: 'leave', by: step }
      : { kind: 'select', at: (at + k.count) % k.count };
  }
  const answer =
    k.key === 'Enter' && k.mod
      ? 'allowOne'
      : (k.key === 'Delete' || k.key === 'Backspace') && k.plain
        ? 'denyOne'
        : null;
  if (answer === null) return NONE;
  return { kind: k.repeat || k.guardLeft > 0 ? 'stray' : answer };
}
