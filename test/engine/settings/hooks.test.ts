import { expect, test } from 'vitest';
import { readMatcher } from '../../../src/main/engine/settings/hook-matchers';
import { hooksOf } from '../../../src/main/engine/settings/merge-hooks';
import { readSettings } from '../../../src/main/engine/settings/read';
import type { RuleSource } from '../../../src/shared/permission';

const layer = (settings: unknown, source: RuleSource = 'userSettings') =>
  readSettings(JSON.stringify(settings, null, 1), source, `${source}.json`);
const bash = (hook: unknown, event = 'PreToolUse') => ({
  hooks: { [event]: [{ matcher: 'Bash', hooks: [hook] }] },
});
const command = { type: 'command', command: 'true' };

test('every field of every type is read', () => {
  const { hooks, problems } = layer({
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash|Edit',
          hooks: [
            {
              type: 'command',
              command: ' check.sh ',
              args: ['-x'],
              timeout: 1.5,
              if: 'Bash(rm *)',
              async: true,
              shell: 'bash',
              statusMessage: 'Checking',
              onFailure: 'block',
            },
            {
              type: 'http',
              url: 'http://localhost:8080/x',
              headers: { Authorization: 'Bearer $T' },
              allowedEnvVars: ['T'],
            },
          ],
        },
      ],
      Stop: [
        {
          hooks: [
            { type: 'prompt', prompt: 'Done? $ARGUMENTS', model: 'haiku', continueOnBlock: true },
            { type: 'command', command: 'watch.sh', asyncRewake: true },
            { type: 'agent', prompt: 'Look. $ARGUMENTS', model: 'opus', once: true },
            { type: 'mcp_tool', server: 's', tool: 't', input: { a: ['x'] }, onFailure: 'x' },
          ],
        },
      ],
    },
  });
  expect(problems).toEqual([]);
  const place = { source: 'userSettings', file: 'userSettings.json', off: null };
  expect(hooks).toEqual([
    {
      ...place,
      event: 'PreToolUse',
      matcher: 'Bash|Edit',
      type: 'command',
      run: 'check.sh',
      args: ['-x'],
      shell: 'bash',
      async: true,
      timeoutMs: 1500,
      if: 'Bash(rm *)',
      statusMessage: 'Checking',
      onFailure: 'block',
      line: 7,
    },
    {
      ...place,
      event: 'PreToolUse',
      matcher: 'Bash|Edit',
      type: 'http',
      run: 'http://localhost:8080/x',
      headers: { Authorization: 'Bearer $T' },
      allowedEnvVars: ['T'],
      line: 20,
    },
    {
      ...place,
      event: 'Stop',
      matcher: '',
      type: 'prompt',
      run: 'Done? $ARGUMENTS',
      model: 'haiku',
      continueOnBlock: true,
      line: expect.any(Number),
    },
    {
      ...place,
      event: 'Stop',
      matcher: '',
      type: 'command',
      run: 'watch.sh',
      async: true,
      asyncRewake: true,
      line: expect.any(Number),
    },
    {
      ...place,
      event: 'Stop',
      matcher: '',
      type: 'agent',
      run: 'Look. $ARGUMENTS',
      model: 'opus',
      once: true,
      line: expect.any(Number),
    },
    {
      ...place,
      event: 'Stop',
      matcher: '',
      type: 'mcp_tool',
      run: 'mcp__s__t',
      call: { server: 's', tool: 't', input: { a: ['x'] } },
      // A value that nobody knows may be meant to guard.
      onFailure: 'block',
      line: expect.any(Number),
    },
  ]);
});

