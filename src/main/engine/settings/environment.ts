import type { SettingsProblem } from '../../../shared/settings';
import { wantedProviders } from '../model/providers/from-env';
import type { EffectiveSettings } from './effective';
import { EffortSetting, thinkingUpTo } from './schema';
import { atPlace } from './value-places';

type Environment = Readonly<Record<string, string | undefined>>;

/** Bounds of shell commands that the user may set (docs/configuration.md). */
export interface CommandLimits {
  /** Of a command that asks for none. Milliseconds. */
  readonly timeoutMs: number;
  /** The most a command may ask for. Milliseconds. */
  readonly maxTimeoutMs: number;
  /** The most of an output that the model gets. Characters. */
  readonly outputChars: number;
  /** A command whose time is over goes on in the background, when that makes sense for it, instead of being ended. */
  readonly autoBackground: boolean;
}

/** docs/configuration.md: 2 minutes, at most 10; 30 000 characters. */
export const COMMAND_LIMITS: CommandLimits = {
  timeoutMs: 120_000,
  maxTimeoutMs: 600_000,
  outputChars: 30_000,
  autoBackground: false,
};

/**
 * More output than this is not taken into a conversation, whatever is set. docs/configuration.md.
 * Characters.
 */
const MOST_OUTPUT_CHARS = 150_000;

/** Settings from environment variables, as far as they could be used. */
export interface EnvironmentSettings {
  /** The values that go before the same field of every settings file. */
  readonly over: Pick<
    EffectiveSettings,
    | 'effort'
    | 'thinking'
    | 'simple'
    | 'autoMemory'
    | 'promptSuggestions'
    | 'agentProgress'
    | 'autoCompactEnabled'
    | 'autoCompactWindow'
    | 'maxOutputTokens'
    | 'subAgentModel'
    | 'fileCheckpointingEnabled'
  >;
  readonly commands: CommandLimits;
  /** Variables that are ignored because of their value. */
  readonly problems: readonly SettingsProblem[];
}

const SUGGESTIONS = 'CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION';

/** The file name in problems of variables. */
const PLACE = 'the environment';

/**
 * Reads the variables that go before settings, and checks those that others read
 * (docs/configuration.md). One that says nothing Lathe understands is ignored and reported. `limits` holds where no
 * variable says otherwise. Pure.
 */
