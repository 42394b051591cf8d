import { expect, test } from 'vitest';
import {
  draftOf,
  EMPTY_PROFILE,
  profileOf,
  splitWords,
} from '../../../src/renderer/settings/profile-text';
import type { TerminalProfile } from '../../../src/shared/settings';

test.each<[string, readonly string[] | null]>([
  ['', []],
  ['  ', []],
  ['-q  -i\n', ['-q', '-i']],
  [`-c 'import math' ''`, ['-c', 'import math', '']],
  [`"say \\"hi\\" \\n" a\\ b`, ['say "hi" \\n', 'a b']],
  [`it'"'s`, ['it"s']],
  [`one"two"'three'`, ['onetwothree']],
  ['größe ✓', ['größe', '✓']],
  ['"open', null],
  ["'open", null],
  ['end\\', null],
])('%j is read as %j', (text, words) => expect(splitWords(text)).toEqual(words));

const profile: TerminalProfile = {
  name: 'Python',
  program: '/opt/my python/bin/python3',
  args: ['-c', `print("it's")`, '', 'a b', '~/x'],
  env: { PYTHONPATH: '/a b:/c', EMPTY: '', QUOTE: `it's` },
};

test('a profile comes back from its fields as it was', () => {
  expect(profileOf(draftOf(profile), [])).toEqual(profile);
});

test.each([
  [{ ...EMPTY_PROFILE, program: 'x' }, 'name'],
  [{ ...EMPTY_PROFILE, name: ' Python ', program: 'x' }, 'name'],
  [{ ...EMPTY_PROFILE, name: 'x' }, 'program'],
  [{ ...EMPTY_PROFILE, name: 'x', program: 'x', args: "it's" }, 'args'],
  [{ ...EMPTY_PROFILE, name: 'x', program: 'x', env: 'A=1 B' }, 'env'],
  [{ ...EMPTY_PROFILE, name: 'x', program: 'x', env: '1A=1' }, 'env'],
  [{ ...EMPTY_PROFILE, name: 'x'.repeat(81), program: 'x' }, 'name'],
])('%j is wrong in its %s', (draft, field) => {
  expect(profileOf(draft, [profile])).toMatchObject({ field, problem: expect.any(String) });
});
