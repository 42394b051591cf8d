import { describe, expect, it } from 'vitest';
import {
  COMMAND_LIMITS,
  readEnvironment,
  withEnvironment,
} from '../../../src/main/engine/settings/environment';
import { createHome } from './support';

describe('what the environment says before settings', () => {
  it.each<[string, Record<string, string>, object]>([
    ['nothing', {}, {}],
    ['empty variables', { DISABLE_AUTO_COMPACT: '', CLAUDE_CODE_AUTO_COMPACT_WINDOW: ' ' }, {}],
    ['no summaries', { DISABLE_AUTO_COMPACT: '1' }, { autoCompactEnabled: false }],
    ['no summaries, in words', { DISABLE_AUTO_COMPACT: 'TRUE' }, { autoCompactEnabled: false }],
    ['a switch that is off leaves it to settings', { DISABLE_AUTO_COMPACT: '0' }, {}],
    ['a window', { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '300000' }, { autoCompactWindow: 300_000 }],
    ['agents', { CLAUDE_CODE_SUBAGENT_MODEL: ' haiku ' }, { subAgentModel: 'haiku' }],
    ['agents as they are', { CLAUDE_CODE_SUBAGENT_MODEL: 'inherit' }, {}],
    ['output', { CLAUDE_CODE_MAX_OUTPUT_TOKENS: '16000' }, { maxOutputTokens: 16_000 }],
    ['no thinking', { MAX_THINKING_TOKENS: '0' }, { thinking: 'disabled' }],
    ['a budget', { MAX_THINKING_TOKENS: '2048' }, { thinking: { budgetTokens: 2048 } }],
    ['effort', { CLAUDE_CODE_EFFORT_LEVEL: 'Low' }, { effort: 'low' }],
    ['lists of words', { LATHE_PROVIDERS: 'anthropic, Vertex', LATHE_VCR: 'playback' }, {}],
  ])('%s', (_name, env, over) => {
    const read = readEnvironment(env);
    expect(read.over).toEqual(over);
    expect(read.problems).toEqual([]);
  });

  it.each([
    ['DISABLE_AUTO_COMPACT', 'maybe'],
    ['CLAUDE_CODE_AUTO_COMPACT_WINDOW', '999'],
    ['CLAUDE_CODE_AUTO_COMPACT_WINDOW', '400k'],
    ['CLAUDE_CODE_MAX_OUTPUT_TOKENS', '0'],
    ['CLAUDE_CODE_MAX_OUTPUT_TOKENS', '-5'],
    ['CLAUDE_CODE_EFFORT_LEVEL', 'huge'],
    ['BASH_DEFAULT_TIMEOUT_MS', '2min'],
    ['BASH_MAX_TIMEOUT_MS', '1e9'],
    ['BASH_MAX_OUTPUT_LENGTH', '0'],
    ['BASH_AUTO_BACKGROUND', 'often'],
    ['API_TIMEOUT_MS', 'soon'],
    ['CLAUDE_CODE_MAX_RETRIES', 'many'],
    ['MAX_THINKING_TOKENS', 'a lot'],
    ['LATHE_STREAM_IDLE_MS', '30s'],
    ['MAX_MCP_OUTPUT_TOKENS', '0'],
    ['MCP_TIMEOUT', '30s'],
    ['MCP_TOOL_TIMEOUT', '0'],
    ['CLAUDE_CODE_API_KEY_HELPER_TTL_MS', '5min'],
    ['CLAUDE_CODE_CERT_STORE', 'windows'],
    ['CLAUDE_CODE_USE_BEDROCK', 'always'],
    ['CLAUDE_CODE_USE_VERTEX', '2'],
    ['LATHE_PROVIDERS', 'bedrok'],
    ['LATHE_UNATTENDED', 'maybe'],
    ['LATHE_VCR', 'rewind'],
    ['LATHE_DEMO_WORD_MS', 'slow'],
    ['CLAUDE_CODE_QUESTION_PREVIEW_FORMAT', 'xml'],
  ])('%s=%s is ignored, and said so by name', (name, value) => {
    const { over, commands, problems } = readEnvironment({ [name]: value });
    expect(over).toEqual({});
    expect(commands).toEqual(COMMAND_LIMITS);
    expect(problems).toMatchObject([{ file: 'the environment', field: name, level: 'warning' }]);
    expect(problems[0]?.message).toContain(`${name} is "${value}" and ignored: `);
  });

  it.each([
    ['ANTHROPIC_BASE_URL', 'nonsense', {}, 'sent'],
    ['ANTHROPIC_BASE_URL', 'ftp://x.example', {}, 'sent'],
    ['ANTHROPIC_BASE_URL', 'https://x.example', {}, ''],
    ['ANTHROPIC_BASE_URL', '', {}, ''],
    ['ANTHROPIC_BASE_URL', 'nonsense', { CLAUDE_CODE_USE_BEDROCK: '1' }, ''],
    ['ANTHROPIC_VERTEX_BASE_URL', 'x.example/v1', {}, ''],
    ['ANTHROPIC_VERTEX_BASE_URL', 'x.example/v1', { CLAUDE_CODE_USE_VERTEX: 'on' }, 'sent'],
    ['ANTHROPIC_VERTEX_BASE_URL', 'x', { LATHE_PROVIDERS: 'anthropic, Vertex' }, 'sent to vertex'],
    ['ANTHROPIC_BEDROCK_BASE_URL', 'x.example', {}, ''],
    ['ANTHROPIC_BEDROCK_BASE_URL', 'x.example', { CLAUDE_CODE_USE_VERTEX: '1' }, ''],
    ['ANTHROPIC_BEDROCK_BASE_URL', 'x.example', { CLAUDE_CODE_USE_BEDROCK: '1' }, 'sent'],
    ['ANTHROPIC_BEDROCK_BASE_URL', ' HTTP://localhost ', { CLAUDE_CODE_USE_BEDROCK: '1' }, ''],
  ])('%s=%s with %j: no request can be "%s"', (name, value, more, told) => {
    const { problems } = readEnvironment({ [name]: value, ...more });
    const words = `${name} is "${value}", so no request can be ${told}: an address`;
    expect(problems).toEqual(
      told === '' ? [] : [expect.objectContaining({ message: expect.stringContaining(words) })],
    );
  });

  it.each([
    ['ANTHROPIC_CUSTOM_HEADERS', 'X-Team: a\nsecret', true],
    ['ANTHROPIC_CUSTOM_HEADERS', 'X-Team: a\r\nX-Other:secret\n', false],
    ['LATHE_MODEL_IDS', 'opus=ours,secret', true],
    ['LATHE_MODEL_IDS', 'opus=', true],
    ['LATHE_MODEL_IDS', ' opus = ours , sonnet=secret,', false],
  ])('%s=%j holds an entry without a form: %s', (name, value, isTold) => {
    const { problems } = readEnvironment({ [name]: value });
    expect(problems.map(({ field }) => field)).toEqual(isTold ? [name] : []);
    expect(problems.map(({ message }) => message).join()).not.toContain('secret');
  });

  it('quotes no secret that got into the wrong variable', () => {
    const { problems } = readEnvironment({ DISABLE_AUTO_COMPACT: 'sk-ant-a-very-long-secret' });
    expect(problems[0]?.message).not.toContain('secret');
  });

  it('bounds commands', () => {
    const { commands } = readEnvironment({
      BASH_DEFAULT_TIMEOUT_MS: '900000',
      BASH_MAX_TIMEOUT_MS: '700000',
      BASH_MAX_OUTPUT_LENGTH: '999999',
    });
    expect(commands).toEqual({
      ...{ timeoutMs: 900_000, maxTimeoutMs: 900_000, outputChars: 150_000 },
      autoBackground: false,
    });
  });

  it.each([
    [undefined, true, true],
    [undefined, false, false],
    ['1', false, true],
    ['off', true, false],
    ['often', true, true],
  ])('BASH_AUTO_BACKGROUND=%s where the host says %s: %s', (value, host, autoBackground) => {
    const env = value === undefined ? {} : { BASH_AUTO_BACKGROUND: value };
    const { commands } = readEnvironment(env, { ...COMMAND_LIMITS, autoBackground: host });
    expect(commands.autoBackground).toBe(autoBackground);
  });
});

