import type { Keymap } from '../../shared/keymap';
import type { Press } from '../../shared/shortcut';

/** Time from showing a question to the earliest approval, in milliseconds. docs/spec.md L2 */
export const GUARD_MS = 400;

/**
 * Returns the time approving is still held back, in milliseconds. The wait starts when the question shows and again
 * with every key that was meant for something else (typing that ran into the dialog). Times share one clock.
 */
export const guardLeft = (shownAt: number, lastStrayKeyAt: number, now: number): number =>
  Math.max(0, Math.max(shownAt, lastStrayKeyAt) + GUARD_MS - now);

/** The meaning of a key as an answer; each kind of question maps it to its own. */
export type AnswerIntent = 'allow' | 'always' | 'edit' | 'deny' | 'giveReason';

/** The meaning of a key press in the dialog. */
export type DialogIntent =
  | AnswerIntent
  | 'closePanel'
  | 'next'
  | 'previous'
  /** Scrolls by so many pages. */
  | { readonly pages: number }
  /** Typing that was meant for something else. */
  | 'stray'
  | 'none';

export interface DialogKey extends Press {
  /** The key is held down; it was pressed before the dialog showed. */
  readonly repeat: boolean;
  readonly composing: boolean;
  /** The focus is on the dialog itself, not on an element in it. */
  readonly onFrame: boolean;
  /** A field is open that Esc closes first. */
  readonly panelOpen: boolean;
  readonly several: boolean;
  /** Milliseconds the guard still holds. */
  readonly guardLeft: number;
}

/** Decides what a key does in the approval dialog. Only a fresh, unmodified Enter after the guard approves. */
export function dialogIntent(keymap: Keymap, k: DialogKey): DialogIntent {
  if (k.composing) return 'none';
  const id = keymap.commandFor(k, 'asking')?.id;
  if (id === 'deny') return k.panelOpen ? 'closePanel' : 'deny';
  if (!k.onFrame || k.panelOpen) return 'none';
  const early = k.repeat || k.guardLeft > 0;
  switch (id) {
    case 'allow':
    case 'always':
      return early ? 'stray' : id;
    case 'edit':
    case 'giveReason':
      return id;
    case 'next':
      return k.several ? 'next' : { pages: 1 };
    case 'previous':
      return k.several ? 'previous' : { pages: -1 };
  }
  if (k.mod || k.other || k.alt) return 'none';
  switch (k.key) {
    case 'PageDown':
      return { pages: 1 };
    case 'PageUp':
      return { pages: -1 };
    case 'End':
      return { pages: Number.MAX_SAFE_INTEGER };
    case 'Home':
      return { pages: -Number.MAX_SAFE_INTEGER };
    default:
      return [...k.key].length === 1 ? 'stray' : 'none';
  }
}
