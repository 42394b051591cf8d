import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decide } from '../../../src/main/engine/permissions/decide';
import { replayRule } from '../../../src/main/engine/permissions/replay';
import type { PermissionRequest } from '../../../src/main/engine/permissions/request';
import { createBuiltinTools } from '../../../src/main/engine/tools/builtin/all';
import { findTool, fixedSource } from '../../../src/main/engine/tools/catalogue';
import { createNeedsByName } from '../../../src/main/engine/tools/foreign-tools';
import { createNodeFiles } from '../../../src/main/node/files';
import {
  PermissionMode,
  type PermissionRule,
  type RuleBehavior,
} from '../../../src/shared/permission';
import { runs } from '../../support/runs';
import { type RuleTexts, rulesOf } from './support/judge';
import { sharedFixture } from './support/table';

const fixture = sharedFixture();
const files = createNodeFiles();
const needsByName = createNeedsByName((name) =>
  findTool([fixedSource('built in', createBuiltinTools())], name),
);

type Call = readonly [tool: string, input: Readonly<Record<string, unknown>>];
const bash = (command: string): Call => ['Bash', { command }];
const write = (file_path: string): Call => ['Write', { file_path, content: '' }];
const read = (file_path: string): Call => ['Read', { file_path }];
const fetchOf = (url: string): Call => ['WebFetch', { url, prompt: 'x' }];

async function requestOf([tool, input]: Call): Promise<PermissionRequest> {
  const { context, parser } = fixture();
  const outside = { trusted: true, sandboxTerms: async () => null };
  const needed = await needsByName(tool, input, { ...context, parser, files, ...outside });
  const [request] = needed.ok ? needed.value : [];
  if (request === undefined) throw new Error('It needs nothing.');
  return request;
}

const draftOf = (behavior: RuleBehavior, text: string): PermissionRule => ({
  behavior,
  text,
  source: 'localSettings',
});

async function replay(
  behavior: RuleBehavior,
  text: string,
  calls: readonly Call[],
  rules: RuleTexts = {},
  mode: PermissionMode = 'default',
) {
  const past = await Promise.all(
    calls.map(async (call, i) => ({
      request: await requestOf(call),
      callId: `c${i}`,
      at: i,
      sessionId: `s${i}`,
    })),
  );
  return replayRule(draftOf(behavior, text), past, {
    rules: rulesOf(rules),
    mode,
    context: fixture().context,
  });
}

test('says which calls change, how, and where they were', async () => {
  const found = await replay('allow', 'Bash(npm run test:*)', [
    bash('npm run test -- -t ships'),
    bash('npm install'),
    bash('git status'),
    bash('npm run test && make release'),
  ]);
  expect(found).toEqual({
    considered: 4,
    changed: [
      {
        tool: 'Bash',
        target: 'npm run test -- -t ships',
        before: 'ask',
        after: 'allow',
        risks: [],
        callId: 'c0',
        at: 0,
        sessionId: 's0',
      },
    ],
    unchanged: 1,
    dead: null,
  });
});

const ROWS: readonly {
  readonly name: string;
  readonly draft: readonly [RuleBehavior, string];
  readonly call: Call;
  readonly rules?: RuleTexts;
  readonly mode?: PermissionMode;
  /** `before → after`, `same`, or `not about it`. */
  readonly expected: string;
  readonly risks?: readonly string[];
  readonly dead?: string;
}[] = [
  {
    name: 'a denial of what ran unasked',
    draft: ['deny', 'Bash(git log:*)'],
    call: bash('git log'),
    expected: 'allow → deny',
  },
  {
    name: 'a question for what ran unasked',
    draft: ['ask', 'Read(/src/**)'],
    call: read('src/app.ts'),
    expected: 'allow → ask',
  },
  {
    name: 'a rule for something else',
    draft: ['allow', 'Bash(npm test)'],
    call: bash('make'),
    expected: 'not about it',
  },
  {
    name: 'destructive',
    draft: ['allow', 'Bash(rm:*)'],
    call: bash('rm -rf src/app.ts'),
    expected: 'ask → allow',
    risks: ['deletes files for good'],
  },
  {
    name: 'network',
    draft: ['allow', 'WebFetch(domain:example.com)'],
    call: fetchOf('https://example.com/a'),
    expected: 'ask → allow',
    risks: ['can send data out'],
  },
  {
    name: 'reading elsewhere',
    draft: ['allow', 'Read(~/notes/**)'],
    call: read('../notes/a.txt'),
    expected: 'ask → allow',
    risks: ['reaches outside the project'],
  },
  {
    name: 'a deny rule for the whole tool',
    draft: ['allow', 'Bash(make)'],
    call: bash('make'),
    rules: { deny: ['Bash'] },
    expected: 'same',
    dead: 'a stronger rule denies all of it: Bash',
  },
  {
    name: 'an ask rule for the same',
    draft: ['allow', 'Bash(make)'],
    call: bash('ls'),
    rules: { ask: ['Bash(make)'] },
    expected: 'not about it',
    dead: 'a stronger rule asks for all of it: Bash(make)',
  },
  {
    name: 'a broken deny rule, which covers its whole tool',
    draft: ['allow', 'Bash(make)'],
    call: bash('make'),
    rules: { deny: ['Bash(rm'] },
    expected: 'same',
    dead: 'a stronger rule denies all of it: Bash(rm',
  },
  {
    name: 'a wider ask rule that only the calls show',
    draft: ['allow', 'Bash(make release)'],
    call: bash('make release'),
    rules: { ask: ['Bash(make:*)'] },
    expected: 'same',
    dead: 'an ask rule covers',
  },
  {
    name: 'a protected file',
    draft: ['allow', 'Edit(/.git/**)'],
    call: write('.git/config'),
    expected: 'same',
    dead: '.git',
  },
  {
    name: 'plan mode',
    draft: ['allow', 'Edit(/src/**)'],
    call: write('src/app.ts'),
    mode: 'plan',
    expected: 'same',
    dead: 'plan mode',
  },
  {
    name: 'a mode that asks for nothing',
    draft: ['allow', 'Bash(make)'],
    call: bash('make'),
    mode: 'bypassPermissions',
    expected: 'same',
    dead: 'this mode asks for nothing',
  },
  {
    name: 'the rule itself, already there',
    draft: ['deny', 'Bash(make)'],
    call: bash('make'),
    rules: { deny: ['Bash(make)'] },
    expected: 'same',
    dead: 'the same rule is there already',
  },
  {
    name: 'a call that is allowed anyway is nothing against a rule for others',
    draft: ['allow', 'Bash(git:*)'],
    call: bash('git status'),
    expected: 'same',
  },
  {
    name: 'a mode that never asks',
    draft: ['allow', 'Bash(make)'],
    call: bash('make'),
    mode: 'dontAsk',
    expected: 'deny → allow',
  },
];