it.each<[string, string, string, object, string]>([
  ['the user', '.claude/settings.json', 'lots', {}, '.claude/settings.json, line 3'],
  ['the machine', 'etc/managed-settings.json', 'lots', {}, 'managed-settings.json, line 3'],
  [
    'the command line, over the user',
    '.claude/settings.json',
    'loads',
    { settings: '{"env": {"MAX_THINKING_TOKENS": "lots"}}' },
    '--settings, line 1',
  ],
  ['a folder', 'proj/.claude/settings.json', 'lots', {}, ''],
  ['a file that was changed since the start', '.claude/settings.json', '5', {}, ''],
])(
  'a variable that settings set is told where it stands: %s',
  async (_, file, value, more, place) => {
    const home = createHome();
    try {
      home.put(file, { env: { MAX_THINKING_TOKENS: value } });
      const env = { MAX_THINKING_TOKENS: 'lots' };
      const { problems } = withEnvironment(await home.load(true, more), readEnvironment(env), env);
      const words = '"lots" and ignored: a whole number of tokens, 0 or more is expected.';
      const [problem] = problems;
      if (place === '') expect(problem?.message).toBe(`MAX_THINKING_TOKENS is ${words}`);
      else
        expect(problem?.message).toContain(`${place}: env.MAX_THINKING_TOKENS: this is ${words}`);
      expect(problem?.file).toContain(place === '' ? 'the environment' : place.split(',')[0]);
    } finally {
      home.remove();
    }
  },
);

