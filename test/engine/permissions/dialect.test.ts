// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell texts
import { expect, test } from 'vitest';
import { dialectOf } from '../../../src/main/engine/permissions/shell-analysis/dialect';
import { createShellParser } from '../../../src/main/engine/permissions/shell-analysis/parser';
import { loadWasm } from '../../../src/main/node/runtime';

const bash = createShellParser(loadWasm);
const other = createShellParser(loadWasm, 'other');

test.each([
  "read -t 'a[$(touch y)]' x < a.txt",
  '[[ x || ./evil == 1 ]]',
  '[[ b > a.txt ]]',
  "echo $'\\'' ; ls",
  'cat <(ls)',
  'cat src/**/*.ts',
  'echo =ls',
  'cat a.txt |& head',
  'ls &> out.txt',
  'cat <<< x',
  'echo {a,b}',
  'x[1]=2',
  'export x=1',
  'f() { ls; }; f',
  '${x}',
  'print -z ls',
])('a line that another shell may read otherwise is asked about there: %s', async (line) => {
  expect(await other.analyze(line)).toMatchObject({
    ok: false,
    reason: expect.stringContaining('otherwise than bash'),
  });
});

test.each([
  'ls -la src',
  'git status && git diff --stat',
  "grep -rn 'create server' src | head -20",
  'npm test > build.log 2>&1; tail -20 build.log',
  'for f in a b; do wc -l "$f"; done',
  'if [ -f a.txt ]; then cat a.txt; fi',
  'CI=1 npm test || echo "it failed"',
  'cd src && ls',
  'echo "$HOME"',
])('a line that every shell reads alike needs no more than in bash: %s', async (line) => {
  expect(await other.analyze(line)).toEqual(await bash.analyze(line));
  expect((await other.analyze(line)).ok).toBe(true);
});

test.each([
  ['/bin/bash', 'bash'],
  ['/opt/homebrew/bin/bash', 'bash'],
  ['C:\\Program Files\\Git\\bin\\bash.exe', 'bash'],
  ['/bin/zsh', 'other'],
  ['/bin/sh', 'other'],
  ['/usr/bin/rbash', 'other'],
  ['/bin/bash/dash', 'other'],
  ['cmd.exe', 'other'],
])('%s runs what is read as %s', (shell, dialect) => {
  expect(dialectOf(shell)).toBe(dialect);
});
