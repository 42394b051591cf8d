import type { PermissionMode } from '../../shared/permission';
import { err, fault, ok, type Result } from '../../shared/result';
import { compactFocus } from '../../shared/slash';
import { wordsOf } from '../engine/loop/take-in';
import { askedOutput } from '../engine/model/catalog';
import type { ModelClient } from '../engine/model/model-client';
import type { SessionConfig } from '../engine/query-engine/options';
import {
  findSession,
  listSessions,
  type StoredSession,
  titleFromPrompt,
} from '../engine/sessions/list';
import {
  forkLog,
  type LogWorld,
  type OpenLog,
  resumeLog,
  startLog,
} from '../engine/sessions/open-log';
import { isSessionId, scratchFolder } from '../engine/sessions/paths';
import type { EffectiveSettings } from '../engine/settings/effective';
import { createToolShelf, undenied } from '../engine/tools/tool-shelf';
import type { HeadlessOptions, HeadlessSession } from './headless-session';
import { type EditSettings, UNTRUSTED } from './permission-updates';
import { resolveFolder } from './project-book';
import { readPrompts } from './prompt-files';
import { createRequestBuilder, type PromptWorld } from './request-builder';
import { assembleSession, type SessionWorld } from './session-factory';

export interface OpenHeadlessDeps {
  readonly world: SessionWorld & LogWorld & PromptWorld;
  readonly loadSettings: (
    project: string,
    options: HeadlessOptions,
  ) => Promise<{ readonly settings: EffectiveSettings; readonly trusted: boolean }>;
  readonly resolveModel: (input: string) => Result<string>;
  /** The model when nobody chose one. */
  readonly defaultModel: (settings: EffectiveSettings) => Result<string>;
  /** Changes a settings file and gives its path. */
  readonly editSettings: EditSettings;
  /** A client, and where its key came from. */
  readonly connect: (
    settings: EffectiveSettings,
  ) => Promise<Result<{ readonly client: ModelClient; readonly apiKeySource: string }>>;
  /** Ends what the process started. */
  readonly close: () => Promise<void>;
}

/** What is asked of models that know effort levels when nobody chose. */
const DEFAULT_EFFORT = 'high';

/** Opens a session for a run without a window. Everything that would ask is denied and recorded. */
export async function openHeadlessSession(
  deps: OpenHeadlessDeps,
  options: HeadlessOptions,
): Promise<Result<HeadlessSession>> {
  const { world } = deps;
  const folder = await resolveFolder(world.files, options.folder);
  if (!folder.ok) return folder;
  const project = folder.value;
  const { settings, trusted } = await deps.loadSettings(project, options);
  let current = settings;
  const unusable = unusableSettings(settings, options);
  if (unusable !== null) return err(unusable);
  const model =
    options.model === undefined ? deps.defaultModel(settings) : deps.resolveModel(options.model);
  if (!model.ok) return model;
  for (const name of options.fallbackModels ?? []) {
    const fallback = deps.resolveModel(name);
    if (!fallback.ok) return fallback;
  }
  const prompts = await readPrompts(world.files, options);
  if (!prompts.ok) return prompts;
  const connection = await deps.connect(withFallback(settings, options));
  if (!connection.ok) return connection;
  const open = await openLog(world, project, options);
  if (!open.ok) return open;

  const config = configOf(open.value, options, settings, model.value);
  const shelf = createToolShelf(world.registry.tools, open.value.history.messages());
  const requests = createRequestBuilder(world, {
    project,
    shelf,
    resumedAfter: open.value.history.messages().at(-1)?.id ?? null,
    trusted: () => trusted,
    additionalDirectories: () => current.additionalDirectories,
    rules: () => current.rules,
    maxTokens: (modelId) => askedOutput(modelId, settings.maxOutputTokens),
    unattended: true,
    simple: options.bare === true || settings.simple === true,
    language: settings.language,
    outputStyle: settings.outputStyle,
    scratchFolder: scratchFolder(open.value.paths.folder),
    onMemory: (files) => session.memoryLoaded(files),
    onProblem: (text) => {
      session.engine.record({ type: 'notice', level: 'warning', code: 'prompt_problem', text });
    },
    systemPrompt: prompts.value.system,
    appendSystemPrompt: prompts.value.append,
  });
  const session = assembleSession(world, open.value, {
    project,
    shelf,
    config,
    limits: { maxTurns: options.maxTurns ?? null, maxBudgetUsd: options.maxBudgetUsd ?? null },
    model: connection.value.client,
    settings: () => current,
    createBroker: null,
    remember: async () => ok(null),
    changeSettings: async (destination, edit) => {
      if (destination !== 'userSettings' && !trusted) return err(UNTRUSTED);
      const changed = await deps.editSettings(project, destination, edit);
      if (changed.ok) current = (await deps.loadSettings(project, options)).settings;
      return changed;
    },
    buildRequest: requests.build,
    folderMemory: requests.folderMemory,
    promptSections: requests.sections,
  });

  return ok({
    sessionId: session.log.sessionId,
    cwd: project,
    tools: undenied(shelf.offered(), settings.rules).map(({ name }) => name),
    model: config.model,
    mode: config.mode,
    apiKeySource: connection.value.apiKeySource,
    problems: settings.problems,
    deferred: () => session.engine.deferred !== null,
    submit: (prompt) => {
      if (prompt === null) return session.engine.submit(null);
      const words = typeof prompt === 'string' ? prompt : wordsOf(prompt);
      const compaction = compactFocus(words);
      if (compaction !== null) return session.engine.compact(compaction.focus);
      if (session.log.transcript().title === '') {
        session.engine.record({ type: 'title_changed', title: titleFromPrompt(words) });
      }
      return session.engine.submit(prompt);
    },
    interrupt: (why) => {
      session.engine.interrupt(why);
    },
    configure: ({ model: name, mode }) => {
      if (mode === 'bypassPermissions' && !current.bypassAllowed) return err(NO_BYPASS);
      const chosen = name === undefined ? null : deps.resolveModel(name);
      if (chosen?.ok === false) return chosen;
      session.engine.configure({
        ...(chosen === null ? {} : { model: chosen.value }),
        ...(mode === undefined ? {} : { mode }),
      });
      return ok({});
    },
    close: async () => {
      await session.close({ keepTasks: false });
      await deps.close();
    },
  });
}

