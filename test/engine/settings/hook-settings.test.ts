import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMatcher } from '../../../src/main/engine/settings/hook-matchers';
import { withHooksSwitch, withoutHook } from '../../../src/main/engine/settings/hook-settings';
import { readSettings } from '../../../src/main/engine/settings/read';
import type { HookEvent, HookSetting } from '../../../src/shared/hooks';

const FILE = 'settings.json';
const hooksIn = (text: string) => readSettings(text, 'userSettings', FILE).hooks;
test.each([
  ['{"hooks": [{"command": "x"}]}', ''],
  ['{"hooks": "./guard.sh"}', ''],
  ['{"hooks": [{"PreToolUse": [{"hooks": ["x"]}]}]}', ' Until it can be read, Lathe asks before'],
])('hooks that are no object are told once: %s', (text, more) => {
  expect(readSettings(text, 'userSettings', FILE).problems.map(({ message }) => message)).toEqual([
    expect.stringContaining(`${FILE}, line 1: hooks: an object of events is expected.${more}`),
  ]);
});

test.each([
  ['preToolUse', 'there is no such event (did you mean "PreToolUse"?). Until it can be read'],
  ['Hooks', 'the name of an event is expected directly below "hooks". Until it can be read'],
  ['Frobnicated', 'there is no such event; the events are SessionStart, Setup, '],
])('a name that is no event is told with what may be meant: %s', (name, words) => {
  const group = '[{"hooks": [{"type": "command", "command": "x"}]}]';
  const value = name === 'Hooks' ? `{"PreToolUse": ${group}}` : group;
  const { problems } = readSettings(`{"hooks": {"${name}": ${value}}}`, 'userSettings', FILE);
  expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining(words)]);
});

const removed = (text: string, hook: HookSetting): string => {
  const after = withoutHook(text, hook);
  if (!after.ok) throw new Error(after.error.message);
  return after.value;
};

const TWO = `{
  // mine
  "model": "opus",
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash", // shells
        "hooks": [
          { "type": "command", "command": "one" }, // first
          { "type": "command", "command": "two" }
        ]
      }
    ],
    "Stop": [{ "hooks": [{ "type": "prompt", "prompt": "done?" }] }]
  }
}
`;

test('a hook goes and everything around it stays', () => {
  const [one] = hooksIn(TWO);
  const after = removed(TWO, one as HookSetting);
  expect(after).toBe(
    TWO.replace(
      '          { "type": "command", "command": "one" }, // first\n',
      '          // first\n',
    ),
  );
});

test('the last hook of a group takes the group along', () => {
  const stop = hooksIn(TWO)[2] as HookSetting;
  const after = removed(TWO, stop);
  expect(after).toContain('"Stop": []');
  expect(hooksIn(after).map(({ run }) => run)).toEqual(['one', 'two']);
});

test.each([
  '{"hooks": {"Stop": [{"hooks": [ONE],\n"hooks": [TWO]}]}}',
  '{"hooks": {"Stop": [{"hooks": [ONE]}]},\n"hooks": {"Stop": [{"hooks": [TWO]}]}}',
])('of hooks that stand twice just the one goes: %s', (form) => {
  const hook = (command: string) => `{"type": "command", "command": "${command}"}`;
  const text = form.replace('ONE', hook('one')).replace('TWO', hook('two'));
  for (const [index, left] of ['two', 'one'].entries())
    expect(
      hooksIn(removed(text, hooksIn(text)[index] as HookSetting)).map(({ run }) => run),
    ).toEqual([left]);
});

test('a byte order mark and line ends stay', () => {
  const text = `\uFEFF${TWO.replaceAll('\n', '\r\n')}`;
  const [, two] = hooksIn(text);
  const after = removed(text, two as HookSetting);
  expect(after.startsWith('\uFEFF')).toBe(true);
  expect(after.replaceAll('\r\n', '')).not.toContain('\n');
});

test('a hook that moved or changed meanwhile is left alone', () => {
  const [one] = hooksIn(TWO);
  const hook = one as HookSetting;
  for (const text of [`\n${TWO}`, TWO.replace('"one"', '"other"'), '{}', ''])
    expect(withoutHook(text, hook)).toMatchObject({ ok: false, error: { code: 'gone' } });
  expect(withoutHook('{"hooks":', hook)).toMatchObject({
    ok: false,
    error: { code: 'malformed_settings' },
  });
});

