import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDecide, decide } from '../../../src/main/engine/permissions/decide';
import type { PermissionRequest } from '../../../src/main/engine/permissions/request';
import {
  coversTool,
  isKnownTool,
  nameRule,
  readRule,
} from '../../../src/main/engine/permissions/rules';
import { createBuiltinTools } from '../../../src/main/engine/tools/builtin/all';
import type { RuleBehavior } from '../../../src/shared/permission';
import { type RuleTexts, rulesOf } from './support/judge';

const read = (text: string, behavior: RuleBehavior = 'deny') =>
  readRule({ behavior, text, source: 'userSettings' });

test.each([
  ['Bash', 'Bash', null],
  ['Bash(*)', 'Bash', null],
  ['Bash(:*)', 'Bash', null],
  ['Bash(npm run test:*)', 'Bash', 'npm run test:*'],
  ['Bash(echo (x))', 'Bash', 'echo (x)'],
  ['Read(//etc/**)', 'Read', '//etc/**'],
  ['mcp__server__tool', 'mcp__server__tool', null],
  ['mcp__server__*', 'mcp__server__*', null],
  ['WebFetch(domain:example.com)', 'WebFetch', 'domain:example.com'],
])('%s is understood', (text, tool, specifier) => {
  expect(read(text, 'allow')).toMatchObject({
    parsed: { tool, specifier, strict: false },
    problem: null,
  });
});

test.each([
  '',
  '()',
  '(x)',
  'Bash(',
  'Bash(x',
  'Bash()',
  'Bash(x)y',
  'bash(x)',
  '*',
  'Read(!x)',
  'Write(docs/**)',
  'NotebookEdit(docs/**)',
  'Glob(docs/**)',
  'Read(../x)',
  'a b',
  '__proto__(',
])('an allow rule %j is refused with a reason and never used', (text) => {
  const { parsed, problem } = read(text, 'allow');
  expect(parsed).toBeNull();
  expect(problem?.message).toMatch(/it is not used$/);
});

test.each([
  ['Bash(x', 'Bash'],
  ['Bash()', 'Bash'],
  ['bash(rm:*)', 'Bash'],
  ['Edit(../x)', 'Edit'],
  ['Ba\u200bsh(rm:*)', 'Bash'],
  ['Bash(touch:*))', 'Bash'],
  ['Bash(touch:*)))', 'Bash'],
  ['Bash((touch:*)', 'Bash'],
  ['Bash(touch (a):*))', 'Bash'],
  ['Read(~/secret))', 'Read'],
  ['MCP__a__t', 'mcp__a__t'],
])('a deny rule %j covers all of %s until it is corrected', (text, tool) => {
  const { parsed, problem } = read(text, 'deny');
  expect(parsed).toMatchObject({ tool, specifier: null, strict: true });
  expect(problem?.message).toContain(`covers every use of ${tool}`);
});

test.each(['rm -rf *', 'Bsh(rm', 'run(x))', '(rm)'])(
  'a deny rule %j that cannot be read covers nothing of a tool that there is not',
  (text) => {
    const { parsed, problem } = read(text, 'deny');
    expect(parsed).toBeNull();
    expect(problem?.message).toMatch(/it is not used$/);
  },
);

test.each([
  'Bash(echo ")")',
  "Bash(echo ')')",
  'Bash(echo \\))',
  'Bash((cd x && make))',
  'Bash(echo $(date))',
  'Bash(*$(*)',
  'Bash(*)*)',
  'Read(notes (old).txt)',
  'Read(notes (old))',
  'Read(a).txt)',
  'Read(smile:\\))',
  'Read((group)/page.tsx)',
  'Read((a)(b))',
])('parentheses of a denial that belong to it are no fault: %s', (text) => {
  expect(read(text, 'deny')).toMatchObject({ parsed: { strict: false }, problem: null });
});

