import type { PermissionRule, RuleBehavior, RuleSource } from '../../shared/permission';
import { err, fault, ok, type Result } from '../../shared/result';
import type { RuleReplay } from '../../shared/rule-replay';
import type { ListedRule, RuleDraft, RulesOverview } from '../../shared/rules-overview';
import type { SettingsProblem } from '../../shared/settings';
import type { Broker } from '../engine/permissions/broker';
import { type PastRequest, type RulesOfNow, replayRule } from '../engine/permissions/replay';
import { readRule } from '../engine/permissions/rules';
import type { ShellParser } from '../engine/permissions/shell-analysis/parser';
import type { Files } from '../engine/ports';
import type { Session } from '../engine/session/session';
import type { EffectiveSettings } from '../engine/settings/effective';
import { fileForDestination, type SettingsWriter } from '../engine/settings/write';
import type { NeedsByName } from '../engine/tools/foreign-tools';
import { pastCalls } from './past-calls';
import type { ProjectRegistry } from './project-registry';

/** A project, and a session whose rules count too when it is open. */
interface RulesPlace {
  readonly project: string;
  readonly sessionId?: string | undefined;
}

/** One of the rules in force, as it is told apart from the others. */
interface RuleName {
  readonly behavior: RuleBehavior;
  readonly rule: string;
  readonly source: RuleSource;
}

/** Shows the permission rules of projects, tries drafts of them, and changes them. */
export interface PermissionService {
  list(place: RulesPlace): Promise<Result<RulesOverview>>;
  /** Decides the last calls of the project with a draft rule; nothing is written. */
  replay(place: RulesPlace, draft: RuleDraft, signal: AbortSignal): Promise<Result<RuleReplay>>;
  /** Writes a rule where the user wants it. It holds at once, also for what waits for an answer. */
  addRule(place: RulesPlace, draft: RuleDraft): Promise<Result<null>>;
  removeRule(place: RulesPlace, name: RuleName): Promise<Result<null>>;
}

/** The parts of an open session that the service needs. */
export interface AskingRuntime {
  readonly session: Pick<Session, 'project' | 'permissions'> & {
    readonly log: Pick<Session['log'], 'sessionId' | 'flush'>;
    readonly broker: Pick<Broker, 'recheck'> | null;
  };
}

export interface PermissionServiceOptions {
  readonly files: Files;
  readonly parser: ShellParser;
  /** The same as in sessions: tools say what their calls need. */
  readonly needsOf: NeedsByName;
  readonly writer: SettingsWriter;
  readonly latheHome: string;
  readonly home: string;
  readonly configDir: string;
  readonly platform: string;
  readonly projects: Pick<
    ProjectRegistry,
    'settings' | 'isTrusted' | 'changeSettings' | 'list' | 'refresh'
  >;
  readonly sessions: { runtimes(): readonly AskingRuntime[] };
}

/** Past calls that are looked up between two looks at the signal. */
const BATCH = 25;

