import { expect, it } from 'vitest';
import { parseMentions } from '../../src/main/engine/attachments/parse-mentions';
import { mentionText } from '../../src/shared/project-file';

it.each([
  ['src/auth.ts', '@src/auth.ts'],
  ['src/', '@src/'],
  ['src/login form.ts', '@"src/login form.ts"'],
  ['notes (old)', '@"notes (old)"'],
  ['what?', '@"what?"'],
  ['etc.', '@"etc."'],
  ['a.b]', '@"a.b]"'],
  ['Übersicht–2.md', '@Übersicht–2.md'],
  ['say "hi".md', '@"say \\"hi\\".md"'],
  ['a"b', '@"a\\"b"'],
  ['"', '@"\\""'],
  ['back\\"slash\\x', '@"back\\\\"slash\\x"'],
  ['my dir\\', '@"my dir\\"'],
  ['two\nlines.md', '@"two\nlines.md"'],
  ['ends with one\n', '@"ends with one\n"'],
  [' spaced.md ', '@" spaced.md "'],
] as const)('%s is mentioned as %s, and read as that path', (path, text) => {
  expect(mentionText(path)).toBe(text);
  expect(parseMentions(`look at ${mentionText(path)} please`)).toEqual([{ path }]);
});
