import type { HookSetting } from '../../../shared/hooks';
import type { RuleSource } from '../../../shared/permission';
import type { SettingsProblem } from '../../../shared/settings';
import type { Files } from '../ports';
import type { EffectiveSettings } from './effective';

/** A settings file that changed, under the name that the ecosystem's hooks know its kind by. */
export interface ConfigChange {
  readonly source: 'user_settings' | 'project_settings' | 'local_settings' | 'policy_settings';
  readonly file: string;
}

const KINDS: Partial<Record<RuleSource, ConfigChange['source']>> = {
  managed: 'policy_settings',
  localSettings: 'local_settings',
  projectSettings: 'project_settings',
  userSettings: 'user_settings',
};

/** Returns the settings files that changed, appeared or vanished. Pure. */
function configChanges(
  before: Pick<EffectiveSettings, 'files'>,
  after: Pick<EffectiveSettings, 'files'>,
): readonly ConfigChange[] {
  const known = new Map((before.files ?? []).map(({ file, digest }) => [file, digest]));
  return (after.files ?? []).flatMap(({ source, file, digest }) => {
    const kind = KINDS[source];
    return kind === undefined || known.get(file) === digest ? [] : [{ source: kind, file }];
  });
}

/**
 * Tells whether earlier settings may stay in force: never against the user's choice on hooks and on
 * trust. Pure.
 */
const mayHold = (before: EffectiveSettings, after: EffectiveSettings): boolean =>
  after.trusted === before.trusted &&
  after.rootTrusted === before.rootTrusted &&
  after.hooksDisabled === before.hooksDisabled;

/**
 * Returns the settings in force when a hook blocked a change: the earlier ones, with all new
 * denials on top. Null where a change cannot be blocked, the machine's policy among others. Pure.
 */
function heldBack(
  before: EffectiveSettings,
  after: EffectiveSettings,
  changes: readonly ConfigChange[],
): EffectiveSettings | null {
  const policy = changes.some(({ source }) => source === 'policy_settings');
  if (policy || !mayHold(before, after)) return null;
  return {
    ...before,
    modesOff: [...new Set([...before.modesOff, ...after.modesOff])],
    ...(before.skillCommandsOff || after.skillCommandsOff ? { skillCommandsOff: true } : {}),
    rules: [...after.rules.filter(({ behavior }) => behavior !== 'allow'), ...before.rules],
    findings: after.findings,
    findingsHash: after.findingsHash,
    problems: after.problems,
  };
}

/**
 * Tells whether a folder's configuration after a change of ours turns on nothing that it did not
 * turn on before, what Lathe itself writes aside: allow rules, folders to work in, the mode. Hooks
 * may have gone. Pure.
 */
export function turnsOnNothingNew(before: EffectiveSettings, after: EffectiveSettings): boolean {
  const known = new Set(before.hooks.map(whatRuns));
  return others(before) === others(after) && after.hooks.every((hook) => known.has(whatRuns(hook)));
}

const others = ({ findings }: EffectiveSettings): string =>
  JSON.stringify(
    findings.filter(
      ({ kind, what }) =>
        kind !== 'allow' && !OURS.has(what) && (kind !== 'hooks' || what === SWITCH),
    ),
  );

const OURS: ReadonlySet<string> = new Set(['additionalDirectories', 'defaultMode']);

/** The mark of a finding of the kind `hooks` that is no hook. */
const SWITCH = 'disableAllHooks';

/** Returns all of a hook but its line. */
const whatRuns = ({ line: _line, off: _off, ...hook }: HookSetting): string => JSON.stringify(hook);

/** A settings file as the system lists it. */
interface FileMark {
  readonly mark: string;
  readonly size: number;
}

/**
 * Creates what reads settings again when one of their files is another than at the last look: it looks at sizes and times
 * alone, so that every call can ask for it. A file without a byte may be on the way to its next content, and waits for that.
 */
export function createFreshener({
  files,
  settings,
  refresh,
}: {
  readonly files: Pick<Files, 'stat'>;
  readonly settings: () => Pick<EffectiveSettings, 'files'>;
  readonly refresh: () => Promise<void>;
}): () => Promise<void> {
  const markOf = async (file: string): Promise<FileMark> => {
    const stat = await files.stat(file);
    if (!stat.ok) return { mark: stat.error.code, size: -1 };
    const { identity, size, mtimeMs, mode } = stat.value;
    return { mark: [identity, size, mtimeMs, mode].join(' '), size };
  };
  const marks = async () => {
    const places = [...new Set((settings().files ?? []).map(({ file }) => file))];
    return new Map(
      await Promise.all(places.map(async (file) => [file, await markOf(file)] as const)),
    );
  };
  let known = marks();
  const look = async () => {
    const before = await known;
    const now = await marks();
    for (const [file, { size }] of now) {
      const old = before.get(file);
      if (size === 0 && old !== undefined && old.size > 0) now.set(file, old);
    }
    // What changes while it is read is another change.
    known = Promise.resolve(now);
    const isChanged = [...now].some(([file, { mark }]) => before.get(file)?.mark !== mark);
    if (isChanged || now.size !== before.size) await refresh();
  };
  let looking: Promise<void> | null = null;
  return () => {
    looking ??= look().finally(() => {
      looking = null;
    });
    return looking;
  };
}

/** Returns the problems of settings that they did not have before. Pure. */
export const newProblems = (
  before: Pick<EffectiveSettings, 'problems'>,
  after: Pick<EffectiveSettings, 'problems'>,
): readonly SettingsProblem[] =>
  after.problems.filter(
    ({ file, message }) =>
      !before.problems.some((one) => one.file === file && one.message === message),
  );

/** The settings of a session while their files change under it. */
export interface WatchedSettings {
  /** Returns the settings that hold now. */
  now(): EffectiveSettings;
  /** Looks what changed since the last time and asks whether it is to hold. */
  review(asked: (changes: readonly ConfigChange[]) => Promise<boolean>): Promise<void>;
}

/** Watches the settings of a project. `latest`: as they were read last. Everything holds until somebody blocks it. */
export function watchSettings(latest: () => EffectiveSettings): WatchedSettings {
  let seen = latest();
  let held: EffectiveSettings | null = null;
  return {
    now: () => {
      const newest = latest();
      return held !== null && mayHold(held, newest) ? held : newest;
    },
    review: async (asked) => {
      const after = latest();
      const changes = configChanges(seen, after);
      if (changes.length === 0) return;
      const before = held ?? seen;
      seen = after;
      // Hooks of before decide: a change must not be able to let itself in.
      held = before;
      const blocked = await asked(changes);
      held = blocked ? heldBack(before, after, changes) : null;
    },
  };
}
