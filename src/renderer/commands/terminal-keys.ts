import type { Keymap } from '../../shared/keymap';
import { matches, type Press } from '../../shared/shortcut';
import type { TerminalKey } from '../terminal/terminal-input';
import { isRunnable } from './table';

/** Returns true when what is pressed in a terminal reaches no program: it has ended, or only shows what a command does. */
export const reachesNobody = ({ target }: Event): boolean =>
  target instanceof HTMLTextAreaElement && target.readOnly;

/**
 * Returns true when the app takes a key press away from a focused terminal. On Apple's keyboards ⌘ never means
 * anything to a shell; elsewhere Ctrl does, and only keys that a shell cannot see are taken. Esc leads out of a terminal
 * whose keys are `unheard`; all others of the app are taken from it.
 */
export function appTakesFromTerminal(
  keymap: Keymap,
  press: Press,
  apple: boolean,
  unheard: boolean,
): boolean {
  const command = keymap.commandFor(press, 'window');
  if (command === null || command.inComposer) return false;
  if (unheard) return !matches(press, 'esc');
  return apple ? press.mod : command.overTerminal === true;
}

/** Stands for the menu key, which many keyboards lack; the browser opens the menu. Apple's systems have neither. */
const MENU_KEYS = 'shift+f10';

/** Says whom a key press in a focused terminal is for. ⌘C copies on Apple's keyboards, where Ctrl+C interrupts. */
export function terminalKey(
  keymap: Keymap,
  press: Press,
  apple: boolean,
  unheard: boolean,
): TerminalKey {
  const own = keymap.commandFor(press, 'terminal');
  // The browser's own key for it pastes without asking for leave.
  if (own?.id === 'pasteText' && matches(press, 'mod+shift+v')) return 'program';
  if (own !== null && isRunnable(own.id)) return 'app';
  if (own?.id === 'copySelection' || (apple && matches(press, 'mod+c'))) return 'copy';
  if (!apple && matches(press, MENU_KEYS)) return 'app';
  return appTakesFromTerminal(keymap, press, apple, unheard) ? 'app' : 'program';
}
