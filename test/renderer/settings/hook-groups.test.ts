import { expect, test } from 'vitest';
import {
  groupHooks,
  howItRuns,
  problemWords,
  whatRuns,
  whenItRuns,
} from '../../../src/renderer/settings/hook-groups';
import type { ListedHook } from '../../../src/shared/hooks';

const hook = (over: Partial<ListedHook> = {}): ListedHook => ({
  event: 'PreToolUse',
  matcher: '*',
  type: 'command',
  run: 'check.sh',
  source: 'userSettings',
  file: '/home/ann/.claude/settings.json',
  line: 4,
  off: null,
  ...over,
});

test('hooks are listed by file, and what cannot be changed says so', () => {
  const managed = hook({ source: 'managed', file: '/etc/m.json' });
  const off = 'disableAllHooks is set in /home/ann/.claude/settings.json';
  const groups = groupHooks([managed, hook({ off }), hook({ off, line: 9 })], '/home/ann');
  expect(groups.map(({ place, locked, off, hooks }) => [place, locked, off, hooks.length])).toEqual(
    [
      ['/etc/m.json', 'managed by this machine', null, 1],
      ['~/.claude/settings.json', null, 'disableAllHooks is set in ~/.claude/settings.json', 2],
    ],
  );
});

test('a hook is told in words', () => {
  expect(whenItRuns(hook())).toBe('PreToolUse');
  expect(whenItRuns(hook({ matcher: 'Bash', if: 'Bash(rm *)' }))).toBe(
    'PreToolUse · Bash · only for Bash(rm *)',
  );
  expect(howItRuns(hook())).toBe('');
  expect(howItRuns(hook({ type: 'prompt', model: 'haiku', timeoutMs: 1500 }))).toBe(
    'asks a model · haiku · at most 1.5 s',
  );
  expect(howItRuns(hook({ timeoutMs: 1500, async: true }))).toBe('nobody waits');
  expect(howItRuns(hook({ timeoutMs: 1500, async: true, asyncRewake: true }))).toBe(
    'at most 1.5 s · nobody waits · may wake the model',
  );
  expect(whatRuns(hook({ args: ['-x', 'y'] }))).toBe('check.sh -x y');
});

test.each([
  [
    {
      file: '/a.json',
      line: 3,
      field: 'model',
      message: '/a.json, line 3: model: a text is expected.',
    },
    'a text is expected.',
  ],
  [
    { file: '/a.json', field: 'model', message: '/a.json: not from a folder.' },
    'not from a folder.',
  ],
  [{ file: '', message: 'The mode is off.' }, 'The mode is off.'],
] as const)('a problem is told without its place: %j', (problem, words) => {
  expect(problemWords({ ...problem, level: 'warning' })).toBe(words);
});
