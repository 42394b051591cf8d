import { expect, test } from 'vitest';
import { problemLine } from '../../src/shared/settings-problem';

test('a problem names its place once', () => {
  const at = { file: '/p/.claude/settings.json', line: 3, level: 'warning' } as const;
  const named = '/p/.claude/settings.json, line 3: model: text is expected.';
  expect(problemLine({ ...at, message: named })).toBe(named);
  expect(problemLine({ ...at, message: 'model: text is expected.' })).toBe(named);
  expect(problemLine({ ...at, field: 'model', message: 'model: text is expected.' })).toBe(named);
  expect(problemLine({ ...at, field: 'model', message: 'text is expected.' })).toBe(named);
  expect(problemLine({ ...at, line: undefined, message: 'cannot be read.' })).toBe(
    '/p/.claude/settings.json: cannot be read.',
  );
});
