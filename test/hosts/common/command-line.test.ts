import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { isFolder } from '../../../src/main/hosts/common/app-environment';
import { FLAGS, MISSING } from '../../../src/main/hosts/common/command-line/flags';
import { helpText } from '../../../src/main/hosts/common/command-line/help-text';
import { parseCommandLine } from '../../../src/main/hosts/common/command-line/parse';

const BASE = '/home/ann/project';
const parse = (...words: string[]) => parseCommandLine(words, BASE);
const UUID = '0f8fad5b-d9cb-469f-a165-70867728950e';

const HEADLESS = {
  kind: 'headless',
  prompt: 'hi',
  outputFormat: 'text',
  inputFormat: 'text',
  verbose: false,
  partialMessages: false,
  debug: false,
  options: {
    folder: BASE,
    trust: false,
    fork: false,
    allowedTools: [],
    disallowedTools: [],
    addDirectories: [],
  },
} as const;
/** Programs read what was said; what hooks have shown of it is for people. */
const SAID_ALONE = { wishes: { saidAlone: true } };

const headless = (options: object, rest: object = {}) => ({
  ...HEADLESS,
  ...rest,
  options: { ...HEADLESS.options, ...options },
});

test.each<[string, string[], object]>([
  ['nothing', [], { kind: 'open', demo: false, port: 0, openWindow: true, debug: false }],
  ['a folder', ['sub'], { kind: 'open', folder: `${BASE}/sub` }],
  ['an absolute folder', ['/x y'], { kind: 'open', folder: '/x y' }],
  ['--demo', ['--demo', '--no-open'], { kind: 'open', demo: true, openWindow: false }],
  ['--wait', ['sub', '--wait'], { kind: 'open', waits: true }],
  ['serve', ['serve'], { kind: 'serve', port: 0 }],
  ['serve with all', ['serve', '.', '--port', '4300'], { kind: 'serve', folder: BASE, port: 4300 }],
  ['--port=0', ['serve', '--port=0'], { kind: 'serve', port: 0 }],
  ['a folder called serve', ['./serve'], { kind: 'open', folder: `${BASE}/serve` }],
  ['path', ['path', 'add'], { kind: 'path', act: 'add' }],
  ['doctor', ['doctor'], { kind: 'doctor', folder: BASE, debug: false }],
  ['no key any more', ['auth', 'logout'], { kind: 'auth', act: 'logout', asJson: false }],
  [
    'the key',
    ['auth', 'status'],
    { kind: 'auth', act: 'status', asJson: false, options: { folder: BASE } },
  ],
  [
    'the key of a run, as programs ask for it',
    ['--settings', '{}', 'auth', 'status', '--json'],
    { kind: 'auth', act: 'status', asJson: true, options: { settings: '{}' } },
  ],
  [
    'doctor elsewhere',
    ['doctor', '--cwd', '/y', '--debug'],
    { kind: 'doctor', folder: '/y', debug: true },
  ],
  [
    'doctor as a run with its flags',
    ['doctor', '--settings', 's.json', '--mcp-config', '{}', '--plugin-dir', 'p'],
    { settings: `${BASE}/s.json`, mcpConfig: ['{}'], pluginFolders: [`${BASE}/p`] },
  ],
  ['doctor as with trust', ['doctor', '--trust'], { kind: 'doctor', folder: BASE, trust: true }],
  ['a debug log', ['serve', '--debug'], { kind: 'serve', debug: true }],
  [
    'a debug log in a file',
    ['--debug-file', 'd.log'],
    { kind: 'open', debug: true, debugFile: `${BASE}/d.log` },
  ],
  ['help wins', ['-p', 'x', '--help'], { kind: 'help', topic: null }],
  ['version', ['--version'], { kind: 'version' }],
  ['the version programs look for', ['-v'], { kind: 'protocolVersion' }],
])('%s', (_, words, expected) => {
  expect(parse(...words)).toMatchObject({ ok: true, value: expected });
});

