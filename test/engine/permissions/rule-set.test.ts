import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fileRequest, shellRequest } from '../../../src/main/engine/permissions/build-request';
import { decideBy } from '../../../src/main/engine/permissions/decide';
import type { PermissionRequest } from '../../../src/main/engine/permissions/request';
import { createRuleSet, type RuleSet } from '../../../src/main/engine/permissions/rule-set';
import { type ParsedRule, readRules } from '../../../src/main/engine/permissions/rules';
import { createNodeFiles } from '../../../src/main/node/files';
import type { PermissionMode } from '../../../src/shared/permission';
import { runs } from '../../support/runs';
import { createFixture, type Fixture, rulesOf } from './support/judge';

let fixture: Fixture;
beforeAll(() => {
  fixture = createFixture();
});
afterAll(() => fixture.remove());

/** The plain way: every rule is held against every call. */
const unindexed = (all: readonly ParsedRule[]): RuleSet => ({
  all,
  select: (behavior) => all.filter(({ rule }) => rule.behavior === behavior),
});

/** Words and signs that lines, paths and rules are made of here, so that they meet often. */
const PIECES = [
  ...['git', 'push', 'npm', 'run', 'rm', '-rf', 'bin/git', 'evil', 'x', 'a', '-', '--', '-x', ':'],
  ...['.env', 'secrets', 'src', 'a.txt', '**', '*', '?', '[ab]', '\\*', 'É', 'É', 'Σς', 'É.txt'],
];
const piece = fc.constantFrom(...PIECES);
const glued = (glue: string, most: number) =>
  fc.array(piece, { minLength: 1, maxLength: most }).map((words) => words.join(glue));

const specifier = fc.oneof(
  glued(' ', 3),
  glued('', 3),
  glued(' ', 2).map((text) => `${text}:*`),
  glued(' ', 2).map((text) => `${text} *`),
  glued('/', 3),
  glued('/', 3).map((text) => `${text}/**`),
  fc
    .tuple(fc.constantFrom('//', '~/', '/', './', '!', '~', '../'), glued('/', 2))
    .map((two) => two.join('')),
  fc.constantFrom('command:*evil*', 'file_path:*a.txt', 'run_in_background:true', '*', ''),
);
const tool = fc.constantFrom(
  ...[
    'Bash',
    'Bash',
    'Bash',
    'Read',
    'Read',
    'Edit',
    'Write',
    'Grep',
    'Monitor',
    'B*h',
    '*',
    'WebFetch',
    'mcp__a',
  ],
);
const ruleText = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(tool, specifier).map(([name, text]) => `${name}(${text})`) },
  { weight: 1, arbitrary: tool },
);
const ruleTexts = fc.record({
  allow: fc.array(ruleText, { maxLength: 6 }),
  deny: fc.array(ruleText, { maxLength: 6 }),
  ask: fc.array(ruleText, { maxLength: 4 }),
});

const FORMS: readonly ((one: string, other: string) => string)[] = [
  (one, other) => `${one} ${other}`,
  (one, other) => `${one} && ${other}`,
  (one, other) => `${one} | tee ${other} > src/${other}`,
  (one, other) => `X=1 ${one} "$(${other})" $X`,
  (one, other) => `sudo -u me ${one} -x${other}`,
  (one, other) => `some-tool --run=${one} ${other} ${'$'}{Y}`,
  (one, other) => `${one} ${'$'}{Y} ${other}`,
  (one, other) => `some-tool -x${one} ${other}`,
  (one, other) => `grep -rn ${one} . ; cat ${other} < a.txt`,
  (one, other) => `python3 -c '${one}' ; git ${other}`,
  (one, other) => `cp ${one} ${other}; ./${other}`,
];
const line = fc
  .tuple(fc.constantFrom(...FORMS), glued(' ', 3), glued('/', 2))
  .map(([form, one, other]) => form(one, other));

const mode = fc.constantFrom<PermissionMode[]>(
  'default',
  'acceptEdits',
  'bypassPermissions',
  'plan',
);

