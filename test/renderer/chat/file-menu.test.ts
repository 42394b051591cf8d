import { describe, expect, it } from 'vitest';
import { completion, mentionAt, otherMentions } from '../../../src/renderer/chat/file-menu';

/** Finds the mention where `|` stands in a draft. */
const at = (marked: string) => {
  const caret = marked.indexOf('|');
  return mentionAt(marked.replace('|', ''), caret);
};

describe('the mention that is being typed', () => {
  it.each([
    ['@|', { from: 0, to: 1, path: '' }],
    ['look at @src/a|', { from: 8, to: 14, path: 'src/a' }],
    ['(@a|)', { from: 1, to: 4, path: 'a' }],
    ['@src/a|uth.ts and more', { from: 0, to: 12, path: 'src/a' }],
    ['line\n@a|', { from: 5, to: 7, path: 'a' }],
    ['@"login f|orm.ts" and', { from: 0, to: 16, path: 'login f' }],
    ['@"login f|', { from: 0, to: 9, path: 'login f' }],
    ['@"say \\"h|i\\".md" and', { from: 0, to: 16, path: 'say "h' }],
    ['@"say \\"hi\\".md"|', null],
    ['mail me@host|', null],
    ['@a b|', null],
    ['no mention|', null],
    ['@"done" |', null],
  ] as const)('%s', (draft, expected) => expect(at(draft)).toEqual(expected));

  it('takes no longer for a draft of quotes', () => {
    expect(at(`@"${'\\"'.repeat(249)}|`)).toMatchObject({ path: '"'.repeat(249) });
    expect(at(`@"${'\\"'.repeat(5_000)}" |`)).toBeNull();
  });

  it('is looked for near the caret only', () => {
    expect(at(`${'x'.repeat(100_000)} @a|`)).toMatchObject({ path: 'a' });
    expect(at(`@${'x'.repeat(600)}|`)).toBeNull();
  });
});

it.each([
  ['src/a.ts', false, '@src/a.ts '],
  ['src/a.ts', true, '@src/a.ts '],
  ['src/', false, '@src/ '],
  ['src/', true, '@src/'],
  ['a"b/', true, '@"a\\"b/'],
  ['my notes/', true, '@"my notes/'],
  ['my notes/', false, '@"my notes/" '],
] as const)('%s goes in (going on: %s) as %s', (path, goOn, text) =>
  expect(completion({ path, marks: [] }, goOn)).toBe(text),
);

it('terminals, sub-agents and resources are offered by any part of their name, those that begin so apart', () => {
  const terminal = (id: string, title: string, ended = false) => ({
    ...{ id, title, kind: 'shell' as const, sessionId: '', project: '/p', cwd: '/p', pid: 1 },
    ...{ cols: 80, rows: 24, startedAt: 0, ...(ended ? { endedAt: 1 } : {}) },
  });
  const all = {
    terminals: [terminal('1', 'zsh'), terminal('2', 'zsh'), terminal('3', 'dev server', true)],
    mentions: [
      { path: 'agent:Explore', detail: 'Reads' },
      { path: 'docs:memo://shelf', detail: 'The shelf' },
    ],
  };
  const paths = (typed: string) => {
    const { near, far } = otherMentions(typed, all);
    return [near.map(({ path }) => path), far.map(({ path }) => path)];
  };
  // Two of one name are told apart by their ids.
  const [first, second, server] = ['terminal:zsh 1', 'terminal:zsh 2', 'terminal:dev server'];
  expect(paths('')).toEqual([[], [first, second, server, 'agent:Explore', 'docs:memo://shelf']]);
  expect(paths('EXP')).toEqual([['agent:Explore'], []]);
  expect(paths('terminal:d')).toEqual([[server], []]);
  expect(paths('memo')).toEqual([['docs:memo://shelf'], []]);
  expect(paths('sh')).toEqual([[], [first, second, 'docs:memo://shelf']]);
  expect(paths('none')).toEqual([[], []]);
  expect(otherMentions('sh', all).far[0]).toMatchObject({
    ...{ marks: [10, 11], detail: 'what it shows' },
  });
});
