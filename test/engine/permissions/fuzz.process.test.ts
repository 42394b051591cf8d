// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell texts
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decide } from '../../../src/main/engine/permissions/decide';
import { touchesIn } from '../../../src/main/engine/permissions/shell-paths';
import { runs } from '../../support/runs';
import { hasProgram, rulesOf } from './support/judge';
import { sharedFixture } from './support/table';

const fixture = sharedFixture();
const RULES = rulesOf({ deny: ['Bash(evil:*)'], allow: ['Bash'] });

const behaviorOf = async (command: string) => {
  const { context, parser } = fixture();
  const analysis = await parser.analyze(command);
  const request = {
    kind: 'shell',
    tool: 'Bash',
    command,
    cwd: context.cwd,
    analysis,
    touches: touchesIn(analysis, context),
    realPaths: {},
  } as const;
  return decide(request, RULES, 'bypassPermissions', context).behavior;
};

/** Ways to put a line into a bigger one that a shell still runs. */
const AROUND: readonly ((line: string, other: string) => string)[] = [
  (line, other) => `${other} && ${line}`,
  (line, other) => `${line}; ${other}`,
  (line, other) => `${other} | ${line}`,
  (line, other) => `${line} & ${other}`,
  (line, other) => `${other}\n${line}`,
  (line) => `(${line})`,
  (line) => `{ ${line}; }`,
  (line) => `echo "$(${line})"`,
  (line) => `x=$(${line})`,
  (line) => `cat <(${line})`,
  (line) => `if ${line}; then :; fi`,
  (line, other) => `while ${other}; do ${line}; done`,
  (line) => `for i in a b; do ${line}; done`,
  (line) => `case x in x) ${line};; esac`,
  (line) => `f() { ${line}; }; f`,
  (line) => `bash -c '${line.replaceAll("'", `'"'"'`)}'`,
  (line) => `eval '${line.replaceAll("'", `'"'"'`)}'`,
  (line, other) => `[ -n "$(${line})" ] && ${other}`,
  (line) => `! ${line}`,
];
const WRAPPERS = [
  '',
  'timeout 5 ',
  'nice ',
  'env A=1 ',
  'command ',
  'nohup ',
  'sudo ',
  'time ',
  'A=1 ',
];

test('a denied command inside any composition is never allowed, in any mode', async () => {
  const harmless = fc.constantFrom('ls', 'echo hi', 'true', 'git status', 'cat a.txt');
  const steps = fc.array(fc.tuple(fc.constantFrom(...AROUND), harmless), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...WRAPPERS), steps, async (wrapper, layers) => {
      const line = layers.reduce(
        (inner, [around, other]) => around(inner, other),
        `${wrapper}evil x`,
      );
      expect(await behaviorOf(line), line).not.toBe('allow');
    }),
    { numRuns: runs(600) },
  );
});

const SEEDS = [
  'echo a\n\\evil ZAP',
  'echo a\n\\\n evil ZAP',
  '[[[&evil == ZAP ]]',
  'time x= evil ZAP',
  'echo "evil ZAP"',
  "echo 'evil ZAP'",
  'cat <<EOF\nevil ZAP\nEOF',
  "cat <<'EOF'\nevil ZAP\nEOF\nls",
  'echo a # evil ZAP',
  'echo ${x:-evil ZAP}',
  'for i in evil ZAP; do echo $i; done',
  'case evil in ZAP) ls;; esac',
  'x="evil ZAP"; echo $x',
  'echo `echo evil ZAP`',
  '[[ evil == ZAP ]]',
  'echo a \\\n evil ZAP',
  'a=(evil ZAP)',
  "echo $'evil ZAP'",
  'cat <<< "evil ZAP"',
  'time echo evil ZAP',
  'echo {evil,ZAP}',
];
const TOKENS =
  "ls|evil| |;|&&|&|\n|\"|'|`|$(|(|)|{ | }|<<EOF\n|\nEOF\n|EOF|#| #|\\|\\\n|${x|x=|if |then |fi|; do |done|esac|;;|! |time |<(|$((|))|[[ | ]]|f() {|$'|*|~|A=1 |<<<|\t|[|]|=|coproc |-"
    .split('|')
    .concat([
      '|',
      '||',
      '\n',
      '\n\\',
      '\n\t',
      '&>',
      '2>&1',
      '$"',
      '$[',
      '}',
      'exec ',
      'eval ',
      '<<-EOF\n',
      '{a,',
    ]);

/** Lines in which the denied name is only text, and what a few random cuts and insertions make of them. */
const mutated = fc
  .tuple(
    fc.constantFrom(...SEEDS),
    fc.array(fc.tuple(fc.nat(60), fc.boolean(), fc.constantFrom(...TOKENS)), {
      minLength: 1,
      maxLength: 3,
    }),
  )
  .map(([seed, changes]) =>
    changes.reduce((line, [at, cut, token]) => {
      const i = at % (line.length + 1);
      return line.slice(0, i) + token + line.slice(cut ? i + 1 : i);
    }, seed),
  );

test.skipIf(!hasProgram('bash'))(
  'what is allowed does not run a denied command in a real shell',
  async () => {
    const { home } = fixture();
    const bin = path.join(home, 'bin');
    mkdirSync(bin);
    writeFileSync(path.join(bin, 'evil'), '#!/bin/sh\n: > "$MARK"\n');
    chmodSync(path.join(bin, 'evil'), 0o755);
    const isRun = (line: string): boolean => {
      const cwd = mkdtempSync(path.join(home, 'run-'));
      const mark = path.join(cwd, 'MARK');
      const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: cwd, MARK: mark };
      spawnSync('bash', ['-c', line], { cwd, env, stdio: 'ignore', timeout: 2_000 });
      const ran = existsSync(mark);
      rmSync(cwd, { recursive: true, force: true });
      return ran;
    };
    expect(isRun('evil')).toBe(true);
    let executed = 0;
    await fc.assert(
      fc.asyncProperty(mutated, async (line) => {
        if ((await behaviorOf(line)) !== 'allow') return;
        executed += 1;
        expect(isRun(line), line).toBe(false);
      }),
      { numRuns: runs(400) },
    );
    expect(executed).toBeGreaterThan(20);
  },
);