/** Creates the service. */
export function createPermissionService(options: PermissionServiceOptions): PermissionService {
  const { files, projects, sessions, writer } = options;

  const sessionsOf = (project: string) =>
    sessions.runtimes().filter((runtime) => runtime.session.project === project);

  const look = (place: RulesPlace): Result<Look> => {
    const settings = projects.settings(place.project);
    if (settings === null) return err(NOT_OPEN);
    const runtime = sessionsOf(place.project).find(
      ({ session }) => session.log.sessionId === place.sessionId,
    );
    const now = runtime?.session.permissions.now() ?? ofProject(place.project, settings);
    // Where a past call was made from is not written down: the folder of the project is the best guess.
    const context = { ...now.context, cwd: place.project };
    return ok({ settings, runtime, now: { ...now, context } });
  };

  const ofProject = (project: string, settings: EffectiveSettings): RulesOfNow => ({
    rules: settings.rules,
    mode: settings.defaultMode,
    context: {
      cwd: project,
      home: options.home,
      project,
      workingDirectories: [project, ...settings.additionalDirectories],
      caseInsensitive: options.platform === 'darwin' || options.platform === 'win32',
    },
  });

  const pastRequests = async (
    { project }: RulesPlace,
    { now: { context }, settings, runtime }: Look,
    signal: AbortSignal,
  ): Promise<readonly PastRequest[]> => {
    await Promise.all(sessionsOf(project).map(({ session }) => session.log.flush()));
    const where = {
      cwd: context.cwd,
      home: context.home,
      files,
      parser: options.parser,
      trusted: settings.trusted,
      sandboxTerms: async () => (await runtime?.session.permissions.sandboxTerms()) ?? null,
    };
    const calls = await pastCalls(files, options.latheHome, project, signal);
    const found: PastRequest[] = [];
    for (let at = 0; at < calls.length && !signal.aborted; at += BATCH) {
      const requests = await Promise.all(
        calls.slice(at, at + BATCH).map(async (call) => ({
          callId: call.id,
          at: call.at,
          sessionId: call.sessionId,
          needed: await options.needsOf(call.tool, call.input, where),
        })),
      );
      for (const { needed, ...call } of requests)
        if (needed.ok) found.push(...needed.value.map((request) => ({ ...call, request })));
    }
    return found;
  };

  /** Changes a settings file, and lets every open session go by it from now on. */
  const changeFile = async (
    { project }: RulesPlace,
    source: RuleDraft['destination'],
    change: (file: string) => Promise<Result<null>>,
  ): Promise<Result<null>> => {
    const file = fileForDestination(source, { project, configDir: options.configDir });
    if (file === null) return ok(null);
    const changed = await projects.changeSettings(project, () => change(file));
    if (!changed.ok) return changed;
    const touched = source === 'userSettings' ? projects.list().map(({ path }) => path) : [project];
    for (const path of touched) if (path !== project) await projects.refresh(path);
    for (const path of touched) await recheck(sessionsOf(path));
    return ok(null);
  };

  return {
    list: async (place) => {
      const looked = look(place);
      if (!looked.ok) return looked;
      const { settings, now, runtime } = looked.value;
      return ok(rulesOverview(now, settings, runtime !== undefined));
    },
    replay: async (place, draft, signal) => {
      const looked = look(place);
      if (!looked.ok) return looked;
      const rule = draftRule(draft);
      if (!rule.ok) return rule;
      const { now } = looked.value;
      const past = await pastRequests(place, looked.value, signal);
      if (signal.aborted) return err(STOPPED);
      const replay = replayRule(rule.value, past, now);
      if (looked.value.settings.managedRulesOnly && draft.behavior === 'allow')
        return ok({ ...replay, changed: [], unchanged: 0, dead: MANAGED_ONLY });
      if (!isOff(draft) || projects.isTrusted(place.project)) return ok(replay);
      return ok({ ...replay, changed: [], unchanged: 0, dead: UNTRUSTED });
    },
    addRule: async (place, draft) => {
      const looked = look(place);
      if (!looked.ok) return looked;
      const rule = draftRule(draft);
      if (!rule.ok) return rule;
      const { behavior, text } = rule.value;
      const { runtime, settings } = looked.value;
      if (settings.managedRulesOnly && behavior === 'allow')
        return err(fault('managed_only', `Nothing was saved: ${MANAGED_ONLY.reason}.`));
      if (draft.destination !== 'session')
        return changeFile(place, draft.destination, (file) => writer.addRule(file, behavior, text));
      if (runtime === undefined) return err(NO_SESSION);
      runtime.session.permissions.addRule({ behavior, text });
      await recheck([runtime]);
      return ok(null);
    },
    removeRule: async (place, { behavior, rule: text, source }) => {
      const looked = look(place);
      if (!looked.ok) return looked;
      const { runtime, now } = looked.value;
      if (source === 'managed' || source === 'commandLine') return err(LOCKED);
      const inForce = now.rules.some(
        (rule) => rule.behavior === behavior && rule.text === text && rule.source === source,
      );
      if (!inForce) return err(GONE);
      if (source !== 'session')
        return changeFile(place, source, (file) => writer.removeRule(file, behavior, text));
      runtime?.session.permissions.removeRule({ behavior, text });
      if (runtime) await recheck([runtime]);
      return ok(null);
    },
  };
}