it.each<[string, string, string, boolean, string]>([
  ['a limit of commands', '.claude/settings.json', 'BASH_DEFAULT_TIMEOUT_MS', true, 'started'],
  [
    'a switch, of the machine',
    'etc/managed-settings.json',
    'DISABLE_AUTO_COMPACT',
    true,
    'started',
  ],
  ['the model of a project', 'proj/.claude/settings.json', 'ANTHROPIC_MODEL', true, 'your own'],
  ['the model of a user', '.claude/settings.json', 'ANTHROPIC_MODEL', true, ''],
  ['what programs read', '.claude/settings.json', 'NODE_ENV', true, ''],
  [
    'what a folder without trust sets',
    'proj/.claude/settings.json',
    'BASH_MAX_TIMEOUT_MS',
    false,
    'left out',
  ],
])(
  'a variable that does not reach Lathe from settings is told: %s',
  async (_, file, name, trusted, words) => {
    const home = createHome();
    try {
      home.put(file, { env: { [name]: '1' } });
      const { problems } = await home.load(trusted);
      expect(problems.map(({ line, field }) => `${line} ${field}`)).toEqual(
        words === '' ? [] : [`3 env.${name}`],
      );
      if (words !== '') expect(problems[0]?.message).toContain(words);
    } finally {
      home.remove();
    }
  },
);

it('goes before every file, and its problems stand with theirs', async () => {
  const home = createHome();
  try {
    home.put('.claude/settings.json', {
      autoCompactEnabled: true,
      autoCompactWindow: 1,
      model: 'x',
    });
    const settings = withEnvironment(
      await home.load(true),
      readEnvironment({ DISABLE_AUTO_COMPACT: '1', CLAUDE_CODE_EFFORT_LEVEL: 'loud' }),
    );
    expect(settings).toMatchObject({ autoCompactEnabled: false, model: 'x' });
    expect(settings.autoCompactWindow).toBeUndefined();
    expect(settings.problems.map((problem) => problem.field)).toEqual([
      'CLAUDE_CODE_EFFORT_LEVEL',
      'autoCompactWindow',
    ]);
  } finally {
    home.remove();
  }
});
