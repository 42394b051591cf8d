import type { ListedHook } from '../../shared/hooks';
import type { RuleSource } from '../../shared/permission';
import type { SettingsProblem } from '../../shared/settings';
import { tildePath } from '../ui/format';

/** The hooks of one settings file. */
export interface HookGroup {
  readonly file: string;
  /** The file as a person knows it. */
  readonly place: string;
  /** Why its hooks cannot be removed here; null when they can. */
  readonly locked: string | null;
  /** Why none of them runs; null when they run. */
  readonly off: string | null;
  readonly hooks: readonly ListedHook[];
}

/** Hooks by the file they stand in, in the order of the settings. Pure. */
export function groupHooks(hooks: readonly ListedHook[], home: string): readonly HookGroup[] {
  return [...Map.groupBy(hooks, ({ source, file }) => `${source} ${file}`).values()].flatMap(
    (group) => {
      const [first] = group;
      if (first === undefined) return [];
      const { source, file, off } = first;
      const place = tildePath(file, home);
      return [
        {
          file,
          place,
          locked: LOCKED[source] ?? null,
          off: off && tildeIn(off, home),
          hooks: group,
        },
      ];
    },
  );
}

/** When a hook runs: "PreToolUse · Bash|Edit · only for Bash(rm *)". Pure. */
export function whenItRuns({ event, matcher, if: condition }: ListedHook): string {
  const parts = [
    event,
    matcher === '' || matcher === '*' ? '' : matcher,
    condition === undefined ? '' : `only for ${condition}`,
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

/** What is unusual about how it runs: "asks a model · at most 5 s · nobody waits". Pure. */
export function howItRuns(hook: ListedHook): string {
  const { type, async, asyncRewake, timeoutMs, model, shell } = hook;
  const limited = timeoutMs !== undefined && (!async || asyncRewake);
  const parts = [
    TYPES[type],
    model === undefined ? '' : model,
    shell === 'powershell' ? 'PowerShell' : '',
    limited ? `at most ${timeoutMs / 1000} s` : '',
    async ? 'nobody waits' : '',
    asyncRewake ? 'may wake the model' : '',
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

/** What it runs, in one text. Pure. */
export const whatRuns = ({ run, args = [] }: ListedHook): string => [run, ...args].join(' ');

const TYPES = { command: '', http: 'posts to an address', prompt: 'asks a model' } as const;

const LOCKED: Readonly<Partial<Record<RuleSource, string>>> = {
  managed: 'managed by this machine',
  commandLine: 'from the command line',
};

/** A sentence that may end in a path, as a person knows paths. */
const tildeIn = (text: string, home: string): string =>
  home === '' ? text : text.replaceAll(`${home}/`, '~/');

/** What is wrong, without the file, line and field that its message begins with: they stand beside it. Pure. */
export function problemWords({ file, line, field, message }: SettingsProblem): string {
  const starts = [`${file}, line ${line}: `, `${file}: `, `${field}: `];
  return starts.reduce(
    (words, start) => (words.startsWith(start) ? words.slice(start.length) : words),
    message,
  );
}
