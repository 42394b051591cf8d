import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide } from '../../../src/main/engine/permissions/decide';
import type { PermissionRequest } from '../../../src/main/engine/permissions/request';
import { touchesIn } from '../../../src/main/engine/permissions/shell-paths';
import { PermissionMode, type PermissionRule } from '../../../src/shared/permission';
import { runs } from '../../support/runs';
import { sharedFixture, shellTests } from './support/table';

const fixture = sharedFixture();
const EVERYTHING = { allow: ['Bash', 'Edit', 'Write', 'Read'] };

describe('THREATS 3: what cannot be understood asks, whatever is allowed', () => {
  const lines = [
    'ls $(',
    'ls\n\\touch x',
    'ls ;; pwd',
    `echo ${'x'.repeat(10_001)}`,
    'ls\u200b',
    'ls\0rm x',
  ];
  for (const mode of ['default', 'acceptEdits', 'bypassPermissions'] as const)
    shellTests(fixture, 'ask', lines, EVERYTHING, mode);
});

describe('THREATS 5: an option that is not listed asks', () => {
  shellTests(fixture, 'ask', [
    'sort -o x a.txt',
    'sort --ou x a.txt',
    'sort -"o" x a.txt',
    'find . -delete',
    'find . -fprint x',
    'rg --pre sh x',
    'rg --hostname-bin x y',
    'sed -n "w x" a.txt',
    "sed 's/a/b/e' a.txt",
    "sed 's/a/b/w x' a.txt",
    'sed -ni p a.txt',
    'awk \'{print > "x"}\' a.txt',
    'awk \'{print | "sh"}\' a.txt',
    'git diff --output=x',
    'git diff --outp=x',
    'git log --ext-diff -p',
    'git log --format=%G?',
    'git grep -Osh x',
    'git -c core.pager=x log',
    'tree -o x',
    'man -P sh ls',
    'tar -tf a --to-command=x',
    'date --set=x',
    'ping x',
    'dig x',
    'printf %n PATH',
  ]);
});

describe('THREATS 7: protected files and critical removals ask in every mode', () => {
  const lines = [
    'rm -rf /',
    'rm -rf ~',
    'rm -rf "$HOME"',
    'rm -rf .',
    'rm -rf ..',
    'rm -rf /etc',
    'rm -rf "$X"/*',
    'rm -rf $(pwd)',
    'sudo rm -rf /',
    "bash -c 'rm -rf ~'",
    'rm -rf .git',
    'cp a.txt .git/hooks/pre-commit',
    'echo x > .claude/settings.json',
    'echo x > .mcp.json',
    'touch .bashrc',
    'echo x >> .envrc',
    'mv a.txt .npmrc',
  ];
  for (const mode of ['default', 'acceptEdits', 'bypassPermissions'] as const)
    shellTests(fixture, 'ask', lines, EVERYTHING, mode);
});

describe('THREATS 8: cd and git ask together', () => {
  shellTests(fixture, 'ask', [
    'cd sub && git status',
    'cd sub; git log',
    '(cd sub && git diff)',
    'cd sub && ls && git status',
    'pushd sub && git status',
    'git -C sub status',
    'git --git-dir=sub/.git log',
    'GIT_DIR=sub git status',
  ]);
});

test('THREATS 4, 15: decide answers whatever it is given, and never throws', async () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('Bash(', 'Read(//)', '__proto__', '*'),
  );
  const rule: fc.Arbitrary<PermissionRule> = fc.record({
    behavior: fc.constantFrom('allow', 'deny', 'ask'),
    text: fc.oneof(
      text,
      text.map((specifier) => `Bash(${specifier})`),
      text.map((path) => `Read(${path})`),
    ),
    source: fc.constantFrom('session', 'userSettings', 'managed'),
  });
  const { context, parser } = fixture();
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.array(rule, { maxLength: 4 }),
      fc.constantFrom(...PermissionMode.options),
      async (any, rules, mode) => {
        const analysis = await parser.analyze(any);
        const touches = touchesIn(analysis, context);
        const requests: PermissionRequest[] = [
          {
            ...{ kind: 'shell', tool: 'Bash', command: any, cwd: context.cwd },
            ...{ analysis, touches, realPaths: {} },
          },
          { kind: 'file', tool: 'Edit', access: 'edit', path: any, realPath: any, identity: null },
          { kind: 'tool', tool: any, specifier: any, readOnly: false, params: { [any]: any } },
        ];
        for (const request of requests)
          expect(['allow', 'deny', 'ask']).toContain(
            decide(request, rules, mode, context).behavior,
          );
      },
    ),
    { numRuns: runs(500) },
  );
});
