import { resolve } from 'node:path';
import { PermissionMode } from '../../../../shared/permission';
import { err, ok, type Result } from '../../../../shared/result';
import type { HeadlessOptions } from '../../../app/headless-session';
import type { CommandLine, OutputFormat } from './command';
import { debugFlags, type Scanned, usage } from './scan';

type ThinkingMode = NonNullable<HeadlessOptions['thinking']>;

const OUTPUT_FORMATS: readonly OutputFormat[] = ['text', 'json', 'stream-json'];
const INPUT_FORMATS = ['text', 'stream-json'] as const;
const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
const MODES = [...PermissionMode.options, 'manual'] as const;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Dollars, also as programs write small ones: `1e-7`. */
const AMOUNT = /^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Reads the flags of `lathe -p`. The first mistake is the result. */
export function parseHeadless(scanned: Scanned, base: string): Result<CommandLine> {
  const { values, positionals } = scanned;
  const last = (name: string) => values.get(name)?.at(-1);
  const mistakes: string[] = [];

  const oneOf = <T extends string>(name: string, allowed: readonly T[]): T | undefined => {
    const text = last(name);
    const value = allowed.find((option) => option === text);
    if (text !== undefined && value === undefined)
      mistakes.push(`${name} must be one of ${allowed.join(', ')}, not "${text}".`);
    return value;
  };
  const positive = (name: string, pattern: RegExp, kind: string): number | undefined => {
    const text = last(name);
    if (text === undefined) return undefined;
    const value = Number(text);
    if (!pattern.test(text) || !(value > 0 && Number.isFinite(value)))
      mistakes.push(`${name} must be ${kind}, not "${text}".`);
    return value;
  };
  const fileOf = (name: string): string | undefined => {
    const file = last(name);
    return file === undefined ? undefined : resolve(base, file);
  };
  const list = (name: string) => values.get(name) ?? [];
  const foldersOf = (names: readonly string[]): readonly string[] | undefined => {
    const folders = names.flatMap(list).map((folder) => resolve(base, folder));
    return folders.length === 0 ? undefined : folders;
  };

  const outputFormat = oneOf('--output-format', OUTPUT_FORMATS) ?? 'text';
  const inputFormat = oneOf('--input-format', INPUT_FORMATS) ?? 'text';
  const asksNothing = values.has('--dangerously-skip-permissions');
  const mode = oneOf('--permission-mode', MODES) ?? (asksNothing ? 'bypassPermissions' : undefined);
  const effort = oneOf('--effort', EFFORTS);
  const maxTurns = positive('--max-turns', /^\d+$/, 'a whole number above 0');
  const taskBudget = positive('--task-budget', /^\d+$/, 'a whole number above 0');
  const prompting = oneOf('--permission-prompts', ['host', 'none']);
  const maxBudgetUsd = positive('--max-budget-usd', AMOUNT, 'an amount above 0');
  const maxDailyBudgetUsd = positive('--max-daily-budget-usd', AMOUNT, 'an amount above 0');
  const thinking = thinkingOf(last('--thinking'), last('--max-thinking-tokens'), mistakes);
  const thinkingDisplay = displayOf(last('--thinking-display'), mistakes);
  const sessionId = last('--session-id');
  const resume = values.has('--continue') ? 'latest' : last('--resume');
  const fork = values.has('--fork-session');

  const sources = settingSourcesOf(last('--setting-sources'), mistakes);
  const promptTool = last('--permission-prompt-tool');
  if (promptTool !== undefined && !/^(stdio|mcp__.+__.+)$/.test(promptTool))
    mistakes.push(
      `--permission-prompt-tool must be stdio or a tool such as mcp__server__tool, not "${promptTool}".`,
    );
  if (promptTool === 'stdio' && inputFormat !== 'stream-json')
    mistakes.push('--permission-prompt-tool stdio needs --input-format stream-json.');
  for (const flag of ['--await-initialize', '--await-claim'])
    if (values.has(flag) && inputFormat !== 'stream-json')
      mistakes.push(`${flag} needs --input-format stream-json.`);

  if (sessionId !== undefined && !UUID.test(sessionId))
    mistakes.push(`--session-id must be a UUID, not "${sessionId}".`);
  if (values.has('--resume-session-at') && resume === undefined)
    mistakes.push('--resume-session-at needs --resume.');
  if (values.has('--resume-drops-turn') && !values.has('--resume-session-at'))
    mistakes.push('--resume-drops-turn needs --resume-session-at.');
  if (values.has('--continue') && values.has('--resume'))
    mistakes.push('Use either --continue or --resume, not both.');
  if (asksNothing && mode !== 'bypassPermissions')
    mistakes.push('Use either --permission-mode or --dangerously-skip-permissions, not both.');
  if (sessionId !== undefined && resume !== undefined && !fork)
    mistakes.push('--session-id names a new session; with --resume it needs --fork-session.');
  if (inputFormat === 'stream-json' && outputFormat !== 'stream-json')
    mistakes.push('--input-format stream-json needs --output-format stream-json.');
  if (inputFormat === 'stream-json' && positionals.length > 0)
    mistakes.push('With --input-format stream-json the prompts come from standard input only.');
  if (values.has('--include-partial-messages') && outputFormat !== 'stream-json')
    mistakes.push('--include-partial-messages needs --output-format stream-json.');
  if (values.has('--agent') && values.has('--coordinator'))
    mistakes.push('Use either --agent or --coordinator, not both.');
  const initOnly = values.has('--init-only');
  if (values.has('--maintenance') && (initOnly || values.has('--init')))
    mistakes.push('Use either --init or --maintenance, not both.');
  if (initOnly && (positionals.length > 0 || inputFormat === 'stream-json'))
    mistakes.push('--init-only takes no prompt.');
  if (values.has('--session-mirror') && values.has('--no-session-persistence'))
    mistakes.push('Use either --session-mirror or --no-session-persistence, not both.');
  for (const flag of ['--system-prompt', '--append-system-prompt'])
    if (values.has(flag) && values.has(`${flag}-file`))
      mistakes.push(`Use either ${flag} or ${flag}-file, not both.`);
  for (const flag of ['--demo', '--port', '--no-open', '--wait'])
    if (values.has(flag)) mistakes.push(`${flag} does not work with -p: there is no window.`);
  const mistake = mistakes[0];
  if (mistake !== undefined) return err(usage(mistake));

  const options: HeadlessOptions = {
    folder: resolve(base, last('--cwd') ?? '.'),
    trust: values.has('--trust'),
    fork,
    allowedTools: list('--allowedTools').flatMap(splitRules),
    disallowedTools: list('--disallowedTools').flatMap(splitRules),
    addDirectories: list('--add-dir').map((folder) => resolve(base, folder)),
    ...given({
      sessionId,
      resume,
      effort,
      mode: mode === 'manual' ? 'default' : mode,
      model: last('--model'),
      fallbackModels: values.get('--fallback-model')?.flatMap(splitRules),
      thinking,
      thinkingDisplay,
      maxTurns,
      maxBudgetUsd,
      maxDailyBudgetUsd,
      agent: last('--agent'),
      coordinator: values.has('--coordinator') ? true : undefined,
      overrideSystemPrompt: last('--override-system-prompt'),
      // Drivers send an empty one to say that they have none.
      systemPrompt: last('--system-prompt') || undefined,
      appendSystemPrompt: last('--append-system-prompt') || undefined,
      systemPromptFile: fileOf('--system-prompt-file'),
      appendSystemPromptFile: fileOf('--append-system-prompt-file'),
      bare: values.has('--bare') ? true : undefined,
      setup: values.has('--maintenance')
        ? ('maintenance' as const)
        : initOnly || values.has('--init')
          ? ('init' as const)
          : undefined,
      localApart: values.has('--exclude-dynamic-system-prompt-sections') ? true : undefined,
      settings: settingsOf(last('--settings'), base),
      managedSettings: settingsOf(last('--managed-settings'), base),
      resumeAt: last('--resume-session-at'),
      dropsTurn: last('--resume-drops-turn'),
      wishes: wishesOf({
        taskBudget,
        noSkills: values.has('--disable-slash-commands'),
        saidAlone: outputFormat !== 'text',
      }),
      mcpConfig: values.get('--mcp-config')?.flatMap((text) => settingsOf(text, base) ?? []),
      strictMcpConfig: values.has('--strict-mcp-config') ? true : undefined,
      settingSources: sources,
      configRoot: fileOf('--project-config-root'),
      worktree: last('--worktree'),
      pluginFolders: foldersOf(['--plugin-dir', '--plugin-dir-no-mcp']),
      serverlessPlugins: foldersOf(['--plugin-dir-no-mcp']),
      tools: toolsOf(values.get('--tools')),
      agents: last('--agents'),
      jsonSchema: last('--json-schema'),
      title: last('--name'),
      betas: values.get('--betas')?.flatMap(splitRules),
      allowsBypass: values.has('--allow-dangerously-skip-permissions') ? true : undefined,
      mirrors: values.has('--session-mirror') ? true : undefined,
      keepsNothing: values.has('--no-session-persistence') ? true : undefined,
    }),
  };
  return ok({
    kind: 'headless',
    prompt: positionals.length === 0 ? null : positionals.join(' '),
    outputFormat,
    inputFormat,
    verbose: values.has('--verbose'),
    partialMessages: values.has('--include-partial-messages'),
    ...(promptTool === undefined || prompting === 'none' ? {} : { promptTool }),
    ...(initOnly ? { setsUpOnly: true } : {}),
    ...(values.has('--await-initialize') ? { awaitsInitialize: true } : {}),
    ...(values.has('--await-claim') ? { awaitsClaim: true } : {}),
    ...(values.has('--replay-user-messages') ? { replaysPrompts: true } : {}),
    ...(values.has('--include-hook-events') ? { showsHooks: true } : {}),
    ...(values.has('--forward-subagent-text') ? { showsAgentText: true } : {}),
    ...debugFlags(values, base),
    options,
  });
}