test('the switch is set, and set again, without touching the rest', () => {
  const on = withHooksSwitch(TWO, FILE, true);
  expect(on.ok && on.value).toContain('// mine');
  expect(on.ok && readSettings(on.value, 'userSettings', FILE).fields.disableAllHooks).toBe(true);
  const off = on.ok ? withHooksSwitch(on.value, FILE, false) : on;
  expect(off.ok && readSettings(off.value, 'userSettings', FILE).fields.disableAllHooks).toBe(
    false,
  );
  expect(withHooksSwitch('', FILE, true)).toEqual({
    ok: true,
    value: '{\n  "disableAllHooks": true\n}\n',
  });
});

const groups = fc.array(
  fc.record({
    matcher: fc.constantFrom('', 'Bash', 'Edit|Write'),
    hooks: fc.array(
      fc.record({
        type: fc.constant('command'),
        command: fc.constantFrom('a', 'b', 'c; d', '"x"', '// no comment'),
      }),
      { maxLength: 4 },
    ),
  }),
  { maxLength: 4 },
);
const files = fc.record({ PreToolUse: groups, Stop: groups });

test('whichever hook is removed, just that one is gone', () => {
  fc.assert(
    fc.property(files, fc.nat(), fc.constantFrom(0, 2), (hooks, which, indent) => {
      const text = JSON.stringify({ hooks, model: 'opus' }, null, indent);
      const before = hooksIn(text);
      fc.pre(before.length > 0);
      const at = which % before.length;
      const after = readSettings(removed(text, before[at] as HookSetting), 'userSettings', FILE);
      const words = (list: readonly HookSetting[]) =>
        list.map(({ event, matcher, run }) => `${event} ${matcher} ${run}`);
      const left = words(before);
      // Of equal ones on one line the first goes, which makes no difference.
      left.splice(left.indexOf(words(before)[at] ?? ''), indent === 0 ? 1 : 0);
      if (indent === 0) expect(words(after.hooks).toSorted()).toEqual(left.toSorted());
      else expect(words(after.hooks)).toEqual(words(before).filter((_, i) => i !== at));
      expect(after.problems).toEqual([]);
      expect(after.fields.model).toBe('opus');
    }),
  );
});

test.each([
  ['Task', 'PreToolUse', 'Agent', true],
  ['Bash|Task', 'PostToolUse', 'Agent', true],
  ['^Tas', 'PreToolUse', 'Agent', true],
  ['Task', 'PreToolUse', 'Bash', false],
  ['Task', 'SubagentStart', 'Agent', false],
] as const)('the older name of the Agent tool counts: %s at %s for %s: %j', (...row) => {
  const [matcher, event, subject, expected] = row;
  expect(fits(matcher, subject, event)).toBe(expected);
});

const fits = (matcher: string, subject: string, event?: HookEvent): boolean | string => {
  const read = readMatcher(matcher, event);
  return read.ok ? read.value(subject) : read.error;
};

test.each([
  ['', 'Bash', true],
  ['*', 'anything', true],
  [' * ', 'anything', true],
  ['Bash', 'Bash', true],
  ['Bash', 'BashOutput', false],
  ['Bash', 'bash', false],
  ['Edit|Write', 'Write', true],
  ['Edit|Write', 'NotebookEdit', false],
  ['Edit, Write', 'Edit', true],
  ['Edit ,Write|Read', 'Read', true],
  ['permission_prompt|idle_prompt', 'idle_prompt', true],
  ['mcp__memory__store', 'mcp__memory__store', true],
  ['mcp__memory__store', 'mcp__memory__store_all', false],
  ['my-tool', 'my-tool', true],
  // Anything else is a pattern that may fit anywhere.
  ['mcp__memory__.*', 'mcp__memory__store', true],
  ['Notebook.*', 'NotebookEdit', true],
  ['.ote', 'NotebookEdit', true],
  ['^Note$', 'NotebookEdit', false],
  ['^(Edit|Write)$', 'Write', true],
  ['Edit|Write.*', 'NotebookEdit', true],
])('%j fits %j: %j', (matcher, subject, expected) => {
  expect(fits(matcher, subject)).toBe(expected);
});

test.each([
  ['mcp__(', /no regular expression/],
  ['[', /no regular expression/],
  ['(a+)+$', /for ever/],
  ['(a|aa)+$', /for ever/],
  ['(.*)*x', /for ever/],
  [`.${'x'.repeat(2000)}`, /longer than 1000/],
])('%j is refused', (matcher, why) => {
  expect(fits(matcher, 'aaaa')).toMatch(why);
});

test('a pattern never looks at more than a name can be', () => {
  expect(fits('.x', `${'a'.repeat(5_000)}x`)).toBe(false);
});
