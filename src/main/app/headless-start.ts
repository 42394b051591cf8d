import { nearestName } from '../../shared/nearest-name';
import { err, type Fault, fault, ok, type Result } from '../../shared/result';
import type { SettingsProblem } from '../../shared/settings';
import { findWorktree, makeWorktree, startIn, type Worktree } from '../engine/agents/worktree';
import { isKnownTool, KNOWN_TOOLS, presentName } from '../engine/permissions/rules';
import type { Files } from '../engine/ports';
import type { Services } from '../engine/services';
import type { SessionTarget } from '../engine/session/open-session';
import { UNTRUSTED } from '../engine/session/overlay';
import { worktreeChoice } from '../engine/session/worktree-choice';
import { isOurs } from '../engine/sessions/claude-transcript';
import { findStored } from '../engine/sessions/list';
import { claudeFile, isSessionId } from '../engine/sessions/paths';
import { availableModel } from '../engine/settings/available-models';
import type { EffectiveSettings } from '../engine/settings/effective';
import type { HeadlessOptions } from './headless-session';
import { resolveFolder } from './project-registry';

/** The session that a command line asks for, and what to say about it. */
interface AskedTarget {
  readonly target: SessionTarget;
  readonly problems: readonly SettingsProblem[];
}

/** Returns the session that the command line asks for. One of Claude Code is copied: its log stays as it is. */
export async function targetOf(
  services: Services,
  project: string,
  { sessionId, resume, fork }: HeadlessOptions,
): Promise<Result<AskedTarget>> {
  const asked = (target: SessionTarget, problems: readonly SettingsProblem[] = []) =>
    ok({ target, problems });
  if (sessionId !== undefined && !isSessionId(sessionId)) {
    return err(
      fault(
        'bad_session_id',
        `"${sessionId}" is not a session id.`,
        'Use a UUID, e.g. 0b6f2c1e-6c1d-4b52-9a51-4a35a4cf6d10.',
      ),
    );
  }
  if (resume === undefined) return asked({ kind: 'new', project, sessionId });
  const stored = await findStored(services, project, resume);
  const isNone = !stored.ok && stored.error.code === 'no_session';
  if (isNone && resume === 'latest') return asked({ kind: 'new', project, sessionId });
  const file = claudeFile(services.configDir, project, resume);
  if (isNone && isSessionId(resume) && (await services.files.stat(file)).ok) {
    // A start without one does not wait for it.
    const { copyOtherLog } = await import('../engine/sessions/copy-other-log');
    const log = { origin: 'claude', file } as const;
    const mayBeSame = sessionId === undefined || sessionId === resume;
    const same = mayBeSame ? await carriedId(services, project, { resume, fork }) : null;
    const where = {
      ...{ project, keepsProject: true, carried: same !== null },
      sessionId: sessionId ?? same ?? undefined,
    };
    const copied = await copyOtherLog(services, log, where);
    if (!copied.ok) return copied;
    const copy = await findStored(services, project, copied.value.sessionId);
    if (!copy.ok) return copy;
    if (same !== null) return asked({ kind: 'resume', stored: copy.value });
    const message = `${resume} is a session of Claude Code: a copy of it goes on here as ${copy.value.id}.`;
    return asked({ kind: 'resume', stored: copy.value }, [{ file, message, level: 'warning' }]);
  }
  if (!stored.ok) return stored;
  return asked(
    fork
      ? { kind: 'fork', stored: stored.value, sessionId }
      : { kind: 'resume', stored: stored.value },
  );
}

/** Returns the id that a session will have, and options by which it gets that one: it can be told before it is opened. */
export async function beginning(
  services: Pick<Services, 'files' | 'latheHome' | 'configDir' | 'ids'>,
  project: string,
  options: HeadlessOptions,
): Promise<{ readonly sessionId: string; readonly options: HeadlessOptions }> {
  const { resume, fork } = options;
  const stored = resume === undefined || fork ? null : await findStored(services, project, resume);
  if (stored?.ok) return { sessionId: stored.value.id, options };
  const carried = options.sessionId ?? (await carriedId(services, project, options));
  const sessionId = carried ?? services.ids.uuid();
  return { sessionId, options: { ...options, sessionId } };
}