/** Returns what no setting can say; undefined: nothing. */
function wishesOf({ taskBudget, noSkills, saidAlone }: Wishes): HeadlessOptions['wishes'] {
  if (taskBudget === undefined && !noSkills && !saidAlone) return undefined;
  return {
    ...(taskBudget === undefined ? {} : { taskBudget }),
    ...(noSkills ? { skills: [] } : {}),
    ...(saidAlone ? { saidAlone } : {}),
  };
}

interface Wishes {
  readonly taskBudget: number | undefined;
  readonly noSkills: boolean;
  readonly saidAlone: boolean;
}

const SOURCES = ['user', 'project', 'local'] as const;

/** Reads the settings files that count; undefined: all of them. */
function settingSourcesOf(
  text: string | undefined,
  mistakes: string[],
): NonNullable<HeadlessOptions['settingSources']> | undefined {
  if (text === undefined) return undefined;
  const words = text.split(',').filter((word) => word.trim() !== '');
  return words.flatMap((word) => {
    const source = SOURCES.find((one) => one === word.trim());
    if (source === undefined)
      mistakes.push(`--setting-sources must be of ${SOURCES.join(', ')}, not "${word}".`);
    return source ?? [];
  });
}

/** Returns the tools that are left; undefined: all of them. */
function toolsOf(values: readonly string[] | undefined): readonly string[] | undefined {
  const names = values?.flatMap(splitRules);
  return names?.includes('default') ? undefined : names;
}

