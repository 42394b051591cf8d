import { expect, test } from 'vitest';
import { createShellParser } from '../../../src/main/engine/permissions/shell-analysis/parser';
import { loadWasm } from '../../../src/main/node/runtime';

const parser = createShellParser(loadWasm);
const namesIn = async (line: string) =>
  (await parser.analyze(line)).commands.map((command) => command.words[0] ?? command.text);

test.each([
  ['a && b || c; d | e & f\ng', ['a', 'b', 'c', 'd', 'e', 'f', 'g']],
  ['echo "$(a `b`)"', ['echo', 'a', 'b']],
  ['for i in $(a); do b; done', ['for i in $(a); do b; done', 'a', 'b']],
  ['if a; then b; elif c; then d; else e; fi', ['a', 'b', 'c', 'd', 'e']],
  ['case $(a) in x) b;; esac', ['$(a)', 'a', 'b']],
  ['a <(b) > >(c)', ['a', 'b', 'c']],
  ['timeout 5 nice -n 2 a', ['timeout', 'nice', 'a']],
  ['bash -c "a && b"', ['bash', 'a', 'b']],
  ['find . -exec a {} \\; -exec b {} +', ['find', 'a', 'b']],
  ['cat <<EOF | a\n$(b)\nEOF', ['cat', 'b', 'a']],
  ['(a; { b; })', ['a', 'b']],
  ['while a; do b; done', ['a', 'b']],
  ['! a', ['a']],
])('%j holds %j', async (line, expected) => {
  const analysis = await parser.analyze(line);
  expect(analysis.ok).toBe(true);
  expect(await namesIn(line)).toEqual(expected);
});

test('words, assignments, redirections and places are taken apart', async () => {
  const { commands } = await parser.analyze('A=1 grep -r "x y" \'z\'q src/*.ts $V > out 2>&1 < in');
  expect(commands).toEqual([
    {
      hasInput: true,
      words: ['grep', '-r', 'x y', 'zq', null, null],
      globs: { 4: 'src/*.ts' },
      text: 'grep -r "x y" \'z\'q src/*.ts $V',
      start: 0,
      end: 50,
      assignments: ['A=1'],
      writes: ['out'],
      reads: ['in'],
    },
  ]);
});

test('cd is followed, and lost where it cannot be', async () => {
  const directories = async (line: string) =>
    (await parser.analyze(line)).commands.at(-1)?.directories ?? [''];
  expect(await directories('cd a && ls')).toEqual(['a']);
  expect(await directories('cd a || ls')).toEqual(['', 'a']);
  expect(await directories('cd a && cd .. && ls')).toEqual(['.', 'a/..']);
  expect(await directories('cd a && ls; pwd')).toEqual(['a', '']);
  expect(await directories('cd a; cd ../b; ls')).toEqual(['', 'a', '../b', 'b', 'a/../b']);
  expect(await directories('cd /tmp; ls')).toEqual(['', '/tmp']);
  expect(await directories('cd $X; ls')).toEqual(['', null]);
  expect(await directories('while :; do cd ..; done; ls')).toEqual([null]);
  expect(await directories('pushd a; ls')).toEqual([null]);
});

test.each([
  'echo "a',
  'ls ;; pwd',
  '{ ls',
  'ls\0',
  'ls\u200b',
  `ls ${'x'.repeat(10_000)}`,
  '! { rm x; }',
  'r\\\nm x',
  'cat <<E"O"F\nx\nEOF',
  `${'ls;'.repeat(600)}`,
])('is not understood, but keeps its commands: %j', async (line) => {
  const analysis = await parser.analyze(line);
  expect(analysis).toMatchObject({ ok: false, reason: expect.any(String) });
  expect(analysis.commands.length).toBeGreaterThan(0);
});

test('deep nesting ends in a question, not in a crash', async () => {
  const nested = `${'$('.repeat(2_000)}rm x${')'.repeat(2_000)}`;
  const analysis = await parser.analyze(`echo ${nested}`);
  expect(analysis.ok).toBe(false);
  expect(analysis.commands.some((command) => command.words[0] === 'rm')).toBe(true);
});

test('emoji are no hidden characters', async () => {
  expect((await parser.analyze('git commit -m "⚠️ 👩‍💻 done"')).ok).toBe(true);
});

test('without a working parser every line asks, and the next line tries again', async () => {
  let calls = 0;
  const broken = createShellParser((name) => {
    calls += 1;
    return calls <= 1 ? Promise.reject(new Error('no such file')) : loadWasm(name);
  });
  expect(await broken.analyze('rm x')).toMatchObject({
    ok: false,
    reason: expect.stringContaining('no such file'),
    commands: [{ words: ['rm', 'x'] }],
  });
  expect((await broken.analyze('rm x')).ok).toBe(true);
});

test('a line that was just taken apart is not taken apart again; many lines are not kept', async () => {
  const first = await parser.analyze('echo 0');
  expect(await parser.analyze('echo 0')).toBe(first);
  for (let at = 1; at <= 4; at += 1)
    expect((await parser.analyze(`echo ${at}`)).commands[0]?.words).toEqual(['echo', `${at}`]);
  const again = await parser.analyze('echo 0');
  expect(again).toEqual(first);
  expect(again).not.toBe(first);
});
