import type { Keymap } from '../../shared/keymap';
import { matches, type Press } from '../../shared/shortcut';
import type { CommandId } from '../../shared/window-commands';
import { keyText } from '../ui/keys';

/** The meaning of a key press in the composer. */
export type ComposerIntent =
  | 'submit'
  | 'newLine'
  | 'steer'
  | 'takeBack'
  | 'older'
  | 'newer'
  | 'stop'
  | 'leaveHistory'
  | 'rewind'
  | 'search'
  | 'menuUp'
  | 'menuDown'
  | 'menuComplete'
  | 'menuPick'
  | 'menuClose'
  | 'none';

/** A key press with what surrounds it. */
export interface ComposerKey extends Press {
  /** An input method is composing; its keys are its own. */
  readonly composing: boolean;
  readonly caretAtStart: boolean;
  readonly caretAtEnd: boolean;
  readonly empty: boolean;
  readonly running: boolean;
  readonly queued: boolean;
  readonly recalling: boolean;
  /** An earlier prompt is being edited, which Esc gives up before it stops anything. */
  readonly revising: boolean;
  /** The list of commands is open. */
  readonly menu: boolean;
  /** Milliseconds since the last Esc that did nothing. */
  readonly sinceEscape: number;
}

/** Two Esc within this many milliseconds mean rewind. */
const DOUBLE_ESCAPE_MS = 600;

/** The meaning of keys while the list of commands is open. */
const MENU_KEYS: Readonly<Record<string, ComposerIntent>> = {
  ArrowUp: 'menuUp',
  ArrowDown: 'menuDown',
  Tab: 'menuComplete',
  Enter: 'menuPick',
  Escape: 'menuClose',
};

/** Decides what a key does; `none` leaves it to the text field. */
export function composerIntent(keymap: Keymap, k: ComposerKey): ComposerIntent {
  if (k.composing) return 'none';
  if (k.menu && !k.shift && !k.alt && !k.mod) {
    const chosen = MENU_KEYS[k.key];
    if (chosen !== undefined) return chosen;
  }
  const command = keymap.commandFor(k, 'composer') ?? keymap.commandFor(k, 'window');
  switch (command?.id) {
    case 'send':
      return 'submit';
    case 'newLine':
      // The text field itself does so at Shift+Enter.
      return matches(k, 'shift+enter') ? 'none' : 'newLine';
    case 'steer':
      return k.running ? 'steer' : 'submit';
    case 'older':
      if (!k.caretAtStart) return 'none';
      return k.queued && k.empty ? 'takeBack' : 'older';
    case 'newer':
      return k.recalling && k.caretAtEnd ? 'newer' : 'none';
    case 'searchPrompts':
      return 'search';
    case 'stop':
      return k.key === 'Escape' ? escapeIntent(k) : k.running ? 'stop' : 'none';
    default:
      return 'none';
  }
}

function escapeIntent(k: ComposerKey): ComposerIntent {
  if (k.recalling) return 'leaveHistory';
  if (k.revising) return 'none';
  if (k.running) return 'stop';
  return k.sinceEscape < DOUBLE_ESCAPE_MS ? 'rewind' : 'none';
}

/** Tells whether an Esc did nothing, so that it may be the first of two. */
export const isIdleEscape = (k: ComposerKey, intent: ComposerIntent): boolean =>
  k.key === 'Escape' && intent === 'none' && !k.revising && !k.composing;

/** Returns what keys do now, the foremost first: a phone's width has room for one. */
export function keyHints(
  { keyOf }: Keymap,
  k: Pick<ComposerKey, 'running' | 'revising'> & { readonly draft: string },
  apple: boolean,
): readonly string[] {
  const named = (id: CommandId, does: string) =>
    keyOf(id) === '' ? [] : [`${keyText(keyOf(id), apple)} ${does}`];
  if (k.running && k.draft.trim() === '') return k.revising ? [] : ['Esc stops'];
  if (k.running) return [...named('send', 'queues it'), ...named('steer', 'steers now')];
  if (!k.draft.includes('\n')) return [];
  return [...named('send', 'sends'), ...named('newLine', 'makes a new line')];
}

/** A position in the prompts sent before. `at` counts back from the newest, 1 is the newest. */
export interface Recall {
  readonly at: number;
  /** The draft before going back. */
  readonly draft: string;
}

/** Not looking back. */
export const NOT_RECALLING: Recall = { at: 0, draft: '' };

/**
 * Goes one step back (`older`) or forward through `history` (oldest first) from `draft`. Null when there is
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
