import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dialectOf } from '../../../src/main/engine/permissions/shell-analysis/dialect';
import { concealedCommands, concealedFiles, fillCommand, fillFile } from './support/conceal';
import { PLACES, WRAPPERS } from './support/grammar';
import { canRun, createJail, type Jail } from './support/jail';

/** Compositions tried for each shell; thousands with `LATHE_FUZZ_RUNS`, others with `LATHE_FUZZ_SEED`. */
const RUNS = Number(process.env['LATHE_FUZZ_RUNS'] ?? 120);
const SEED = Number(process.env['LATHE_FUZZ_SEED'] ?? 4);
/** Longer lines are asked about anyway. UTF-16 units. */
const MAX_LINE = 6_000;

let jail: Jail;
beforeAll(() => {
  jail = createJail();
});
afterAll(() => jail.remove());

const commands = concealedCommands().flatMap(([, templates]) => templates);
const files = concealedFiles().flatMap(([, templates]) => templates);
/** Templates that take a whole command line, and so can stand around one another. */
const around = commands.filter((template) => /\{[PQSCB]\}/.test(template));

const concealed = fc.oneof(
  fc.constantFrom(...commands).map((template) => fillCommand(template, 'evil x')),
  fc.constantFrom(...files).map((template) => fillFile(template, 'secret.txt')),
);
const layer = fc.oneof(
  fc.constantFrom(...around).map((template) => (line: string) => fillCommand(template, line)),
  fc.constantFrom(...PLACES).map(({ around: put }) => put),
  fc.constantFrom(...WRAPPERS).map((wrapper) => (line: string) => wrapper + line),
);
/** Signs that mean something to a shell or to what it starts, put into a line or in place of a part of it. */
const SIGNS = [
  ...'\t\n ;|&\\\'"`$(){}[]<>=!#~*-/.,:@a',
  ...['', '$(', '$' + '{', '<<', '--', 'evil x', 'secret.txt'],
];
const change = fc
  .tuple(fc.constantFrom(...SIGNS), fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(3))
  .map(([sign, place, cut]) => (line: string) => {
    const at = Math.floor(place * line.length);
    return line.slice(0, at) + sign + line.slice(at + cut);
  });
const composed = fc
  .tuple(concealed, fc.array(layer, { maxLength: 2 }), fc.array(change, { maxLength: 2 }))
  .map(([inner, ...steps]) => steps.flat().reduce((line, step) => step(line), inner))
  .filter((line) => line.length < MAX_LINE);

/** The shells that read the lines, and those that read a script in a line of bash. */
const SHELLS: readonly { readonly shell: string; readonly inside?: string }[] = [
  ...['bash', 'zsh', 'dash', 'sh'].map((shell) => ({ shell })),
  ...['zsh', 'dash', 'sh', 'ksh'].map((inside) => ({ shell: 'bash', inside })),
];

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
/** Ways to give a script to a shell. */
const NESTED: readonly ((shell: string, script: string) => string)[] = [
  (shell, script) => `${shell} -c ${quoted(script)}`,
  (shell, script) => `timeout 5 ${shell} -c ${quoted(script)}`,
  (shell, script) => `env -u X ${shell} -c ${quoted(script)}`,
  (shell, script) => `echo a | xargs -I % ${shell} -c ${quoted(script)}`,
  (shell, script) => `${shell} <<'ENDMARK'\n${script}\nENDMARK`,
  (shell, script) => `printf '%s' ${quoted(script)} | ${shell}`,
];

const DENIED = { deny: ['Bash(evil:*)', 'Read(./secret.txt)'] };
const canRunIn = (shell: string): boolean => canRun('bwrap') && canRun(shell);

describe('docs/security.md 4: compositions of what conceals a denied command or file', () => {
  test.runIf(canRun('bwrap'))('a command that runs, and a file that is read, are noticed', () => {
    const noticed = (line: string) => jail.hasEffect(line, 'sh');
    expect(['evil x', 'cat secret.txt', 'cat a.txt'].map(noticed)).toEqual([true, true, false]);
  });

  test.runIf(canRun('bwrap'))(
    'output without an end is cut off, and what came before counts',
    () => {
      const noticed = (line: string) => jail.hasEffect(line, 'sh');
      expect(['evil x; yes', 'cat secret.txt; yes', 'yes'].map(noticed)).toEqual([
        true,
        true,
        false,
      ]);
    },
  );

  for (const { shell, inside } of SHELLS) {
    const where = inside === undefined ? shell : `${inside}, which ${shell} starts`;
    const name = `those that run unasked in bypass mode have no effect in ${where}`;
    // Lines that ran without walls around them could do anything to this machine.
    if (![shell, inside ?? shell].every(canRunIn))
      test.skip(`${name} (it or bubblewrap is not installed)`);
    else
      test(name, { timeout: 3_600_000 }, async () => {
        const effects: string[] = [];
        let allowed = 0;
        await fc.assert(
          fc.asyncProperty(composed, fc.constantFrom(...NESTED), async (inner, around) => {
            const line = inside === undefined ? inner : around(inside, inner);
            const { behavior } = await jail.judge(line, DENIED, { dialect: dialectOf(shell) });
            if (behavior !== 'allow') return;
            allowed += 1;
            if (jail.hasEffect(line, shell)) effects.push(line);
          }),
          { numRuns: RUNS, seed: SEED, endOnFailure: true },
        );
        console.info(`${where}: ${RUNS} lines, ${allowed} unasked, ${effects.length} with effects`);
        expect(effects).toEqual([]);
      });
  }
});
