import { expect, test } from 'vitest';
import { problemWords } from '../../../src/renderer/settings/problem-words';

test.each([
  [
    {
      file: '/a.json',
      line: 3,
      field: 'model',
      message: '/a.json, line 3: model: a text is expected.',
    },
    'a text is expected.',
  ],
  [
    { file: '/a.json', field: 'model', message: '/a.json: not from a folder.' },
    'not from a folder.',
  ],
  [{ file: '', message: 'The mode is off.' }, 'The mode is off.'],
] as const)('a problem is told without its place: %j', (problem, words) => {
  expect(problemWords({ ...problem, level: 'warning' })).toBe(words);
});