test.each(ROWS)('$name', async ({ draft, call, rules, mode, expected, risks, dead }) => {
  const found = await replay(...draft, [call], rules, mode);
  const [changed] = found.changed;
  const outcome = changed
    ? `${changed.before} → ${changed.after}`
    : found.unchanged === 1
      ? 'same'
      : 'not about it';
  expect(outcome).toBe(expected);
  expect(changed?.risks ?? []).toEqual(risks ?? []);
  if (dead === undefined) expect(found.dead).toBeNull();
  else expect(found.dead?.reason).toContain(dead);
});

test('considers the newest 200 and cuts long targets', async () => {
  const request = await requestOf(bash(`make ${'x'.repeat(2_000)}`));
  const many = Array.from({ length: 250 }, (_, at) => ({
    request,
    callId: `c${at}`,
    at,
    sessionId: 's',
  }));
  const now = { rules: [], mode: 'default', context: fixture().context } as const;
  const found = replayRule(draftOf('allow', 'Bash(make:*)'), many, now);
  expect(found.considered).toBe(200);
  expect(found.changed).toHaveLength(200);
  expect(found.changed[0]?.target).toHaveLength(500);
});

const CALLS: readonly Call[] = [
  bash('npm test'),
  bash('git log && rm -rf src'),
  bash('cat secrets/a.txt > out.txt'),
  bash('for f in *; do'),
  write('src/app.ts'),
  write('.git/config'),
  read('secrets/a.txt'),
  read('../outside.txt'),
  fetchOf('https://example.com/x'),
  fetchOf('http://127.0.0.1/'),
  ['mcp__db__query', { sql: 'select 1' }],
  ['Agent', { subagent_type: 'Explore', prompt: 'x' }],
];
const TEXTS =
  'Bash;Bash(npm test);Bash(git:*);Bash(rm *);Bash(;Edit;Edit(/src/**);Edit(/.git/**);Read(/secrets/**);Read;WebFetch;WebFetch(domain:example.com);mcp__db;Agent(Explore)'.split(
    ';',
  );
const STRICTNESS: Readonly<Record<RuleBehavior, number>> = { allow: 0, ask: 1, deny: 2 };

const someRules = fc.array(
  fc.record({
    behavior: fc.constantFrom<RuleBehavior>('allow', 'ask', 'deny'),
    text: fc.constantFrom(...TEXTS),
    source: fc.constantFrom<PermissionRule['source']>('managed', 'session', 'userSettings'),
  }),
  { maxLength: 5 },
);

test('a draft only ever works in its own direction, and never over deny, ask and safety', async () => {
  const requests = await Promise.all(CALLS.map(requestOf));
  const past = requests.map((request, at) => ({ request, callId: `c${at}`, at, sessionId: 's' }));
  const { context } = fixture();
  fc.assert(
    fc.property(
      someRules,
      fc.constantFrom<RuleBehavior>('allow', 'ask', 'deny'),
      fc.constantFrom(...TEXTS),
      fc.constantFrom(...PermissionMode.options),
      (rules, behavior, text, mode) => {
        const found = replayRule(draftOf(behavior, text), past, { rules, mode, context });
        for (const call of found.changed) {
          // SPEC E1: an ask rule is looked at before the mode, so that plan mode asks where it would refuse.
          if (behavior === 'ask' && mode === 'plan') continue;
          const tighter = STRICTNESS[call.after] > STRICTNESS[call.before];
          expect(tighter).toBe(behavior !== 'allow');
          if (behavior !== 'allow') continue;
          const request = requests[call.at];
          // What rules or fixed checks keep for the user holds in the mode that skips everything else.
          const firm = request && decide(request, rules, 'bypassPermissions', context);
          expect(firm?.behavior).toBe('allow');
        }
        if (found.changed.length > 0) expect(found.dead).toBeNull();
      },
    ),
    { numRuns: runs(300) },
  );
});
