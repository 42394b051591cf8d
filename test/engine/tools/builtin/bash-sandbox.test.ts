import { describe, expect, test } from 'vitest';
import { decide } from '../../../../src/main/engine/permissions/decide';
import type { DecisionContext } from '../../../../src/main/engine/permissions/request';
import { createShellParser } from '../../../../src/main/engine/permissions/shell-analysis/parser';
import { touchesIn } from '../../../../src/main/engine/permissions/shell-paths';
import {
  blockedReport,
  placementOf,
} from '../../../../src/main/engine/tools/builtin/bash/sandbox-placement';
import type { SandboxTerms } from '../../../../src/main/engine/tools/needs';
import { loadWasm } from '../../../../src/main/node/runtime';
import type { PermissionMode } from '../../../../src/shared/permission';

const { analyze } = createShellParser(loadWasm);
const TERMS: SandboxTerms = {
  autoAllow: true,
  allowUnsandboxed: true,
  excludedCommands: ['docker', 'npm run e2e:*', 'git push *'],
};

describe('where a command runs', () => {
  test.each<[string, boolean]>([
    ['ls', true],
    ['npm run test', true],
    ['docker', false],
    ['docker ps -a', false],
    ['dockerx ps', true],
    ['echo docker', true],
    ['cd x && docker ps | grep y', false],
    ['npm run e2e -- --headed', false],
    ['git push origin main', false],
    ['git pushy', true],
  ])('%s: inside %s', async (command, inside) => {
    const placement = placementOf(false, await analyze(command), TERMS);
    expect(placement).toEqual(inside ? { inside: true, sandbox: 'vouches' } : {});
  });

  test('nowhere special without a sandbox, whatever is asked', async () => {
    expect(placementOf(true, await analyze('ls'), null)).toEqual({});
  });

  test('outside when the model asks for it and may; inside when it may not', async () => {
    const analysis = await analyze('ls');
    expect(placementOf(true, analysis, TERMS)).toEqual({ sandbox: 'left' });
    const strict = { ...TERMS, allowUnsandboxed: false };
    expect(placementOf(true, analysis, strict)).toEqual({ inside: true, sandbox: 'vouches' });
  });
});

describe('THREATS 16: the decision on a command in the sandbox', () => {
  const context: DecisionContext = {
    cwd: '/p',
    home: '/home/you',
    project: '/p',
    workingDirectories: ['/p'],
    caseInsensitive: false,
  };
  const behavior = async (
    command: string,
    sandbox: 'vouches' | 'left' | undefined,
    mode: PermissionMode = 'default',
    rules: readonly [string, 'allow' | 'ask' | 'deny'][] = [],
  ) => {
    const analysis = await analyze(command);
    return decide(
      {
        kind: 'shell',
        tool: 'Bash',
        command,
        cwd: '/p',
        analysis,
        touches: touchesIn(analysis, context),
        realPaths: {},
        ...(sandbox === undefined ? {} : { sandbox }),
      },
      rules.map(([text, each]) => ({ behavior: each, text, source: 'userSettings' as const })),
      mode,
      context,
    ).behavior;
  };

  test.each<[string, Awaited<ReturnType<typeof behavior>>, Parameters<typeof behavior>]>([
    ['runs unasked inside', 'allow', ['npm test', 'vouches']],
    ['asks outside', 'ask', ['npm test', undefined]],
    [
      'a deny rule wins',
      'deny',
      ['npm test && rm x', 'vouches', 'default', [['Bash(rm:*)', 'deny']]],
    ],
    [
      'an ask rule wins',
      'ask',
      ['npm publish', 'vouches', 'default', [['Bash(npm publish:*)', 'ask']]],
    ],
    ['what cannot be parsed asks', 'ask', ['if then (', 'vouches']],
    ['a critical removal asks', 'ask', ['rm -rf /', 'vouches']],
    ['a protected file asks', 'ask', ['echo x > .git/config', 'vouches']],
    ['plan mode only reads', 'ask', ['npm test', 'vouches', 'plan']],
    ['leaving asks', 'ask', ['ls', 'left']],
    [
      'leaving asks although a rule allows the command',
      'ask',
      ['npm test', 'left', 'default', [['Bash(npm test)', 'allow']]],
    ],
    [
      'leaving asks even when permissions are bypassed',
      'ask',
      ['npm test', 'left', 'bypassPermissions'],
    ],
    ['leaving is denied where nothing may be asked', 'deny', ['npm test', 'left', 'dontAsk']],
  ])('%s', async (_, expected, args) => {
    expect(await behavior(...args)).toBe(expected);
  });
});

describe('what the model is told of the sandbox', () => {
  const write = { kind: 'write' as const, target: '/etc/x' };
  test('what was stopped, and how to go on', () => {
    const report = {
      violations: [
        write,
        { kind: 'connect' as const, target: 'x.example:443', reason: 'the user said no' },
      ],
      failed: true,
    };
    expect(blockedReport({ ...report, mayLeave: true }, '')).toMatch(
      /^The sandbox did not allow: writing \/etc\/x; reaching x\.example:443 \(the user said no\)\. .*dangerouslyDisableSandbox: true/,
    );
    expect(blockedReport({ ...report, mayLeave: false }, '')).not.toContain(
      'dangerouslyDisableSandbox',
    );
  });
  test('only the fact when the command got along without', () => {
    expect(blockedReport({ violations: [write], failed: false, mayLeave: true }, '')).toBe(
      'The sandbox did not allow: writing /etc/x.',
    );
  });
  test('a suspicion when the system does not say what it refused; else nothing', () => {
    const quiet = { violations: [], failed: true, mayLeave: true };
    expect(blockedReport(quiet, 'touch: x: Read-only file system')).toContain('in the sandbox');
    for (const words of [
      "curl: (7) Couldn't connect to server",
      'Error: connect ECONNREFUSED 127.0.0.1:5432',
      'Temporary failure in name resolution',
    ])
      expect(blockedReport(quiet, words)).toContain('in the sandbox');
    expect(blockedReport(quiet, '3 tests failed')).toBeNull();
    expect(blockedReport({ ...quiet, failed: false }, 'Permission denied')).toBeNull();
  });
});
