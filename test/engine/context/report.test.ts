import { expect, it } from 'vitest';
import { contextReport } from '../../../src/main/engine/context/report';
import { emptyTranscript } from '../../../src/shared/transcript';

const told = (context: { usedTokens: number; windowTokens: number } | null) =>
  contextReport({ ...emptyTranscript('s', 'e'), context }, 200_000);

it.each([
  ['what a request told', 100_000, 'Context: 5000 of 100000 tokens\nFree: 95000 (95.0 %)'],
  [
    'what the model has, before one did',
    0,
    'Context: 5000 of 200000 tokens\nFree: 195000 (97.5 %)',
  ],
])('takes the size of the window for %s', (_, windowTokens, lines) => {
  expect(told({ usedTokens: 5_000, windowTokens })).toContain(lines);
});

it('says nothing of a conversation that was not counted', () => {
  expect(told(null)).toBe('Counted with the first answer.');
});