test.each([
  ['mcp__GitHub', 'mcp__github__t', true],
  ['mcp__github__T', 'mcp__GitHub__t', true],
  ['mcp__GIT*', 'mcp__github__t', true],
  ['mcp__GitHub', 'mcp__git__t', false],
  ['mcp__a__', 'mcp__a__t', true],
  ['mcp__a__', 'mcp__ab__t', false],
  ['mcp__a.b__t', 'mcp__a_b__t', true],
  ['mcp__a.t', 'mcp__a__t', true],
  ['mcp__a:t', 'mcp__a__t', true],
  ['mcp__my server', 'mcp__my_server__t', true],
  ['mcp__my  server__t', 'mcp__my_server__t', true],
  ['mcp__my__server__t', 'mcp__my_server__t', true],
  ['mcp__my__server__t', 'mcp__my__server__t', true],
  ['mcp__my__server__t', 'mcp__my__t', false],
  ['mcp__@x/y__t', 'mcp___x_y__t', true],
  ['mcp___x_y', 'mcp___x_y__t', true],
  ['mcp__a__.*', 'mcp__a__t', true],
  ['mcp__a.*', 'mcp__a__t', true],
  ['mcp__git', 'mcp__git_lab__t', false],
  ['mcp__git__lab', 'mcp__git_lab__t', false],
])('a denial of %s covers %s: %s', (text, tool, expected) => {
  const request = { kind: 'tool', tool, readOnly: false } as const;
  const decision = decide(request, rulesOf({ deny: [text] }), 'bypassPermissions', CONTEXT);
  expect(decision.behavior === 'deny').toBe(expected);
});

test.each(['mcp__a__', 'mcp__a.t', 'mcp__a.*', 'mcp__a__.*'])('%s allows no tool', (text) => {
  const request = { kind: 'tool', tool: 'mcp__a__t', readOnly: false } as const;
  expect(decide(request, rulesOf({ allow: [text] }), 'default', CONTEXT).behavior).toBe('ask');
});

test('reading never throws', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.constantFrom<RuleBehavior>('allow', 'deny', 'ask'),
      (text, behavior) => {
        const { parsed, problem } = read(text, behavior);
        expect(parsed !== null || problem !== null).toBe(true);
      },
    ),
  );
});

test.each([
  ['Read', 'Grep', true],
  ['Edit', 'Write', true],
  ['Write', 'Edit', false],
  ['mcp__a', 'mcp__a__x', true],
  ['mcp__a', 'mcp__ab__x', false],
  ['mcp__a__x', 'mcp__a__xy', false],
  ['mcp__a__*', 'mcp__a__x', true],
])('a rule for %s covers %s: %s', (rule, tool, expected) => {
  expect(coversTool(rule, tool)).toBe(expected);
});

test('a rule is named with its file and line', () => {
  const rule = {
    behavior: 'deny',
    text: 'Bash',
    source: 'managed',
    file: '/x.json',
    line: 3,
  } as const;
  expect(nameRule(rule)).toBe('Bash (/x.json line 3)');
  expect(nameRule({ behavior: 'deny', text: 'Bash', source: 'managed' })).toBe(
    'Bash (managed policy)',
  );
});

const CONTEXT = {
  cwd: '/p',
  home: '/h',
  project: '/p',
  workingDirectories: ['/p'],
  caseInsensitive: false,
};
type ToolRequest = Extract<PermissionRequest, { kind: 'tool' }>;
const fetchOf = (host: string): ToolRequest => ({
  kind: 'tool',
  tool: 'WebFetch',
  specifier: `domain:${host}`,
  readOnly: false,
});

