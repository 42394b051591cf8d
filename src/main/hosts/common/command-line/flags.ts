/**
 * The way a flag takes values. `list` takes every word up to the next flag, comma lists included, and may be
 * repeated, as Claude Code's variadic flags do. `filter` takes a value only behind an equals sign.
 */
type FlagKind = 'switch' | 'value' | 'list' | 'filter';

/** The commands a flag belongs to. `window` is `lathe [folder]` and `lathe serve`, `session` these and `lathe -p`; `ignored` flags mean nothing here. */
export type FlagScope = 'any' | 'headless' | 'session' | 'window' | 'plugin' | 'auth' | 'ignored';

/** Flags of the ecosystem whose meaning Lathe does not have: a run without it is not what was asked for. */
export const MISSING: ReadonlySet<string> = new Set([
  '--autocompact',
  '--restricted',
  '--safe-mode',
]);

/** One flag of the command line. */
export interface Flag {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly kind: FlagKind;
  readonly scope: FlagScope;
  /** The value's name in the help text. */
  readonly value?: string;
  readonly help: string;
}

const flag = (
  name: string,
  kind: FlagKind,
  scope: FlagScope,
  help: string,
  rest: Partial<Flag> = {},
): Flag => ({ name, kind, scope, help, ...rest });

/** Every flag Lathe knows, in the order of the help text. */
export const FLAGS: readonly Flag[] = [
  flag('--print', 'switch', 'headless', 'Answer one prompt without a window and exit', {
    aliases: ['-p'],
  }),
  flag('--output-format', 'value', 'headless', 'How to print the answer', {
    value: 'text|json|stream-json',
  }),
  flag('--input-format', 'value', 'headless', 'How to read standard input', {
    value: 'text|stream-json',
  }),
  flag('--verbose', 'switch', 'headless', 'Print every message, not only the result'),
  flag('--include-partial-messages', 'switch', 'headless', 'With stream-json: also stream events'),
  flag('--include-hook-events', 'switch', 'headless', 'Also what hooks of each event do'),
  flag('--forward-subagent-text', 'switch', 'headless', 'Also what sub-agents say and think'),
  flag('--thinking', 'value', 'headless', 'Whether the model thinks as much as it likes', {
    value: 'adaptive|disabled',
  }),
  flag('--max-thinking-tokens', 'value', 'headless', 'At most this much thinking, 0: none', {
    value: 'N',
  }),
  flag('--thinking-display', 'value', 'headless', 'How thinking comes', {
    value: 'summarized|omitted',
  }),
  flag('--max-turns', 'value', 'headless', 'Stop after this many turns', { value: 'N' }),
  flag('--max-budget-usd', 'value', 'headless', 'Stop when this much is spent', { value: 'USD' }),
  flag(
    '--max-daily-budget-usd',
    'value',
    'headless',
    'Stop when all sessions of the day spent this much',
    { value: 'USD' },
  ),
  flag('--task-budget', 'value', 'headless', 'Tokens that the API counts down for the model', {
    value: 'N',
  }),
  flag('--permission-mode', 'value', 'headless', 'What to do where no rule decides', {
    value: 'default|acceptEdits|plan|auto|dontAsk|bypassPermissions',
  }),
  flag('--dangerously-skip-permissions', 'switch', 'headless', 'As bypassPermissions: ask nothing'),
  flag('--allowedTools', 'list', 'headless', 'Permission rules that allow', {
    aliases: ['--allowed-tools'],
    value: 'RULE…',
  }),
  flag('--disallowedTools', 'list', 'headless', 'Permission rules that deny', {
    aliases: ['--disallowed-tools'],
    value: 'RULE…',
  }),
  flag('--add-dir', 'list', 'headless', 'More folders to work in', { value: 'DIR…' }),
  flag('--init', 'switch', 'headless', 'Begin with Setup hooks (init)'),
  flag('--init-only', 'switch', 'headless', 'Run them and SessionStart hooks, and no prompt'),
  flag('--maintenance', 'switch', 'headless', 'Begin with Setup hooks (maintenance)'),
  flag('--session-id', 'value', 'headless', 'Use this UUID for the new session', {
    value: 'UUID',
  }),
  flag('--resume', 'value', 'headless', 'Go on with a session', {
    aliases: ['-r'],
    value: 'ID',
  }),
  flag('--continue', 'switch', 'headless', 'Go on with the newest session of the folder', {
    aliases: ['-c'],
  }),
  flag('--fork-session', 'switch', 'headless', 'With --resume or --continue: as a new session'),
  flag('--resume-session-at', 'value', 'headless', 'With --resume: leave out what came after it', {
    value: 'MESSAGE',
  }),
  flag('--resume-drops-turn', 'value', 'headless', 'With it: refuse to leave out more', {
    value: 'PROMPT',
  }),
  flag('--model', 'value', 'headless', 'Model or alias (opus, sonnet, haiku)', { value: 'MODEL' }),
  flag('--fallback-model', 'value', 'headless', 'Models that take over from an overloaded one', {
    value: 'MODEL,…',
  }),
  flag('--effort', 'value', 'headless', 'How hard to think', {
    value: 'low|medium|high|xhigh|max',
  }),
  flag('--settings', 'value', 'headless', 'More settings: a file, or JSON', {
    value: 'FILE|JSON',
  }),
  flag('--managed-settings', 'value', 'headless', 'Settings that only restrict, as managed ones', {
    value: 'FILE|JSON',
  }),
  flag('--mcp-config', 'list', 'headless', 'Tool servers: files, or JSON', {
    value: 'FILE|JSON…',
  }),
  flag('--strict-mcp-config', 'switch', 'headless', 'No other tool servers than those'),
  flag('--agent', 'value', 'headless', 'Work as this agent: its prompt, tools and model', {
    value: 'NAME',
  }),
  flag('--coordinator', 'switch', 'headless', 'Only give work to sub-agents, and judge it'),
  flag('--override-system-prompt', 'value', 'headless', 'Replace all of the system prompt', {
    value: 'TEXT',
  }),
  flag('--system-prompt', 'value', 'headless', 'Replace the general part of the system prompt', {
    value: 'TEXT',
  }),
  flag('--append-system-prompt', 'value', 'headless', 'Add to the system prompt', {
    value: 'TEXT',
  }),
  flag('--system-prompt-file', 'value', 'headless', 'The same, from a file', { value: 'FILE' }),
  flag('--append-system-prompt-file', 'value', 'headless', 'Add to it from a file', {
    value: 'FILE',
  }),
  flag('--bare', 'switch', 'headless', 'A prompt of a few lines, no memory files'),
  flag(
    '--exclude-dynamic-system-prompt-sections',
    'switch',
    'headless',
    'Tell of the machine and the folder in front of the conversation',
  ),
  flag('--tools', 'list', 'headless', 'Only these built-in tools; empty: none', {
    value: 'NAME…|default',
  }),
  flag('--worktree', 'value', 'headless', 'Work in a git worktree of this name', {
    aliases: ['-w'],
    value: 'NAME',
  }),
  flag('--project-config-root', 'value', 'headless', 'Take the configuration of this folder', {
    value: 'DIR',
  }),
  flag('--plugin-dir', 'list', 'session', 'Folders of plugins to use in this run', {
    value: 'DIR…',
  }),
  flag('--plugin-dir-no-mcp', 'list', 'headless', 'The same, without their tool servers', {
    value: 'DIR…',
  }),
  flag('--disable-slash-commands', 'switch', 'headless', 'The model uses no skills and commands'),
  flag('--agents', 'value', 'headless', 'More kinds of sub-agents', { value: 'JSON' }),
  flag('--json-schema', 'value', 'headless', 'End with an answer of this shape', {
    aliases: ['--output-schema'],
    value: 'JSON',
  }),
  flag('--setting-sources', 'value', 'headless', 'Settings that count; empty: only managed ones', {
    value: 'user,project,local',
  }),
  flag('--name', 'value', 'headless', 'A title for the session', {
    aliases: ['-n'],
    value: 'TEXT',
  }),
  flag('--no-session-persistence', 'switch', 'headless', 'Keep nothing of the session'),
  flag('--betas', 'list', 'headless', 'Betas of the API', { value: 'NAME…' }),
  flag(
    '--permission-prompt-tool',
    'value',
    'headless',
    'Ask the program that drives Lathe, or a tool',
    {
      value: 'stdio|mcp__SERVER__TOOL',
    },
  ),
  flag('--permission-prompts', 'value', 'headless', 'none: deny what would ask', {
    value: 'host|none',
  }),
  flag(
    '--allow-dangerously-skip-permissions',
    'switch',
    'headless',
    'Let bypassPermissions be set',
  ),
  flag('--await-initialize', 'switch', 'headless', 'Begin with what initialize says'),
  flag('--await-claim', 'switch', 'headless', 'Wait to be told the folder of the session'),
  flag('--replay-user-messages', 'switch', 'headless', 'Print each prompt when it is taken'),
  flag('--session-mirror', 'switch', 'headless', 'Print the conversation as it is saved, too'),
  flag('--trust', 'switch', 'headless', 'Trust the folder for this run'),
  flag('--cwd', 'value', 'any', 'Work in this folder', { value: 'DIR' }),
  flag('--port', 'value', 'window', 'Port of the web page; 0 takes a free one', { value: 'N' }),
  flag('--demo', 'switch', 'window', 'Offer the offline demo first'),
  flag('--no-open', 'switch', 'window', 'Print the link, open no window'),
  flag('--wait', 'switch', 'window', 'Return only when the app has ended'),
  flag('--json', 'switch', 'auth', 'Print one JSON object'),
  flag('--yes', 'switch', 'plugin', 'Install or enable what is printed, without a question', {
    aliases: ['-y'],
  }),
  flag('--debug', 'filter', 'any', 'Log requests, retries and errors in detail'),
  flag('--debug-file', 'value', 'any', 'The same, into this file', { value: 'FILE' }),
  flag('--version', 'switch', 'any', 'Print the version'),
  flag('-v', 'switch', 'any', 'Print the version of the protocol that programs look for'),
  flag('--help', 'switch', 'any', 'Print this help', { aliases: ['-h'] }),
  ...[
    '--ax-screen-reader',
    '--brief',
    '--chrome',
    '--no-chrome',
    '--debug-to-stderr',
    '--ide',
    '--managed-settings-in-initialize',
    '--prompt-suggestions',
    '--system-prompt-snapshot',
  ].map((name) => flag(name, 'switch', 'ignored', 'Accepted, without effect')),
  flag('--initialize-fields', 'value', 'ignored', 'Accepted, without effect'),
];

/** Returns the flag that a word names, by its name or an alias. */
export const findFlag = (word: string): Flag | undefined =>
  FLAGS.find(({ name, aliases }) => name === word || aliases?.includes(word));
