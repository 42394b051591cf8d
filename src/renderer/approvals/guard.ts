/** An approval may be given at the earliest this many milliseconds after it showed. UI.md. */
export const GUARD_MS = 400;

/**
 * How long approving is still held back, in milliseconds. The wait starts when the question shows and again
 * with every key that was meant for something else (typing that ran into the dialog). Times share one clock.
 */
export const guardLeft = (shownAt: number, lastStrayKeyAt: number, now: number): number =>
  Math.max(0, Math.max(shownAt, lastStrayKeyAt) + GUARD_MS - now);

/** What a key press on the dialog itself (not on a field or button in it) means. */
export type DialogIntent =
  | 'allow'
  | 'deny'
  | 'closePanel'
  | 'giveReason'
  | 'next'
  | 'previous'
  | 'pageDown'
  | 'pageUp'
  | 'toEnd'
  | 'toStart'
  /** Typing that was meant for something else. */
  | 'stray'
  | 'none';

export interface DialogKey {
  readonly key: string;
  /** The key is held down; it was pressed before the dialog showed. */
  readonly repeat: boolean;
  readonly composing: boolean;
  readonly shift: boolean;
  /** Any of Ctrl, Alt, ⌘. */
  readonly modified: boolean;
  /** Whether the focus is on the dialog itself, and not on something in it. */
  readonly onFrame: boolean;
  /** A field is open that Esc closes first. */
  readonly panelOpen: boolean;
  readonly several: boolean;
  /** Milliseconds the guard still holds. */
  readonly guardLeft: number;
}

/** Decides what a key does in the approval dialog. Only a fresh, unmodified Enter after the guard approves. */
export function dialogIntent(k: DialogKey): DialogIntent {
  if (k.composing) return 'none';
  if (k.key === 'Escape') return k.panelOpen ? 'closePanel' : 'deny';
  if (!k.onFrame || k.modified) return 'none';
  switch (k.key) {
    case 'Enter':
      if (k.shift) return 'none';
      return k.repeat || k.guardLeft > 0 ? 'stray' : 'allow';
    case 'Tab':
      return k.shift || k.panelOpen ? 'none' : 'giveReason';
    case 'ArrowDown':
      return k.several ? 'next' : 'pageDown';
    case 'ArrowUp':
      return k.several ? 'previous' : 'pageUp';
    case 'PageDown':
      return 'pageDown';
    case 'PageUp':
      return 'pageUp';
    case 'End':
      return 'toEnd';
    case 'Home':
      return 'toStart';
    default:
      return [...k.key].length === 1 ? 'stray' : 'none';
  }
}