/** Reads how much the model is to think; a number is the most tokens of it, 0 turns it off. */
function thinkingOf(
  mode: string | undefined,
  tokens: string | undefined,
  mistakes: string[],
): ThinkingMode | undefined {
  if (mode !== undefined && tokens !== undefined)
    mistakes.push('Use either --thinking or --max-thinking-tokens, not both.');
  if (mode === 'adaptive' || mode === 'disabled') return mode;
  if (mode !== undefined) mistakes.push(`--thinking must be adaptive or disabled, not "${mode}".`);
  if (tokens === undefined) return undefined;
  if (!/^\d+$/.test(tokens))
    mistakes.push(`--max-thinking-tokens must be a whole number, not "${tokens}".`);
  return Number(tokens) === 0 ? 'disabled' : { budgetTokens: Number(tokens) };
}

/** Reads the form in which thinking is to come. */
function displayOf(
  word: string | undefined,
  mistakes: string[],
): HeadlessOptions['thinkingDisplay'] {
  if (word === undefined || word === 'summarized' || word === 'omitted') return word;
  mistakes.push(`--thinking-display must be summarized or omitted, not "${word}".`);
  return undefined;
}

/** Returns inline JSON as it is, and a file's absolute path. */
const settingsOf = (text: string | undefined, base: string): string | undefined =>
  text === undefined || text.trimStart().startsWith('{') ? text : resolve(base, text);

/** Removes undefined fields. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/**
 * Splits permission rules as written on a command line: at commas and spaces, but never inside parentheses.
 * `Bash(git log *),Edit Read` gives three rules.
 */
function splitRules(text: string): string[] {
  const rules: string[] = [];
  let depth = 0;
  let rule = '';
  for (const character of text) {
    if (depth === 0 && (character === ',' || /\s/.test(character))) {
      rules.push(rule);
      rule = '';
      continue;
    }
    if (character === '(') depth += 1;
    if (character === ')' && depth > 0) depth -= 1;
    rule += character;
  }
  rules.push(rule);
  return rules.map((part) => part.trim()).filter((part) => part !== '');
}