/**
 * Returns the id of the session to resume where Lathe wrote its transcript along, on another machine: it is the same session
 * that goes on. Null where it did not.
 */
async function carriedId(
  { files, configDir }: Pick<Services, 'files' | 'configDir'>,
  project: string,
  { resume, fork }: Pick<HeadlessOptions, 'resume' | 'fork'>,
): Promise<string | null> {
  if (resume === undefined || fork === true || !isSessionId(resume)) return null;
  const file = claudeFile(configDir, project, resume);
  return (await files.stat(file)).ok && (await isOurs(files, file)) ? resume : null;
}

/** The longest prompt that is read from a file: a longer one leaves no room for work. */
const MAX_PROMPT_BYTES = 1024 * 1024;

/** The prompts a command line asks for, from its words or from files. */
interface AskedPrompts {
  readonly system: string | undefined;
  readonly append: string | undefined;
}

/** Reads the prompts of a command line. The error names the flag of a file that cannot be read. */
export async function readPrompts(
  files: Files,
  options: Pick<
    HeadlessOptions,
    'systemPrompt' | 'systemPromptFile' | 'appendSystemPrompt' | 'appendSystemPromptFile'
  >,
): Promise<Result<AskedPrompts>> {
  const system = await readPrompt(files, '--system-prompt-file', options.systemPromptFile);
  if (!system.ok) return system;
  const flag = '--append-system-prompt-file';
  const append = await readPrompt(files, flag, options.appendSystemPromptFile);
  if (!append.ok) return append;
  return ok({
    system: options.systemPrompt ?? system.value,
    append: options.appendSystemPrompt ?? append.value,
  });
}

async function readPrompt(
  files: Files,
  flag: string,
  file: string | undefined,
): Promise<Result<string | undefined>> {
  if (file === undefined) return ok(undefined);
  const bytes = await files.read(file, MAX_PROMPT_BYTES);
  return bytes.ok
    ? ok(new TextDecoder().decode(bytes.value))
    : err(fault('no_prompt_file', `${flag}: ${bytes.error.message}`, 'Name a text file.'));
}

/** Returns the options with the real path of the folder whose configuration counts; an error when that is none. */
export async function withConfigRoot(
  files: Files,
  options: HeadlessOptions,
): Promise<Result<HeadlessOptions>> {
  if (options.configRoot === undefined) return ok(options);
  const root = await resolveFolder(files, options.configRoot);
  return root.ok ? ok({ ...options, configRoot: root.value }) : root;
}

/** Returns why a run that is to have a sandbox cannot begin without one; null where it may begin. */
export async function missingSandbox(
  services: Pick<Services, 'sandbox'>,
  { sandbox }: Pick<EffectiveSettings, 'sandbox'>,
): Promise<Fault | null> {
  if (sandbox?.enabled !== true || sandbox.failIfUnavailable !== true) return null;
  const found = await services.sandbox.availability(sandbox.programs);
  if (found.state === 'ready' || (found.state === 'weaker' && sandbox.weakerNested)) return null;
  return fault('no_sandbox', `There is no sandbox here: ${found.why}`, found.fix);
}

/** Resolves the models that the command line names; one that is unknown is an error before anything starts. */
export function namedModels(
  services: Services,
  settings: EffectiveSettings,
  { model, fallbackModels = [] }: HeadlessOptions,
): Result<{ readonly model: string | undefined }> {
  const named = (name: string) => availableModel(name, settings, services.resolveModel);
  const chosen = model === undefined ? null : named(model);
  if (chosen?.ok === false) return chosen;
  const wrong = fallbackModels.map(named).find((one) => !one.ok);
  return wrong?.ok === false ? wrong : ok({ model: chosen?.value });
}