const withFallback = (
  settings: EffectiveSettings,
  { fallbackModels = settings.fallbackModels }: HeadlessOptions,
): EffectiveSettings => ({ ...settings, fallbackModels });

const NO_BYPASS = fault('forbidden', 'Managed settings do not allow working without asking.');

/** Why the settings of the command line cannot be used. A run without what they deny is not what was asked for. */
function unusableSettings(settings: EffectiveSettings, { settings: given }: HeadlessOptions) {
  if (given === undefined) return null;
  const own = (file: string) => file === '--settings' || file === given;
  const problem = settings.problems.find(({ file, level }) => level === 'error' && own(file));
  return problem === undefined
    ? null
    : fault('bad_settings', problem.message, 'Correct --settings, or leave it out.');
}

function configOf(
  open: OpenLog,
  options: HeadlessOptions,
  settings: EffectiveSettings,
  model: string,
): SessionConfig {
  const before = open.log.transcript();
  const chosen = options.model !== undefined || before.model === '';
  return {
    model: chosen ? model : before.model,
    effort: options.effort ?? (before.effort || settings.effort) ?? DEFAULT_EFFORT,
    // The settings know the mode the command line asks for, and whether it is allowed.
    mode:
      options.mode !== undefined || before.model === ''
        ? settings.defaultMode
        : resumedMode(before.mode),
  };
}

/** Working without asking is asked for anew in each run; nobody watches here. */
const resumedMode = (mode: PermissionMode): PermissionMode =>
  mode === 'bypassPermissions' ? 'default' : mode;

async function openLog(
  world: LogWorld,
  project: string,
  options: HeadlessOptions,
): Promise<Result<OpenLog>> {
  if (options.sessionId !== undefined && !isSessionId(options.sessionId)) {
    return err(
      fault(
        'bad_session_id',
        `"${options.sessionId}" is not a session id.`,
        'Use a UUID, e.g. 0b6f2c1e-6c1d-4b52-9a51-4a35a4cf6d10.',
      ),
    );
  }
  const sessionId = options.sessionId ?? world.ids.uuid();
  if (options.resume === undefined) return startLog(world, { sessionId, project, demo: false });
  const stored = await findStored(world, project, options.resume);
  if (!stored.ok) return stored;
  const source = { ...stored.value, sessionId: stored.value.id };
  return options.fork ? forkLog(world, source, sessionId) : resumeLog(world, source);
}

async function findStored(
  world: LogWorld,
  project: string,
  resume: string,
): Promise<Result<StoredSession>> {
  if (resume === 'latest') {
    const [newest] = await listSessions(world.files, world.latheHome, project);
    return newest
      ? ok(newest)
      : err(fault('no_session', `There is no session to continue in ${project}.`));
  }
  const found = isSessionId(resume)
    ? await findSession(world.files, world.latheHome, resume)
    : null;
  if (found === null) {
    return err(
      fault('no_session', `There is no session ${resume}.`, 'List them by opening Lathe here.'),
    );
  }
  return found.project === project
    ? ok(found)
    : err(
        fault(
          'other_project',
          `Session ${resume} belongs to ${found.project}.`,
          'Start Lathe in that folder to resume it.',
        ),
      );
}
