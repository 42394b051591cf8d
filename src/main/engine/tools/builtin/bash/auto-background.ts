import { looksLikeQuestion } from '../../../../../shared/looks-like-question';
import type { ShellAnalysis } from '../../../permissions/request';
import { lastLineOf } from '../../../tasks/output-reader';

/** Programs that only wait: in the background they are of no use to anybody. */
const WAITING = new Set(['sleep', 'wait', 'read']);

/** Programs that fill the screen for a user: nothing comes of them in the background. */
const FOR_PEOPLE = new Set([
  'vi',
  'vim',
  'nvim',
  'view',
  'nano',
  'pico',
  'less',
  'more',
  'most',
  'man',
  'top',
  'htop',
  'btop',
  'tmux',
  'screen',
]);

/**
 * Returns whether a command is worth keeping when its time is over: not one that only waits, and not one that is
 * made for a user at the keyboard. Pure.
 */
export function isWorthKeeping({ commands }: ShellAnalysis): boolean {
  const names = commands.flatMap(({ words }) => words[0]?.split('/').at(-1) ?? []);
  if (names.some((name) => FOR_PEOPLE.has(name))) return false;
  return names.length === 0 || names.some((name) => !WAITING.has(name));
}

/** Returns whether the end of an output asks something that nobody answers in the background. */
export const asksSomething = (tail: string): boolean => looksLikeQuestion(lastLineOf(tail));