/** The worktree of a run: the folder to start in, and what is not in it as one may expect. */
interface RunWorktree extends Worktree {
  readonly start: string;
  readonly problems: readonly SettingsProblem[];
}

/** Finds or makes the worktree that a run is to work in; null where it works in the project. */
export async function worktreeOf(
  services: Services,
  project: string,
  settings: EffectiveSettings,
  name: string | undefined,
): Promise<Result<RunWorktree | null>> {
  if (name === undefined) return ok(null);
  if (!settings.trusted) return err(UNTRUSTED);
  const called = name === '' ? `run-${services.ids.uuid().slice(0, 8)}` : name;
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(called))
    return err(fault('bad_worktree', `--worktree: "${name}" is no name for a worktree.`));
  const { signal } = new AbortController();
  const found = await findWorktree(services, project, called);
  const choice = worktreeChoice(services, project, settings);
  const made = found
    ? ok({ worktree: found, notes: [] })
    : await makeWorktree(services, project, called, choice, signal);
  if (!made.ok) return err(fault('no_worktree', `--worktree: ${made.error}`));
  const { worktree, notes } = made.value;
  const problems = notes.map((note): SettingsProblem => {
    return { file: '', message: `--worktree: ${note}`, level: 'warning' };
  });
  return ok({ ...worktree, start: await startIn(services, project, worktree, signal), problems });
}

/** Returns what is wrong with the names of `--tools`, where some are tools that are there. Those of servers may come later. Pure. */
export const toolProblems = (
  names: readonly string[],
  there: readonly string[],
): readonly SettingsProblem[] =>
  names.flatMap((name): SettingsProblem[] => {
    const isThere = there.includes(presentName(name)) || isKnownTool(presentName(name));
    if (isThere || /^mcp__./.test(name)) return [];
    const meant = nearestName(name, KNOWN_TOOLS);
    const why = name.includes('(')
      ? `“${name}” is a rule; names of tools stand here, rules after --allowedTools`
      : `there is no tool “${name}”${meant === null ? '' : `; “${meant}” may be meant`}`;
    return [{ file: '--tools', message: `--tools: ${why}.`, level: 'warning' }];
  });

/** Returns settings with the fallback models of the command line, where it names any. */
export const withFallback = (
  settings: EffectiveSettings,
  { fallbackModels = settings.fallbackModels }: HeadlessOptions,
): EffectiveSettings => ({ ...settings, fallbackModels });

/** Returns why the settings of the command line cannot be used. A run without what they deny is not what was asked for. */
export function unusableSettings(
  settings: EffectiveSettings,
  { settings: given, managedSettings: managed }: HeadlessOptions,
) {
  const own = (file: string) =>
    /^--(settings|managed-settings|mcp-config|disallowedTools)$/.test(file) ||
    file === given ||
    file === managed;
  const problem = settings.problems.find(({ file, level }) => level === 'error' && own(file));
  return problem === undefined
    ? null
    : fault(
        'bad_settings',
        problem.message,
        `Correct ${problem.file.startsWith('--') ? problem.file : '--settings'}, or leave it out.`,
      );
}

/** Returns why a command line may not bring what it brings; null when it may. */
export function sideloaded(
  { noSideloads, mcpServers = [] }: EffectiveSettings,
  { pluginFolders = [], agents }: HeadlessOptions,
): Fault | null {
  if (noSideloads !== true) return null;
  const flags = [
    ...(pluginFolders.length > 0 ? ['--plugin-dir'] : []),
    ...(agents === undefined ? [] : ['--agents']),
    ...(mcpServers.some(({ file, inside }) => file === '--mcp-config' && inside !== true)
      ? ['--mcp-config']
      : []),
  ];
  return flags.length === 0
    ? null
    : fault(
        'no_sideloads',
        `Managed settings refuse ${flags.join(', ')} (disableSideloadFlags).`,
        'Leave it out, or ask who manages this machine.',
      );
}