test.each([
  [bash({ type: 'command' }), 'hooks.PreToolUse[0].hooks[0].command', /command in quotes/],
  [bash({ type: 'command', command: '' }), 'hooks.PreToolUse[0].hooks[0].command', /in quotes/],
  [bash({ ...command, args: 'x' }), 'hooks.PreToolUse[0].hooks[0].args', /list of texts/],
  [bash({ ...command, args: [1] }), 'hooks.PreToolUse[0].hooks[0].args', /list of texts/],
  [bash({ ...command, shell: 'fish' }), 'hooks.PreToolUse[0].hooks[0].shell', /"powershell"/],
  [bash({ ...command, if: '(' }, 'PostToolUse'), 'hooks.PostToolUse[0].hooks[0].if', /not used/],
  [bash({ ...command, if: 5 }, 'PostToolUse'), 'hooks.PostToolUse[0].hooks[0].if', /not used/],
  [bash({ ...command, if: 'Bash' }, 'Stop'), 'hooks.Stop[0].hooks[0].if', /not Stop/],
  [bash({ command: 'x' }), 'hooks.PreToolUse[0].hooks[0].type', /"command", "http", "prompt", "a/],
  [bash({ type: 'agent' }), 'hooks.PreToolUse[0].hooks[0].prompt', /prompt in quotes/],
  [bash({ type: 'mcp_tool', tool: 'x' }), 'hooks.PreToolUse[0].hooks[0].server', /tool server/],
  [bash({ type: 'mcp_tool', server: 's' }), 'hooks.PreToolUse[0].hooks[0].tool', /of its tools/],
  [
    bash({ type: 'mcp_tool', server: 's', tool: 'x', input: [] }),
    'hooks.PreToolUse[0].hooks[0].input',
    /an object with names/,
  ],
  [bash({ type: 'constructor' }), 'hooks.PreToolUse[0].hooks[0].type', /is expected/],
  [bash({ type: 'http', url: 'file:///x' }), 'hooks.PreToolUse[0].hooks[0].url', /http/],
  [bash({ type: 'prompt' }), 'hooks.PreToolUse[0].hooks[0].prompt', /prompt in quotes/],
  [bash('echo'), 'hooks.PreToolUse[0].hooks[0].type', /is expected/],
  [bash(command, 'preToolUse'), 'hooks.preToolUse', /no such event \(did you mean "PreToolUse"/],
  [{ hooks: { Stop: {} } }, 'hooks.Stop', /a list/],
  [{ hooks: { Stop: ['x'] } }, 'hooks.Stop[0]', /an object with "matcher" and "hooks"/],
  [{ hooks: { Stop: [{ matcher: 'x' }] } }, 'hooks.Stop[0].hooks', /missing/],
  [{ hooks: { Stop: [{ matcher: 5, hooks: [] }] } }, 'hooks.Stop[0].matcher', /text in quotes/],
  [{ hooks: { Stop: [{ matcher: '[', hooks: [] }] } }, 'hooks.Stop[0].matcher', /regular exp/],
])('a bad hook is named by file, field and line: %j', (settings, field, message) => {
  const { hooks, problems } = layer(settings);
  expect(hooks).toEqual([]);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatchObject({ file: 'userSettings.json', field, level: 'warning' });
  expect(problems[0]?.line).toBeGreaterThan(0);
  expect(problems[0]?.message).toMatch(message);
  expect(problems[0]?.message).toContain(`userSettings.json, line ${problems[0]?.line}: ${field}`);
});

test('a bad hook never drops the others', () => {
  const { hooks, problems } = layer({
    hooks: {
      Nonsense: [],
      PreToolUse: [
        { hooks: [{ type: 'command' }, command, { ...command, args: 0 }, { ...command, run: 1 }] },
      ],
      Stop: [{ matcher: '(', hooks: [command] }, { hooks: [command] }],
    },
  });
  expect(hooks.map(({ event, run }) => `${event} ${run}`)).toEqual([
    'PreToolUse true',
    'PreToolUse true',
    'Stop true',
  ]);
  expect(problems).toHaveLength(5);
});

test.each([
  ['timeot', bash({ ...command, timeot: 5 }), 'hooks.PreToolUse[0].hooks[0].timeot', '“timeout”'],
  [
    'twice',
    bash({ ...command, twice: true }),
    'hooks.PreToolUse[0].hooks[0].twice',
    'no such setting',
  ],
  [
    '__proto__',
    JSON.parse(
      '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true","__proto__":{}}]}]}}',
    ),
    'hooks.Stop[0].hooks[0].__proto__',
    'no such setting',
  ],
  [
    'a field of a group',
    { hooks: { Stop: [{ hoks: [], hooks: [command] }] } },
    'hooks.Stop[0].hoks',
    '“hooks”',
  ],
  [
    'a field of another type of hook',
    bash({ type: 'http', url: 'http://localhost/', command: 'true' }),
    'hooks.PreToolUse[0].hooks[0].command',
    'no such setting',
  ],
  [
    'a tool that there is not',
    { hooks: { PreToolUse: [{ matcher: 'Bsh', hooks: [command] }] } },
    'hooks.PreToolUse[0].matcher',
    'there is no tool Bsh, so its hooks never run; “Bash” may be meant',
  ],
])(
  'what a hook says and nobody reads is told once, and the hook stays: %s',
  (_, settings, field, words) => {
    const { hooks, problems } = layer(settings);
    expect(hooks).toHaveLength(1);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ file: 'userSettings.json', field, level: 'warning' });
    expect(problems[0]?.message).toContain(
      `userSettings.json, line ${problems[0]?.line}: ${field}: `,
    );
    expect(problems[0]?.message).toContain(words);
  },
);