test.each<[string, string[], object]>([
  ['a prompt', ['-p', 'hi'], HEADLESS],
  [
    'a debug log',
    ['-p', 'hi', '--debug-file=/d.log'],
    headless({}, { debug: true, debugFile: '/d.log' }),
  ],
  ['the prompt first', ['hi', '--print'], HEADLESS],
  ['a fork of nothing', ['-p', 'hi', '--fork-session'], headless({ fork: true })],
  [
    'a driver, which leaves -p out and says nothing in many words',
    [
      ...['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'],
      ...['--system-prompt', '', '--setting-sources', '', '--permission-prompt-tool', 'stdio'],
      ...['--replay-user-messages', '', '--await-initialize', '--tools=Read,Bash', '--debug=api'],
    ],
    headless(
      { ...SAID_ALONE, settingSources: [], tools: ['Read', 'Bash'] },
      {
        prompt: null,
        outputFormat: 'stream-json',
        inputFormat: 'stream-json',
        verbose: true,
        debug: true,
        promptTool: 'stdio',
        awaitsInitialize: true,
        replaysPrompts: true,
      },
    ),
  ],
  [
    'what a program says of a session',
    [
      ...['-p', 'hi', '--json-schema', '{}', '--agents={"a":1}', '--name', 'Mend', '--betas', 'b'],
      ...['--allow-dangerously-skip-permissions', '--no-session-persistence', '--tools', 'default'],
    ],
    headless({
      jsonSchema: '{}',
      agents: '{"a":1}',
      title: 'Mend',
      betas: ['b'],
      allowsBypass: true,
      keepsNothing: true,
    }),
  ],
  ['flags without effect', ['-p', 'hi', '--ide', '--no-chrome'], HEADLESS],
  ['a bare prompt', ['-p', 'hi', '--bare'], headless({ bare: true })],
  [
    'prompts from files',
    ['-p', 'hi', '--system-prompt-file', 'a.md', '--append-system-prompt-file=/b.md'],
    headless({ systemPromptFile: `${BASE}/a.md`, appendSystemPromptFile: '/b.md' }),
  ],
  ['an unquoted prompt', ['-p', 'fix', 'the', 'test'], { ...HEADLESS, prompt: 'fix the test' }],
  ['no prompt', ['-p'], { ...HEADLESS, prompt: null }],
  [
    'a prompt that begins with a dash',
    ['-p', '- one\n- two'],
    { ...HEADLESS, prompt: '- one\n- two' },
  ],
  ['a prompt after --', ['-p', '--', '--help'], { ...HEADLESS, prompt: '--help' }],
  ['--cwd', ['-p', 'hi', '--cwd', 'sub'], headless({ folder: `${BASE}/sub` })],
  [
    'formats',
    ['-p', 'hi', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'],
    headless(SAID_ALONE, { outputFormat: 'stream-json', verbose: true, partialMessages: true }),
  ],
  [
    'stream-json input',
    ['-p', '--input-format=stream-json', '--output-format=stream-json'],
    headless(SAID_ALONE, { prompt: null, inputFormat: 'stream-json', outputFormat: 'stream-json' }),
  ],
  [
    'several tools',
    ['-p', 'hi', '--allowedTools', 'Bash(npm test)', 'Read', 'Edit'],
    headless({ allowedTools: ['Bash(npm test)', 'Read', 'Edit'] }),
  ],
  [
    'tools in a comma list, repeated, under the other name',
    ['-p', 'hi', '--allowed-tools', 'Bash(git log *),Read Edit', '--allowedTools=Write'],
    headless({ allowedTools: ['Bash(git log *)', 'Read', 'Edit', 'Write'] }),
  ],
  [
    'a list ends at the next flag',
    ['-p', 'hi', '--disallowedTools', 'WebFetch', '--add-dir', '../a', '/b', '--trust'],
    headless({
      disallowedTools: ['WebFetch'],
      addDirectories: ['/home/ann/a', '/b'],
      trust: true,
    }),
  ],
  [
    'limits',
    ['-p', 'hi', '--max-turns', '3', '--max-budget-usd', '0.25'],
    headless({ maxTurns: 3, maxBudgetUsd: 0.25 }),
  ],
  [
    'small limits, as JavaScript writes them',
    ['-p', 'hi', '--max-budget-usd', '1e-7', '--max-daily-budget-usd', '.5'],
    headless({ maxBudgetUsd: 1e-7, maxDailyBudgetUsd: 0.5 }),
  ],
  [
    'model, effort, mode',
    ['-p', 'hi', '--model', 'opus', '--effort', 'high', '--permission-mode', 'manual'],
    headless({ model: 'opus', effort: 'high', mode: 'default' }),
  ],
  [
    'models that take over, and no questions',
    ['-p', '--fallback-model', 'sonnet,haiku', 'hi', '--dangerously-skip-permissions'],
    headless({ fallbackModels: ['sonnet', 'haiku'], mode: 'bypassPermissions' }),
  ],
  ['a new session', ['-p', 'hi', '--session-id', UUID], headless({ sessionId: UUID })],
  ['resume', ['-p', 'hi', '-r', UUID], headless({ resume: UUID })],
  ['continue', ['-p', 'hi', '-c', '--fork-session'], headless({ resume: 'latest', fork: true })],
  [
    'an agent and a prompt of its own',
    ['-p', 'hi', '--agent', 'Explore', '--override-system-prompt', 'Be.'],
    headless({ agent: 'Explore', overrideSystemPrompt: 'Be.' }),
  ],
  ['a coordinator', ['-p', 'hi', '--coordinator'], headless({ coordinator: true })],
  [
    'prompts of the system',
    ['-p', 'hi', '--system-prompt', '--odd--', '--append-system-prompt', '-x'],
    headless({ systemPrompt: '--odd--', appendSystemPrompt: '-x' }),
  ],
  [
    'tool servers',
    ['-p', '--mcp-config', 'a.json', '{"mcpServers":{}}', '--strict-mcp-config', 'hi'],
    headless({ mcpConfig: [`${BASE}/a.json`, '{"mcpServers":{}}'], strictMcpConfig: true }),
  ],
  ['settings file', ['-p', 'hi', '--settings', 's.json'], headless({ settings: `${BASE}/s.json` })],
  ['settings inline', ['-p', 'hi', '--settings', '{"a":1}'], headless({ settings: '{"a":1}' })],
])('-p with %s', (_, words, expected) => {
  expect(parse(...words)).toEqual({ ok: true, value: expected });
});

test.each([
  [['search', 'lost', '"key"'], { kind: 'searchSessions', text: 'lost "key"' }],
  [['export', 'id'], { kind: 'exportSession', sessionId: 'id', format: 'markdown' }],
  [['archive', 'id'], { kind: 'keepSession', act: 'archive', sessionId: 'id' }],
  [['delete', 'id'], { kind: 'keepSession', act: 'delete', sessionId: 'id' }],
  [['export', 'id', 'html'], { kind: 'exportSession', sessionId: 'id', format: 'html' }],
  [['search'], null],
  [['export'], null],
  [['export', 'id', 'pdf'], null],
  [['export', 'id', 'html', 'more'], null],
  [['drop', 'id'], null],
])('lathe sessions %j', (words, value) =>
  expect(parse('sessions', ...words)).toMatchObject(value === null ? { ok: false } : { value }),
);

test('permissions check takes nothing but the folder', () => {
  const command = { kind: 'checkPermissions', folder: BASE };
  expect(parse('permissions', 'check')).toEqual({ ok: true, value: command });
  expect(parse('permissions', 'check', '--cwd', '/x')).toMatchObject({ value: { folder: '/x' } });
  for (const words of [['permissions'], ['permissions', 'x'], ['permissions', 'check', 'y']])
    expect(parse(...words)).toMatchObject({ ok: false, error: { code: 'usage' } });
});

// The flags that docs and programs of the ecosystem name.
const ECOSYSTEM =
  `--print --output-format --input-format --json-schema --max-turns --max-budget-usd --permission-mode
--permission-prompt-tool --allowedTools --disallowedTools --session-id --resume --continue --fork-session --model --add-dir
--mcp-config --settings --bare --agents --agent --allow-dangerously-skip-permissions --await-initialize --betas --debug-file
--debug --include-hook-events --max-thinking-tokens --thinking --strict-mcp-config --no-session-persistence
--permission-prompts --plugin-dir --replay-user-messages --resume-session-at --setting-sources --task-budget --tools
--managed-settings --forward-subagent-text --system-prompt-snapshot --name --ax-screen-reader --brief --chrome --no-chrome
--ide --prompt-suggestions --autocompact --disable-slash-commands --exclude-dynamic-system-prompt-sections --restricted
--safe-mode --worktree --verbose --include-partial-messages --fallback-model --effort --system-prompt
--append-system-prompt --thinking-display --output-schema --session-mirror`.split(/\s+/);

test.each(ECOSYSTEM)('%s is taken, or told plainly to be missing', (name) => {
  const known = FLAGS.some((flag) => flag.name === name || flag.aliases?.includes(name));
  expect(known).not.toBe(MISSING.has(name));
  if (!known) expect(helpText()).toContain(name);
});

test.each([...MISSING])('%s is refused plainly, and the help names it', (name) => {
  expect(parse('-p', name, 'hi')).toMatchObject({
    ok: false,
    error: { message: `Lathe does not have ${name}, so nothing was begun.` },
  });
  expect(helpText()).toContain(name);
});

test.each<[string, readonly string[], string]>([
  ['a prompt', ['fix it'], 'headless'],
  ['one word', ['hello'], 'headless'],
  ['several words', ['fix', 'src'], 'headless'],
  ['a command', ['/review'], 'headless'],
  ['a prompt in standard input', ['--output-format', 'json'], 'headless'],
  ['a folder', ['src'], 'open'],
  ['a folder that is not there', ['./lost'], 'open'],
  ['another one', ['/lost/one'], 'open'],
  ['nothing', [], 'open'],
  ['a folder to serve', ['serve', 'lost'], 'serve'],
  ['a flag of windows', ['lost', '--no-open'], 'open'],
])('into a pipe, without -p: %s', (_, words, kind) => {
  const piped = { isFolder: (path: string) => path === resolve(BASE, 'src') };
  const parsed = parseCommandLine(words, BASE, piped);
  expect(parsed.ok && parsed.value.kind).toBe(kind);
});

test('into a terminal a word is a folder', () => {
  expect(parse('hello')).toMatchObject({ value: { kind: 'open' } });
});

test.each([
  ['longer than the name of a file may be', 'explain this failure '.repeat(40)],
  ['longer than a path may be', 'why? '.repeat(2000)],
  ['that begins with the name of a file', 'command-line.test.ts/is this right?'],
])('a prompt %s is no folder', (_, prompt) => {
  const parsed = parseCommandLine([prompt], import.meta.dirname, { isFolder });
  expect(parsed).toMatchObject({ ok: true, value: { kind: 'headless', prompt } });
});

test('a folder that is there is one, into a pipe too', () => {
  const parsed = parseCommandLine(['common'], `${import.meta.dirname}/..`, { isFolder });
  expect(parsed).toMatchObject({ ok: true, value: { kind: 'open' } });
});

test.each([
  [['update'], 'usage'],
  [['login'], 'usage'],
  [['update', 'the', 'docs'], 'headless'],
  [['-p', 'update'], 'headless'],
  [['config'], 'open'],
] as const)('%j into a pipe is taken as: %s', (words, taken) => {
  // There is a folder of that name.
  const piped = { isFolder: (path: string) => path === resolve(BASE, 'config') };
  const parsed = parseCommandLine(words, BASE, piped);
  expect(parsed.ok ? parsed.value.kind : parsed.error.code).toBe(taken);
});
