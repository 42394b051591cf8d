import { expect, test } from 'vitest';
import { DueAnswers } from '../../src/main/terminal/host/due-answers';

/** `ask` and `late`: a query, of which the second one comes from where nobody waits. Times pass in seconds. */
type Step = 'ask' | 'late' | 'prompt' | 'own prompt' | 'line' | number;

test.each<[string, readonly Step[], string]>([
  ['what a program asks', ['ask', 'ask'], '++'],
  ['what nobody asked for', [], '+'],
  ['what the background asks between', ['ask', 'late', 'late', 'ask'], '+--+'],
  ['what was asked before a prompt', ['ask', 'ask', 'prompt', 'ask'], '--+'],
  ['what a line editor asks for itself', ['ask', 'ask', 'own prompt', 'ask'], '-++'],
  ['what a line asks after what never was answered', ['ask', 'line', 'ask', 'late'], '+-'],
  ['what comes after a lost answer', ['late', 6, 'ask'], '+'],
  ['what goes on being asked', ['late', 3, 'late', 3, 'late'], '---+'],
])('answers are wanted in the order of their queries: %s', (_, steps, expected) => {
  let now = 0;
  const due = new DueAnswers(() => now);
  for (const step of steps) {
    if (typeof step === 'number') now += step * 1_000;
    else if (step === 'line') due.forgetWanted();
    else if (step === 'ask' || step === 'late') due.asked(1, step === 'late');
    else due.giveUp(step === 'prompt' ? 0 : 1);
  }
  const came = [...expected].map(() => (due.came(1) ? '-' : '+'));
  expect(came.join('')).toBe(expected);
});