const read = (fields: object, event = 'PreToolUse') =>
  layer({ hooks: { [event]: [{ hooks: [{ ...command, ...fields }] }] } });

test.each<[object, string, object]>([
  [
    { timeout: -1 },
    'timeout: a number of seconds above 0 and up to 86400 is expected; it is left out',
    {},
  ],
  [{ timeout: '5' }, 'timeout: a number of seconds above 0', {}],
  [{ async: 'yes' }, 'async: true or false is expected; it is left out', {}],
  [{ once: 'yes' }, 'once: true or false is expected; it is left out', {}],
  [{ statusMessage: 5 }, 'statusMessage: a text of at most', {}],
  [
    { onFailure: 'Block' },
    'onFailure: "continue" or "block" is expected; it counts as "block"',
    { onFailure: 'block' },
  ],
  [
    { if: 5 },
    'if: a permission rule in quotes, such as "Bash(rm *)", is expected; it is left out',
    { widened: true },
  ],
  [
    { if: '(' },
    'until it is corrected this hook runs for all that its matcher fits',
    { if: '(', widened: true },
  ],
  [{ if: 'Bsh(rm *)' }, 'until it is corrected this hook runs', { if: 'Bsh(rm *)', widened: true }],
])('a guard stays without what is written badly beside its command: %j', (fields, words, kept) => {
  const { hooks, problems } = read(fields);
  const place = { event: 'PreToolUse', matcher: '', type: 'command', run: 'true', off: null };
  const file = { source: 'userSettings', file: 'userSettings.json', line: expect.any(Number) };
  expect(hooks).toEqual([{ ...place, ...file, ...kept }]);
  expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining(words)]);
});

test('several fields that are written badly are each told', () => {
  const { hooks, problems } = read({ timeout: -1, once: 0, async: [] }, 'PostToolUse');
  expect(hooks).toHaveLength(1);
  expect(problems.map(({ field }) => field?.split('.').at(-1)).sort()).toEqual([
    'async',
    'once',
    'timeout',
  ]);
});

test.each([
  ['[', 'is no regular expression'],
  [['Bash', 'Edit'], 'a text in quotes is expected'],
  ['(a+)+', 'could take for ever'],
])('a guard whose matcher cannot be read runs for every tool: %j', (matcher, words) => {
  const group = [{ matcher, hooks: [command] }];
  const { hooks, problems } = layer({ hooks: { PreToolUse: group, PostToolUse: group } });
  expect(hooks).toEqual([
    expect.objectContaining({ event: 'PreToolUse', matcher: '', widened: true }),
  ]);
  const [guard, later] = problems.map(({ message }) => message);
  expect(guard).toContain(words);
  expect(guard).toContain('until it is corrected its hooks run for all');
  expect(later).toContain('its hooks are not used');
});

test('a guard whose matcher is written as a rule runs for all of the tool', () => {
  const { hooks, problems } = layer({
    hooks: { PreToolUse: [{ matcher: 'bash(rm *)', hooks: [command] }] },
  });
  expect(hooks).toEqual([expect.objectContaining({ matcher: 'Bash', widened: true })]);
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringContaining('a matcher only names tools, so its hooks run for all of Bash'),
  ]);
});

test('a matcher whose letter case differs is for the tool that is meant, and says so', () => {
  const { hooks, problems } = layer({
    hooks: { PreToolUse: [{ matcher: 'bash|x', hooks: [command] }] },
  });
  const matches = readMatcher(hooks[0]?.matcher ?? '', 'PreToolUse');
  expect(matches.ok && matches.value('Bash')).toBe(true);
  expect(matches.ok && matches.value('Edit')).toBe(false);
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringContaining('there is no tool bash; it is taken for Bash'),
  ]);
});