test.each<readonly [string, ToolRequest, RuleTexts]>([
  ['ask', fetchOf('x.io'), {}],
  ['allow', fetchOf('x.io'), { allow: ['WebFetch(domain:x.io)'] }],
  ['allow', fetchOf('X.io'), { allow: ['WebFetch(domain:x.IO)'] }],
  ['ask', fetchOf('x.io.evil.example'), { allow: ['WebFetch(domain:x.io)'] }],
  ['allow', fetchOf('a.x.io'), { allow: ['WebFetch(domain:*.x.io)'] }],
  ['deny', fetchOf('x.io'), { allow: ['WebFetch'], deny: ['WebFetch(domain:x.io)'] }],
  ['allow', { kind: 'tool', tool: 'mcp__a__x', readOnly: false }, { allow: ['mcp__a'] }],
  ['ask', { kind: 'tool', tool: 'mcp__a__x', readOnly: false }, { allow: ['mcp__b'] }],
  ['allow', { kind: 'tool', tool: 'TodoWrite', readOnly: true }, {}],
  [
    'allow',
    { kind: 'tool', tool: 'Agent', specifier: 'Explore', readOnly: false },
    { allow: ['Agent(Explore)'] },
  ],
  [
    'allow',
    { kind: 'tool', tool: 'Agent', specifier: 'Explore', readOnly: false },
    { allow: ['Task(Explore)'] },
  ],
  [
    'deny',
    { kind: 'tool', tool: 'Agent', specifier: 'Explore', readOnly: false },
    { allow: ['Agent'], deny: ['Task(Explore)'] },
  ],
  // Letter case keeps nothing from being denied, and gives nothing.
  [
    'deny',
    { kind: 'tool', tool: 'Agent', specifier: 'Explore', readOnly: false },
    { allow: ['Agent'], deny: ['Agent(explore)'] },
  ],
  [
    'ask',
    { kind: 'tool', tool: 'Agent', specifier: 'Explore', readOnly: false },
    { allow: ['Agent(explore)'] },
  ],
  [
    'ask',
    { kind: 'tool', tool: 'Skill', specifier: 'deploy prod', readOnly: false },
    { allow: ['Skill'], ask: ['Skill(Deploy *)'] },
  ],
  [
    'allow',
    { kind: 'tool', tool: 'Skill', specifier: 'deployment', readOnly: false },
    { allow: ['Skill'], deny: ['Skill(Deploy *)'] },
  ],
  ['ask', { kind: 'tool', tool: 'mcp__a__x', readOnly: false }, { allow: ['mcp__A'] }],
  [
    'deny',
    { kind: 'tool', tool: 'Agent', readOnly: false, params: { model: 'opus' } },
    { deny: ['Agent(model:opus)'] },
  ],
  [
    'ask',
    { kind: 'tool', tool: 'Agent', readOnly: false, params: { model: 'opus' } },
    { allow: ['Agent(model:opus)'] },
  ],
])('%s: %j with %j', (expected, request, rules) => {
  const decision = decide(request, rulesOf(rules), 'default', CONTEXT);
  expect(decision.behavior).toBe(expected);
});

test('a list of rules is read once, however many calls are decided by it', () => {
  let reads = 0;
  const rule = (behavior: RuleBehavior, text: string) => ({
    behavior,
    source: 'projectSettings' as const,
    get text() {
      reads += 1;
      return text;
    },
  });
  const rules = [rule('deny', 'WebFetch(domain:x.io)'), rule('allow', 'WebFetch')];
  const decideOften = createDecide();
  const behaviors = (given: typeof rules) =>
    ['x.io', 'y.io', 'z.io'].map(
      (host) => decideOften(fetchOf(host), given, 'bypassPermissions', CONTEXT).behavior,
    );
  expect(behaviors(rules)).toEqual(['deny', 'allow', 'allow']);
  // Reasons name the rule that decided: one denial, two permissions by the mode.
  const once = reads;
  expect(behaviors(rules)).toEqual(['deny', 'allow', 'allow']);
  expect(reads - once).toBeLessThan(once);
  expect(behaviors([rule('allow', 'WebFetch')])).toEqual(['allow', 'allow', 'allow']);
});

test.each([
  ['what the default mode would ask', {}, true],
  ['what an ask rule keeps for the user', { ask: ['WebFetch'] }, false],
])('auto may have %s judged: %j %s', (_, rules, expected) => {
  const decision = decide(fetchOf('x.io'), rulesOf(rules), 'auto', CONTEXT);
  expect(decision.behavior).toBe('ask');
  expect(decision.judgeable ?? false).toBe(expected);
});

test.each([
  ['/p/src/a.ts', 'allow', false],
  ['/p/.git/config', 'ask', false],
  ['/elsewhere/a.ts', 'ask', true],
] as const)('auto edits %s: %s, judged %s', (file, behavior, judged) => {
  const request = {
    kind: 'file',
    tool: 'Edit',
    access: 'edit',
    path: file,
    identity: null,
    realPath: file,
  } as const;
  const context = { ...CONTEXT, project: '/p', cwd: '/p', workingDirectories: ['/p'] };
  const decision = decide(request, [], 'auto', context);
  expect([decision.behavior, decision.judgeable ?? false]).toEqual([behavior, judged]);
});

test('rules know every tool that comes with Lathe', () => {
  const names = createBuiltinTools().map(({ name }) => name);
  expect(names.filter((name) => !isKnownTool(name))).toEqual([]);
});
