import type { ListedHook } from '../../shared/hooks';
import type { RuleSource } from '../../shared/permission';
import type { SettingsProblem } from '../../shared/settings';
import { tildePath, tildeText } from '../ui/format';

/** The hooks of one settings file. */
export interface HookGroup {
  readonly file: string;
  /** The file as the user knows it. */
  readonly place: string;
  /** The reason its hooks cannot be removed here; null when they can. */
  readonly locked: string | null;
  /** The reason none of them runs; null when they run. */
  readonly off: string | null;
  readonly hooks: readonly ListedHook[];
}

/** Hooks by the file they stand in, in the order of the settings. Pure. */
export function groupHooks(hooks: readonly ListedHook[], home: string): readonly HookGroup[] {
  return [...Map.groupBy(hooks, ({ source, file }) => `${source} ${file}`).values()].flatMap(
    (group) => {
      const [first] = group;
      if (first === undefined) return [];
      const { source, file, off, plugin } = first;
      const place = tildePath(file, home);
      return [
        {
          file,
          place,
          locked: plugin ? `plugin ${plugin.name}` : (LOCKED[source] ?? null),
          off: off && tildeText(off, home),
          hooks: group,
        },
      ];
    },
  );
}

/** Describes when a hook runs: "PreToolUse · Bash|Edit · only for Bash(rm *)". */
export function whenItRuns({ event, matcher, if: condition }: ListedHook): string {
  const parts = [
    event,
    matcher === '' || matcher === '*' ? '' : matcher,
    condition === undefined ? '' : `only for ${condition}`,
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

/** Describes unusual ways of running: "asks a model · at most 5 s · nobody waits". */
export function howItRuns(hook: ListedHook): string {
  const { type, async, asyncRewake, timeoutMs, model, shell, onFailure } = hook;
  const limited = timeoutMs !== undefined && (!async || asyncRewake);
  const parts = [
    TYPES[type],
    model === undefined ? '' : model,
    shell === 'powershell' ? 'PowerShell' : '',
    limited ? `at most ${timeoutMs / 1000} s` : '',
    async ? 'nobody waits' : '',
    asyncRewake ? 'may wake the model' : '',
    onFailure === 'block' && !async ? 'blocks when it fails' : '',
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

/** Returns the command, URL or prompt it runs, in one text. */
export const whatRuns = ({ run, args = [] }: ListedHook): string => [run, ...args].join(' ');

const TYPES = {
  command: '',
  http: 'posts to an address',
  prompt: 'asks a model',
  agent: 'sends an agent to look',
  mcp_tool: 'calls a tool of a tool server',
  callback: 'asks the program that drives Lathe',
} as const;

const LOCKED: Readonly<Partial<Record<RuleSource, string>>> = {
  managed: 'managed by this machine',
  commandLine: 'from the command line',
};

/** Returns a problem's message without its leading file, line and field, which are shown beside it. */
export function problemWords({ file, line, field, message }: SettingsProblem): string {
  const starts = [`${file}, line ${line}: `, `${file}: `, `${field}: `];
  return starts.reduce(
    (words, start) => (words.startsWith(start) ? words.slice(start.length) : words),
    message,
  );
}
