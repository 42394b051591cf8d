import type { TerminalKey } from '../terminal/live-terminal';
import { matches, type Press } from '../ui/keys';
import { commandFor } from './table';

/**
 * Returns true when the app takes a key press away from a focused terminal. On Apple's keyboards ⌘ never means
 * anything to a shell; elsewhere Ctrl does, and only keys that a shell cannot see are taken.
 */
export function appTakesFromTerminal(press: Press, apple: boolean): boolean {
  const command = commandFor(press, 'window');
  if (command === null || command.inComposer) return false;
  return apple ? press.mod : command.overTerminal === true;
}

/** Says whom a key press in a focused terminal is for. ⌘C copies on Apple's keyboards, where Ctrl+C interrupts. */
export function terminalKey(press: Press, apple: boolean): TerminalKey {
  const own = commandFor(press, 'terminal');
  if (own?.run !== undefined) return 'app';
  if (own?.id === 'copySelection' || (apple && matches(press, 'mod+c'))) return 'copy';
  return appTakesFromTerminal(press, apple) ? 'app' : 'program';
}
