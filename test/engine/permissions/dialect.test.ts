// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell texts
import { expect, test } from 'vitest';
import type { Node } from 'web-tree-sitter';
import {
  type Dialect,
  dialectOf,
  readsOtherwise,
} from '../../../src/main/engine/permissions/shell-analysis/dialect';
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
  ['/bin/sh', 'posix'],
  ['dash', 'posix'],
  ['/usr/bin/rbash', 'other'],
  ['/bin/bash/dash', 'posix'],
  ['/bin/mksh', 'other'],
  ['/usr/bin/fish', 'foreign'],
  ['cmd.exe', 'foreign'],
] satisfies [string, Dialect][])('%s runs what is read as %s', (shell, dialect) => {
  expect(dialectOf(shell)).toBe(dialect);
});

const posix = createShellParser(loadWasm, 'posix');
const foreign = createShellParser(loadWasm, 'foreign');

/** Lines that bash and other shells may read otherwise, with a shell that does. */
const OTHERWISE: readonly (readonly [string, string])[] = [
  ['zsh', "read -t 'a[$(./evil)]' x < a.txt"],
  ['zsh', 'cat =(ls)'],
  ['zsh', 'cat src/*(e:./evil:)'],
  ['zsh', 'print -z ls'],
  ['dash', '[[ b > a.txt ]]'],
  ['dash', '[[ x || ./evil == 1 ]]'],
  ['dash', "echo $'\\'' ; ls; echo '"],
  ['sh', 'cat <(ls)'],
  ['sh', 'ls &> out.txt'],
  ['sh', 'x+=1'],
  ['sh', 'source a.sh'],
  ['sh', 'function f { ls; }; f'],
  ['sh', 'for ((i=0; i<3; i++)); do ls; done'],
  ['sh', 'a=(1 2)'],
  ['sh', 'echo $[1 + 1]'],
  ['sh', 'echo "$[1 + 1]"'],
  ['sh', 'time ls'],
  ['sh', 'eval "[[ b > a.txt ]]"'],
  ['ksh', 'x=$(ls)'],
  ['fish', 'ls'],
  ['tcsh', 'ls'],
];

test.each(OTHERWISE)(
  'a script of %s that it may read otherwise than bash is asked about: %s',
  async (shell, script) => {
    const quoted = `'${script.replaceAll("'", `'\\''`)}'`;
    const lines = [
      `${shell} -c ${quoted}`,
      `/bin/${shell} -ec ${quoted}`,
      `timeout 5 ${shell} -c ${quoted}`,
      `${shell} <<'END'\n${script}\nEND`,
      `cat <<'END' | ${shell}\n${script}\nEND`,
      `bash -c ${JSON.stringify(`${shell} -c ${quoted}`).replaceAll('$', '\\$')}`,
    ];
    for (const line of lines) expect((await bash.analyze(line)).ok, line).toBe(false);
  },
);

test.each(OTHERWISE)(
  'behind a program that starts it, %s may do what a rule restricts: %s',
  async (shell, script) => {
    const quoted = `'${script.replaceAll("'", `'\\''`)}'`;
    const { commands } = await bash.analyze(`sudo ${shell} -c ${quoted}`);
    expect(commands.flatMap(({ hides }) => hides ?? [])).toContainEqual({
      what: 'runs',
      why: expect.stringMatching(/otherwise than bash|language of its own/),
    });
  },
);

test.each([
  'export A=1 B="$HOME"; npm test',
  'x=$(pwd); echo "${x}" | sed "s/a/\\$b/"',
  'i=$((i + 1)); [ "$i" -lt 3 ] && echo "$i"',
  'case "$1" in start) ls;; *) echo no;; esac',
  '{ ls; pwd; } > out.txt',
  'set -e; cd "$HOME" && ls',
  'while read -r line; do echo "$line"; done < a.txt',
  'cat <<END\nx $HOME\nEND',
  "trap 'rm -f x' EXIT",
  'unset A; shift 2; exit 0',
  'find . -name a \\( -type f \\) -exec ls {} \\;',
])('what POSIX defines needs no more in sh than in bash: %s', async (line) => {
  expect(await posix.analyze(line)).toEqual(await bash.analyze(line));
  expect((await posix.analyze(line)).ok).toBe(true);
  const nested = await bash.analyze(`sh -c '${line.replaceAll("'", `'\\''`)}'`);
  expect(nested).toMatchObject({ ok: true });
});

test('a shell with a language of its own reads no line as bash does', async () => {
  expect((await foreign.analyze('ls')).ok).toBe(false);
});

test('a node with more parts than a call takes arguments is read', () => {
  const node = (type: string, children: readonly Node[]) =>
    ({ type, isNamed: true, text: 'a', children }) as unknown as Node;
  const parts = Array.from({ length: 300_000 }, () => node('comment', []));
  expect(readsOtherwise(node('program', parts), 'posix')).toBeNull();
});
