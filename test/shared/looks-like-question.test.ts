import { expect, it } from 'vitest';
import { looksLikeQuestion } from '../../src/shared/looks-like-question';

it.each([
  ['Continue? [y/N]', true],
  ['Do you want to proceed (yes/no)? ', true],
  ['Password:', true],
  ['Are you sure?', true],
  ['> ', true],
  ['Compiled 12 files', false],
  ['listening on 3000', false],
  ['  ', false],
])('%j: %s', (line, asks) => {
  expect(looksLikeQuestion(line)).toBe(asks);
});