test.each(['Edit|Write|MultiEdit', 'mcp__issues__create', 'Bash, Read', '.*', 'PowerShell'])(
  'nothing is told of a matcher that may fit: %s',
  (matcher) => {
    expect(layer({ hooks: { PreToolUse: [{ matcher, hooks: [command] }] } }).problems).toEqual([]);
  },
);

const says = (command: string) => `{"hooks": [{"type": "command", "command": "${command}"}]}`;
const [one, two] = [says('one'), says('two')];

test.each([
  [
    'the object',
    `{"hooks": {"PreToolUse": [${one}]},\n"hooks": {"PreToolUse": [${two}]}}`,
    'hooks',
  ],
  ['an event', `{"hooks": {"Stop": [${one}],\n"Stop": [${two}]}}`, 'hooks.Stop'],
  [
    'the list of a group',
    `{"hooks": {"Stop": [{${one.slice(1, -1)},\n${two.slice(1)}]}}`,
    'hooks.Stop[0].hooks',
  ],
])('hooks that stand twice all count, and are told: %s', (_, text, field) => {
  const { hooks, problems } = readSettings(text, 'userSettings', 's.json');
  expect(hooks.map(({ run }) => run)).toEqual(['one', 'two']);
  const message = `s.json, line 2: ${field}: the name stands here more than once; the hooks of each count.`;
  expect(problems.map((each) => each.message)).toEqual([message]);
});

test('a condition that is written badly covers the whole tool, and says so', () => {
  const { hooks, problems } = layer(bash({ ...command, if: 'Bash(rm *' }));
  expect(hooks).toHaveLength(1);
  expect(problems[0]?.message).toMatch(/covers every use of Bash/);
});

const offs = (...layers: ReturnType<typeof layer>[]) =>
  hooksOf(layers, ({ source }) => source !== 'projectSettings').map(({ off }) => off);

test('hooks of a folder that is not trusted are off; the others are on', () => {
  const shared = layer(bash(command), 'projectSettings');
  expect(offs(shared, layer(bash(command)))).toEqual(['this folder is not trusted', null]);
});

test('disableAllHooks: the strongest file decides, and only managed settings reach managed hooks', () => {
  const managed = (more: object) => layer({ ...bash(command), ...more }, 'managed');
  const user = layer({ ...bash(command), disableAllHooks: true });
  const off = 'disableAllHooks is set in userSettings.json';
  expect(offs(managed({}), user)).toEqual([null, off]);
  expect(offs(managed({ disableAllHooks: false }), user)).toEqual([null, null]);
  expect(offs(managed({ disableAllHooks: true }), layer(bash(command)))).toEqual([
    'disableAllHooks is set in managed.json',
    'disableAllHooks is set in managed.json',
  ]);
  const local = layer({ disableAllHooks: false }, 'localSettings');
  expect(offs(local, user)).toEqual([null]);
  expect(offs(layer({ disableAllHooks: true }, 'projectSettings'), layer(bash(command)))).toEqual([
    null,
  ]);
  expect(offs(managed({ allowManagedHooksOnly: true }), layer(bash(command)))).toEqual([
    null,
    'managed settings allow only their own',
  ]);
});

test('allowManagedHooksOnly leaves the hooks of plugins that managed settings turn on', () => {
  const managed = layer(
    { allowManagedHooksOnly: true, enabledPlugins: { 'lint@team': true, 'old@team': false } },
    'managed',
  );
  const of = (ofPlugin: string | null) => ({ ...layer(bash(command)), ofPlugin });
  const off = 'managed settings allow only their own';
  expect(offs(managed, of('lint@team'), of('old@team'), of('mine@me'), of(null))).toEqual([
    null,
    off,
    off,
    off,
  ]);
});

test('what the user switched off, a trusted folder does not switch on again', () => {
  const user = layer({ disableAllHooks: true, ...bash(command) });
  const folder = layer({ disableAllHooks: false, ...bash(command) }, 'projectSettings');
  const off = 'disableAllHooks is set in userSettings.json';
  expect(hooksOf([folder, user], () => true).map((hook) => hook.off)).toEqual([off, off]);
  const managed = layer({ disableAllHooks: false, ...bash(command) }, 'managed');
  expect(hooksOf([managed, user], () => true).map((hook) => hook.off)).toEqual([null, null]);
});