interface Look {
  readonly settings: EffectiveSettings;
  readonly runtime: AskingRuntime | undefined;
  readonly now: RulesOfNow;
}

/** Settles questions that the rules answer by now. */
async function recheck(runtimes: readonly AskingRuntime[]): Promise<void> {
  for (const { session } of runtimes) await session.broker?.recheck();
}

/** Reads a draft as a rule. A faulty deny rule would count, but is refused too: nobody wants to write one. */
function draftRule(draft: RuleDraft): Result<PermissionRule> {
  const text = draft.rule.trim();
  const rule = { behavior: draft.behavior, text, source: draft.destination };
  if (/[\n\r]/.test(text)) return err(fault('invalid_rule', 'A rule is one line.'));
  const { problem } = readRule(rule);
  if (problem === null) return ok(rule);
  const [what] = problem.message.split(/; it is not used$|; until it is corrected /);
  return err(
    fault('invalid_rule', `${what}.`, 'Write it as Tool or Tool(what), such as Bash(npm test).'),
  );
}

/** Tells whether only trust turns a rule on: allow rules that stand in the folder. */
const isOff = ({ behavior, destination }: RuleDraft): boolean =>
  behavior === 'allow' && (destination === 'localSettings' || destination === 'projectSettings');

const MANAGED_ONLY = {
  reason: 'on this machine only rules in the managed settings allow anything',
} as const;

const UNTRUSTED = {
  reason: 'this folder is not trusted, so the allow rules in its files are off',
} as const;
const NOT_OPEN = fault('not_open', 'That folder is not open.', 'Open it first.');
const STOPPED = fault('stopped', 'The replay was stopped.');
const NO_SESSION = fault(
  'no_session',
  'There is no open session that this rule could hold for.',
  'Choose a file for it, or open a session.',
);
const LOCKED = fault(
  'read_only',
  'Rules of the machine and of the command line cannot be changed here.',
);
const GONE = fault('gone', 'That rule is no longer there.');

/** Returns the rules in force as a user looks at them. `inSession`: the mode is a session's. Pure. */
const rulesOverview = (
  now: Pick<RulesOfNow, 'rules' | 'mode'>,
  settings: EffectiveSettings,
  inSession: boolean,
): RulesOverview => {
  const rules = now.rules.map(listed);
  // A faulty rule says so itself, where it is listed.
  const said = Map.groupBy(
    rules.filter(({ problem }) => problem !== undefined),
    ({ rule }) => `${rule.file} ${rule.line}`,
  );
  const isSaid = ({ file, line, message }: SettingsProblem): boolean =>
    said.get(`${file} ${line}`)?.some(({ problem = '' }) => message.endsWith(`: ${problem}.`)) ??
    false;
  return {
    mode: now.mode,
    modeWhy: whyMode(now, settings, inSession),
    rules,
    problems: settings.problems.filter(
      (problem) =>
        (problem.field?.startsWith('permissions') || problem.level === 'error') && !isSaid(problem),
    ),
  };
};

function listed(rule: PermissionRule): ListedRule {
  const { problem } = readRule(rule);
  const locked = LOCKED_SOURCES[rule.source];
  return {
    rule,
    ...(problem ? { problem: problem.message } : {}),
    ...(locked === undefined ? {} : { locked }),
  };
}

const LOCKED_SOURCES: Partial<Record<PermissionRule['source'], string>> = {
  managed: 'Set for this machine by whoever manages it',
  commandLine: 'Given on the command line, for this run only',
};

function whyMode(
  { mode }: Pick<RulesOfNow, 'mode'>,
  { defaultMode, defaultModeFrom }: EffectiveSettings,
  inSession: boolean,
): string {
  if (inSession && mode !== defaultMode) return 'Chosen in this session.';
  if (defaultModeFrom === undefined) return 'Nothing else is set: this is how Lathe begins.';
  return `New sessions begin with it: permissions.defaultMode in ${defaultModeFrom}.`;
}
