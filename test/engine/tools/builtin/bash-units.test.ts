import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createShellParser } from '../../../../src/main/engine/permissions/shell-analysis/parser';
import {
  asksSomething,
  isWorthKeeping,
} from '../../../../src/main/engine/tools/builtin/bash/auto-background';
import { readOutput } from '../../../../src/main/engine/tools/builtin/bash/captured-output';
import { exitMeaning } from '../../../../src/main/engine/tools/builtin/bash/exit-meaning';
import { impossibleCommand } from '../../../../src/main/engine/tools/builtin/bash/wrapper';
import { createNodeFiles } from '../../../../src/main/node/files';
import { loadWasm } from '../../../../src/main/node/runtime';
import { tempFolder } from '../../../node/temp-folder';

const parser = createShellParser(loadWasm);

describe('what is worth keeping when its time is over', () => {
  it.each([
    ['make', true],
    ['sleep 5 && make', true],
    ['sleep 5; sleep 6', false],
    ['/usr/bin/sleep 5', false],
    ['git log | less', false],
    ['FOO=1 vim a', false],
    ['while true; do curl x; sleep 1; done', true],
  ])('%s: %s', async (command, kept) => {
    expect(isWorthKeeping(await parser.analyze(command))).toBe(kept);
  });

  it.each([
    ['Continue? [y/N] ', true],
    ['one?\ntwo', false],
    ['', false],
  ])('output %j asks something: %s', (tail, asks) => {
    expect(asksSomething(tail)).toBe(asks);
  });
});

describe('what an exit code means', () => {
  it.each<[string, number, string, boolean, string | undefined]>([
    ['ls', 0, '', false, undefined],
    ['grep x f', 1, '', false, 'no match'],
    ['/usr/bin/grep x f', 1, '', false, 'no match'],
    ['cat f | grep x', 1, '', false, 'no match'],
    ['grep x f', 2, '', true, undefined],
    ['rg x', 1, '', false, 'no match'],
    ['timeout 5 grep x f', 1, '', false, 'no match'],
    ['diff a b', 1, '< a\n> b', false, 'the files differ'],
    ['diff a b', 2, '', true, undefined],
    ['test -f x', 1, '', false, 'the condition is false'],
    ['[ -f x ]', 1, '', false, 'the condition is false'],
    ['[[ -f x ]]', 1, '', false, 'the condition is false'],
    ['find . -name x', 1, 'find: denied', false, 'some folders could not be read'],
    ['cd src && grep x f', 1, '', false, 'no match'],
    ['cd gone && grep x f', 1, 'cd: gone: No such file', true, undefined],
    ['grep x f; false', 1, '', true, undefined],
    ['grep x f && make', 1, '', true, undefined],
    ['npm test', 1, '', true, undefined],
    ['constructor', 1, '', true, undefined],
    ['grep "unfinished', 1, '', true, undefined],
    ['nope', 127, '', true, 'a command was not found'],
    ['./notes.txt', 126, '', true, 'the program was found but could not be executed'],
    ['sleep 9', 143, '', true, 'ended by signal 15 (termination)'],
    ['x', 139, '', true, 'ended by signal 11 (segmentation fault)'],
    ['x', 255, '', true, undefined],
    ['git diff --no-index a b', 1, '-x\n+y', false, 'there are differences'],
    ['git -C sub --no-pager diff --exit-code', 1, '-x', false, 'there are differences'],
    ['git grep needle', 1, '', false, 'no match'],
    ['git commit -m x', 1, 'nothing to commit', true, undefined],
    ['git diff --wrong', 129, 'usage: git diff', true, undefined],
    ['timeout 5 make', 124, '', true, 'its time limit was over'],
    ['make', 124, '', true, undefined],
  ])('%s: %i', async (line, exitCode, output, failed, note) => {
    const meaning = exitMeaning(line, await parser.analyze(line), { exitCode }, output);
    expect(meaning).toEqual({ failed, ...(note === undefined ? {} : { note }) });
  });

  it('a shell ended by a signal has failed', async () => {
    const meaning = exitMeaning('x', await parser.analyze('x'), { exitCode: null, signal: 9 }, '');
    expect(meaning).toEqual({ failed: true, note: 'ended by signal 9 (kill)' });
  });
});

describe('what cannot be given to a shell', () => {
  it.each([
    ['', 'empty'],
    [' \n ', 'empty'],
    ['echo \0', 'NUL'],
    ['echo \ud800', 'half a character'],
    [`echo ${'x'.repeat(130_000)}`, 'longer than'],
  ])('%j', (command, words) => {
    expect(impossibleCommand(command)).toContain(words);
  });

  it('everything else can', () => {
    expect(impossibleCommand('echo \'✓ \\\' "$x" \n\t`y`')).toBeNull();
  });
});

describe('what the model gets of an output', () => {
  async function captured(raw: string | Uint8Array) {
    const file = join(await tempFolder(), 'output');
    await writeFile(file, raw);
    return { ...(await readOutput(file, 30_000, createNodeFiles())), file };
  }

  it('all of a short one, as plain text', async () => {
    expect(await captured('\x1b[31mred\x1b[0m\r\n 10%\r100%\r\n\r\n')).toMatchObject({
      text: 'red\n100%',
      truncated: false,
    });
  });

  it.each([
    ['in memory', 4000],
    ['from both ends of the file', 200_000],
  ])(
    'the beginning and the end of a long one, %s, at line ends, with its file',
    async (_, count) => {
      const lines = Array.from({ length: count }, (_, i) => `line ${i} ✓`);
      const { text, truncated, file } = await captured(`${lines.join('\r\n')}\r\n`);
      const all = lines.join('\n');
      if (all.length <= 30_000) throw new Error('too short for this test');
      expect(truncated).toBe(true);
      expect(text.length).toBeLessThan(30_500);
      expect(text).toContain(file);
      const [head = '', tail = ''] = text.split(/\n\n… \[output cut here.*\n\n/);
      expect(all.startsWith(`${head}\n`)).toBe(true);
      expect(all.endsWith(`\n${tail}`)).toBe(true);
      expect(head.length).toBeGreaterThan(14_000);
      expect(tail.length).toBeGreaterThan(14_000);
    },
  );

  it('both ends of one endless line, with no broken characters', async () => {
    const { text } = await captured('é'.repeat(600_000));
    expect(text).not.toContain('�');
    expect(text.startsWith('é') && text.endsWith('é')).toBe(true);
  });

  it('nothing when there is no file', async () => {
    expect(await readOutput('/nowhere/at/all', 30_000, createNodeFiles())).toEqual({
      text: '',
      truncated: false,
    });
  });
});