describe('a decision by looked up rules is the decision by all rules, with its reasons', () => {
  const same = (
    request: PermissionRequest,
    texts: object,
    inMode: PermissionMode,
    noCase: boolean,
  ) => {
    const rules = readRules(rulesOf(texts));
    const context = { ...fixture.context, caseInsensitive: noCase };
    const plain = decideBy(unindexed(rules), request, inMode, context);
    expect(decideBy(createRuleSet(rules, 0), request, inMode, context)).toEqual(plain);
  };

  test('on shell lines', async () => {
    const { context, parser } = fixture;
    const files = createNodeFiles();
    await fc.assert(
      fc.asyncProperty(line, ruleTexts, mode, fc.boolean(), async (text, texts, inMode, noCase) => {
        const params = { command: text, run_in_background: 'true' };
        const request = await shellRequest('Bash', text, context, parser, files);
        same({ ...request, params }, texts, inMode, noCase);
      }),
      { seed: 15, numRuns: runs(600) },
    );
  });

  test('on a pattern in a folder nobody knows', async () => {
    const { context, parser } = fixture;
    const line = `cd "$(some-tool)" && some-tool gi*`;
    const request = await shellRequest('Bash', line, context, parser, createNodeFiles());
    const texts = { deny: ['Bash(git push)'] };
    same(request, texts, 'bypassPermissions', false);
    const rules = createRuleSet(readRules(rulesOf(texts)), 0);
    const { reason } = decideBy(rules, request, 'default', context);
    expect(reason).toContain('it may start git');
  });

  test('on files', async () => {
    const { context } = fixture;
    const files = createNodeFiles();
    const asked = fc.oneof(
      glued('/', 3),
      fc.tuple(fc.constantFrom('/', '~/', '../', './'), glued('/', 2)).map((two) => two.join('')),
      fc.constantFrom('envlink', 'outlink/a.txt', 'secrets/deep/er/a.txt', 'key'),
    );
    const call = fc.constantFrom(
      ...([
        ['Read', 'read'],
        ['Grep', 'read'],
        ['Write', 'edit'],
        ['Edit', 'edit'],
        ['NotebookEdit', 'edit'],
      ] as const),
    );
    await fc.assert(
      fc.asyncProperty(
        asked,
        call,
        ruleTexts,
        mode,
        fc.boolean(),
        async (path, [name, access], texts, inMode, noCase) => {
          const request = await fileRequest(name, access, path, context, files);
          same({ ...request, params: { file_path: path } }, texts, inMode, noCase);
        },
      ),
      { seed: 15, numRuns: runs(600) },
    );
  });
});

describe('of very many rules few are looked at', () => {
  const MANY = 20_000;
  const many = (form: (n: number) => string) => Array.from({ length: MANY }, (_, n) => form(n));

  test.each([
    ['a line', 'npm run build && git status | tail -5', { texts: ['npm run build', 'git status'] }],
    ['a path', '', { paths: ['/p/src/app.ts', '/p/.env'] }],
    ['a word', '', { words: ['--exec=tool17', 'b'] }],
  ])('for %s', (_, __, facts) => {
    const deny = many((n) => (n % 2 ? `Bash(tool${n} sub:*)` : `Read(./secret${n}/**)`));
    const rules = createRuleSet(
      readRules(rulesOf({ deny: [...deny, 'Bash(git *)', 'Read(.env)'] })),
    );
    expect(rules.select('deny', () => facts).length).toBeLessThan(5);
  });

  test('reasons are few where each of them may be meant', async () => {
    const deny = many((n) => `Bash(tool${n}:*)`);
    for (const command of ['$X foo', 'python3 -c "import os; os.system(chr(65))"', 'eval "$X"']) {
      const { behavior, why } = await fixture.shell(command, { deny }, 'bypassPermissions');
      expect(behavior).toBe('ask');
      expect(why.length).toBeLessThan(250);
    }
    const last = await fixture.shell('$X foo; evil', { deny: [...deny, 'Bash(evil)'] }, 'default');
    expect(last.behavior).toBe('deny');
  });
});