export function readEnvironment(
  env: Environment,
  limits: CommandLimits = COMMAND_LIMITS,
): EnvironmentSettings {
  const problems: SettingsProblem[] = [];
  const refuse = (field: string, expected: string): undefined => {
    const message = `${field} is "${shown(env[field])}" and ignored: ${expected} is expected.`;
    problems.push({ file: PLACE, field, message, level: 'warning' });
    return undefined;
  };
  const textOf = (name: string): string => env[name]?.trim() ?? '';
  const whole = (name: string, least: number, what: string): number | undefined => {
    const text = textOf(name);
    if (text === '') return undefined;
    const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
    return value >= least ? value : refuse(name, `a whole number of ${what}, ${least} or more`);
  };
  const isOn = (name: string, unset = false): boolean => {
    const text = textOf(name);
    if (text === '') return unset;
    if (/^(1|true|yes|on)$/i.test(text)) return true;
    if (/^(0|false|no|off)$/i.test(text)) return false;
    refuse(name, '1 or 0');
    return unset;
  };
  const effortOf = (name: string) => {
    const text = textOf(name).toLowerCase();
    if (text === '') return undefined;
    const parsed = EffortSetting.safeParse(text);
    return parsed.success ? parsed.data : refuse(name, EffortSetting.options.join(', '));
  };

  const effort = effortOf('CLAUDE_CODE_EFFORT_LEVEL');
  const thinkingTokens = whole('MAX_THINKING_TOKENS', 0, 'tokens');
  const autoCompactWindow = whole('CLAUDE_CODE_AUTO_COMPACT_WINDOW', 1_000, 'tokens');
  const maxOutputTokens = whole('CLAUDE_CODE_MAX_OUTPUT_TOKENS', 1, 'tokens');
  const subAgentModel = textOf('CLAUDE_CODE_SUBAGENT_MODEL');
  const off = isOn('DISABLE_AUTO_COMPACT');
  const keepsNoFiles = isOn('CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING');
  // A program that drives Lathe says so by this one.
  const keepsFiles = isOn('CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING');
  const commands = {
    ...commandBounds(whole, limits),
    autoBackground: isOn('BASH_AUTO_BACKGROUND', limits.autoBackground),
  };
  for (const [name, least, what] of READ_ELSEWHERE) whole(name, least, what);
  for (const name of SWITCHES_ELSEWHERE) isOn(name);
  for (const [name, known] of WORDS_ELSEWHERE) {
    const words = textOf(name)
      .toLowerCase()
      .split(/[\s,]+/);
    if (words.some((word) => word !== '' && !known.includes(word)))
      refuse(name, known.join(' or '));
  }
  const { first, wanted } = wantedProviders(env);
  for (const [field, provider] of ADDRESSES_ELSEWHERE) {
    const text = textOf(field);
    if (text === '' || /^https?:\/\/[^/]/i.test(text) || !wanted.includes(provider)) continue;
    const where = provider === first ? '' : ` to ${provider}`;
    const message = `${field} is "${shown(env[field])}", so no request can be sent${where}: an address that begins with https:// or http:// is expected.`;
    problems.push({ file: PLACE, field, message, level: 'warning' });
  }
  for (const [field, between, entry, expected] of ENTRIES_ELSEWHERE) {
    const isOdd = textOf(field)
      .split(between)
      .some((one) => one.trim() !== '' && !entry.test(one));
    // A value may be secret.
    const message = `Some of ${field} is ignored: ${expected} is expected.`;
    if (isOdd) problems.push({ file: PLACE, field, message, level: 'warning' });
  }
  return {
    over: {
      ...(effort === undefined ? {} : { effort }),
      ...(thinkingTokens === undefined ? {} : { thinking: thinkingUpTo(thinkingTokens) }),
      ...(isOn('CLAUDE_CODE_SIMPLE') ? { simple: true } : {}),
      ...(textOf(SUGGESTIONS) === '' ? {} : { promptSuggestions: isOn(SUGGESTIONS, true) }),
      ...(isOn('CLAUDE_CODE_DISABLE_AGENT_PROGRESS_SUMMARIES') ? { agentProgress: false } : {}),
      ...(isOn('CLAUDE_CODE_DISABLE_AUTO_MEMORY') ? { autoMemory: false } : {}),
      ...(off ? { autoCompactEnabled: false } : {}),
      ...(autoCompactWindow === undefined ? {} : { autoCompactWindow }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      ...(/^(inherit)?$/i.test(subAgentModel) ? {} : { subAgentModel }),
      ...(keepsNoFiles || keepsFiles ? { fileCheckpointingEnabled: !keepsNoFiles } : {}),
    },
    commands,
    problems,
  };
}

/** Returns the names of the variables that {@link readEnvironment} looks at. Pure. */
export function variablesAtStart(): ReadonlySet<string | symbol> {
  const names = new Set<string | symbol>();
  readEnvironment(new Proxy<Environment>({}, { get: (_, name) => void names.add(name) }));
  return names;
}

/** Read where requests are made; only checked here, so that all problems are told in one place. */
const READ_ELSEWHERE = [
  ['API_TIMEOUT_MS', 1, 'milliseconds'],
  ['CLAUDE_CODE_API_KEY_HELPER_TTL_MS', 1, 'milliseconds'],
  ['CLAUDE_CODE_MAX_RETRIES', 0, 'retries'],
  ['LATHE_DEMO_WORD_MS', 0, 'milliseconds'],
  ['LATHE_STREAM_IDLE_MS', 0, 'milliseconds'],
  ['MAX_MCP_OUTPUT_TOKENS', 1, 'tokens'],
  ['MCP_TIMEOUT', 1, 'milliseconds'],
  ['MCP_TOOL_TIMEOUT', 1, 'milliseconds'],
] as const;

const SWITCHES_ELSEWHERE = [
  'CLAUDE_CODE_SKIP_BEDROCK_AUTH',
  'CLAUDE_CODE_SKIP_VERTEX_AUTH',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'LATHE_CLAUDE_TRANSCRIPTS',
  'LATHE_SEARCH_OTHER_AGENTS',
  'LATHE_UNATTENDED',
] as const;

/** Addresses, each of one provider. */
const ADDRESSES_ELSEWHERE = [
  ['ANTHROPIC_BASE_URL', 'anthropic'],
  ['ANTHROPIC_BEDROCK_BASE_URL', 'bedrock'],
  ['ANTHROPIC_VERTEX_BASE_URL', 'vertex'],
] as const;

/** Lists of words: one that is not known does not count, the others do. */
const WORDS_ELSEWHERE: readonly (readonly [name: string, known: readonly string[]])[] = [
  ['CLAUDE_CODE_CERT_STORE', ['bundled', 'system']],
  ['CLAUDE_CODE_QUESTION_PREVIEW_FORMAT', ['markdown', 'html']],
  ['LATHE_PROVIDERS', ['anthropic', 'bedrock', 'vertex']],
  ['LATHE_VCR', ['record', 'playback', 'off']],
];

/** Lists of entries that have a form: one without it does not count, the others do. */
const ENTRIES_ELSEWHERE: readonly (readonly [
  name: string,
  between: RegExp,
  entry: RegExp,
  expected: string,
])[] = [
  [
    'ANTHROPIC_CUSTOM_HEADERS',
    /\r?\n/,
    /^\s*[!#$%&'*+.^_`|~0-9A-Za-z-]+\s*:/,
    'a “Name: value” in each line',
  ],
  ['LATHE_MODEL_IDS', /,/, /^\s*[^\s=][^=]*=\s*[^\s=]/, 'a list of “ours=theirs”'],
];

function commandBounds(
  whole: (name: string, least: number, what: string) => number | undefined,
  limits: CommandLimits,
): Omit<CommandLimits, 'autoBackground'> {
  const timeoutMs = whole('BASH_DEFAULT_TIMEOUT_MS', 1, 'milliseconds') ?? limits.timeoutMs;
  const most = whole('BASH_MAX_TIMEOUT_MS', 1, 'milliseconds') ?? limits.maxTimeoutMs;
  const chars = whole('BASH_MAX_OUTPUT_LENGTH', 1, 'characters') ?? limits.outputChars;
  return {
    timeoutMs,
    // A usual time above the limit would make every command an invalid one.
    maxTimeoutMs: Math.max(timeoutMs, most),
    outputChars: Math.min(chars, MOST_OUTPUT_CHARS),
  };
}

/** Shortens a value for a message, so that a secret in the wrong variable is not shown. */
const shown = (value = ''): string => (value.length > 20 ? `${value.slice(0, 6)}…` : value);

/** Settings with what the environment says before all files. `env`: what it was read from. Pure. */
export const withEnvironment = (
  settings: EffectiveSettings,
  { over, problems }: Pick<EnvironmentSettings, 'over' | 'problems'>,
  env: Environment = {},
): EffectiveSettings => ({
  ...settings,
  ...over,
  problems: [...problems.map((one) => inSettings(one, settings, env)), ...settings.problems],
});

/** Returns the problem of a variable at the place in settings that sets it, if one does. */
function inSettings(
  problem: SettingsProblem,
  { ownVariables = {} }: EffectiveSettings,
  env: Environment,
): SettingsProblem {
  const { field = '', file, message, level } = problem;
  const set = file === PLACE ? ownVariables[field] : undefined;
  // The file may have changed since Lathe was started.
  if (set === undefined || set.value !== env[field]) return problem;
  const { value: _, ...place } = set;
  const words = message.replace(`${field} is`, 'this is');
  return {
    ...place,
    ...{ field: `env.${field}`, message: atPlace(place, `env.${field}`, words), level },
  };
}
