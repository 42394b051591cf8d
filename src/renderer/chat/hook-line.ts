import type { HookOutcome, HookReport } from '../../shared/hooks';
import type { WorkState } from '../ui/StateGlyph';

/** A hook by its moment: "the PreToolUse hook (Bash)". */
export const hookName = ({ event, subject }: Pick<HookReport, 'event' | 'subject'>): string =>
  subject === '' ? `the ${event} hook` : `the ${event} hook (${subject})`;

/** The glyph of a hook that has ended. */
export function hookState(outcome: HookOutcome): WorkState {
  switch (outcome) {
    case 'done':
      return 'done';
    case 'blocked':
      return 'refused';
    case 'failed':
      return 'failed';
    case 'cancelled':
      return 'stopped';
  }
}

const WORDS: Readonly<Record<HookOutcome, string>> = {
  done: '',
  blocked: 'blocked',
  failed: 'failed',
  cancelled: 'stopped',
};

/** What came of it in one line: "blocked: no deletions here". Its first words when it only spoke. */
export function hookLine({ outcome, note, stdout, stderr }: HookReport): string {
  const words = WORDS[outcome];
  const said = firstLine(note) || firstLine(stderr) || firstLine(stdout);
  return [words, said].filter((part) => part !== '').join(': ');
}

const firstLine = (text: string): string => text.trim().split('\n', 1)[0] ?? '';
