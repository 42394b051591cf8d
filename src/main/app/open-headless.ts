import { MAIN_AGENT } from '../../shared/agent-event';
import { passOn } from '../../shared/channel';
import { spendsSince } from '../../shared/facts';
import type { PermissionMode } from '../../shared/permission';
import { err, fault, ok, type Result } from '../../shared/result';
import { problemLine } from '../../shared/settings-problem';
import { allItems } from '../../shared/transcript';
import { readGivenAgents } from '../engine/agents/read-agents';
import { removeUnchanged } from '../engine/agents/worktree';
import type { ModelClient } from '../engine/model/model-client';
import { presentName } from '../engine/permissions/rules';
import type { Services } from '../engine/services';
import { openSession } from '../engine/session/open-session';
import type { EditSettings } from '../engine/session/overlay';
import { trashUnused } from '../engine/sessions/unused';
import { choosableModels } from '../engine/settings/available-models';
import type { EffectiveSettings } from '../engine/settings/effective';
import { createStructuredOutput, type StructuredOutput } from '../engine/tools/structured-output';
import { createBetweenQueries } from './between-queries';
import { createHeadlessActs, createServerModes } from './headless-acts';
import { withFirstRequest, withThinkingDisplay } from './headless-model';
import type { DrivingProgram, HeadlessOptions, HeadlessSession } from './headless-session';
import { createRunSettings } from './headless-settings';
import {
  missingSandbox,
  namedModels,
  readPrompts,
  sideloaded,
  targetOf,
  toolProblems,
  unusableSettings,
  withConfigRoot,
  withFallback,
  worktreeOf,
} from './headless-start';
import { resolveFolder } from './project-registry';

interface OpenHeadlessDeps {
  readonly services: Services;
  readonly loadSettings: (
    project: string,
    options: HeadlessOptions,
  ) => Promise<{ readonly settings: EffectiveSettings; readonly trusted: boolean }>;
  /** Changes a settings file and gives its path. */
  readonly editSettings: EditSettings;
  /** A client, and where its key came from. */
  readonly connect: (
    settings: EffectiveSettings,
  ) => Promise<Result<{ readonly client: ModelClient; readonly apiKeySource: string }>>;
  /** Ends what the process started. */
  readonly close: () => Promise<void>;
}

/**
 * Opens a session for a run without a window. Whatever would ask is put to the program that drives the run; where none
 * takes questions it is denied and recorded.
 */
export async function openHeadlessSession(
  deps: OpenHeadlessDeps,
  asked: HeadlessOptions,
  program?: DrivingProgram,
): Promise<Result<HeadlessSession>> {
  const { services } = deps;
  const rooted = await withConfigRoot(services.files, asked);
  if (!rooted.ok) return rooted;
  const options = rooted.value;
  const folder = await resolveFolder(services.files, options.folder);
  if (!folder.ok) return folder;
  const project = folder.value;
  const { settings, trusted } = await deps.loadSettings(project, options);
  const { configRoot: root = project } = options;
  const { rootTrusted = trusted } = settings;
  const runSettings = createRunSettings(settings, {
    ...{ files: services.files, options, program, root, trusted: rootTrusted },
    load: async (asked) => (await deps.loadSettings(project, asked)).settings,
    edit: deps.editSettings,
  });
  const unusable = unusableSettings(settings, options);
  const wrong =
    unusable ?? sideloaded(settings, options) ?? (await missingSandbox(services, settings));
  if (wrong !== null) return err(wrong);
  const models = namedModels(services, settings, options);
  if (!models.ok) return models;
  const { agent, coordinator, overrideSystemPrompt: override, localApart } = options;
  const given =
    options.agents === undefined
      ? null
      : readGivenAgents(options.agents, (name) => services.resolveModel(name).ok);
  const bad = given?.problems.find(({ level }) => level === 'error');
  if (bad) return err(fault('bad_agents', bad.message));
  const prompts = await readPrompts(services.files, options);
  if (!prompts.ok) return prompts;
  const connection = await deps.connect(withFallback(settings, options));
  if (!connection.ok) return connection;
  const structured = structuredOutput(options.jsonSchema);
  if (!structured.ok) return structured;
  const output = structured.value;
  const chosen = await targetOf(services, project, options);
  if (!chosen.ok) return chosen;
  const { target } = chosen.value;
  const createBroker = program?.createBroker ?? null;
  const worktree = await worktreeOf(services, project, { ...settings, trusted }, options.worktree);
  if (!worktree.ok) return worktree;

  const serverModes = createServerModes();
  const display = withThinkingDisplay(connection.value.client, options.thinkingDisplay);
  const first = withFirstRequest(display.model, services.clock);
  const opened = await openSession(services, {
    target,
    chosen: {
      model: models.value.model,
      effort: options.effort,
      thinking: options.thinking,
      // The settings know the mode the command line asks for, and whether it is allowed.
      mode: options.mode === undefined ? undefined : settings.defaultMode,
    },
    defaultModel: services.defaultModel(settings),
    resumedMode,
    folder: worktree.value?.start,
    host: {
      ...runSettings.host,
      createBroker,
      model: first.model,
      // Servers that start take the time of the first request, and are there for the second one.
      ...(createBroker === null && program === undefined ? { serversAfter: first.sent } : {}),
      limits: { maxTurns: options.maxTurns ?? null, maxBudgetUsd: options.maxBudgetUsd ?? null },
      givenAgents: given ?? undefined,
      unattended: createBroker === null,
      tools: options.tools && [...options.tools.map(presentName), ...ALWAYS_LEFT],
      unfinished: output?.unfinished,
      program,
      wishes: options.wishes,
      setup: options.setup,
      modeOf: serverModes.of,
      prompts: { ...prompts.value, override, coordinator, agent, simple: options.bare, localApart },
      saveRule: async () => ok(null),
    },
    ...(output === null
      ? {}
      : { plugs: { toolSources: (standard) => [...standard, output.source] } }),
  });
  if (!opened.ok) return opened;
  const session = opened.value;
  const { cleanupPeriodDays: days } = settings;
  const endCleaning = days === undefined ? null : trashUnused(services, project, days, first.sent);
  const { engine, state } = session.main;
  runSettings.onProblem((problem) => {
    const { level } = problem;
    state.record({ type: 'notice', level, code: 'settings_problem', text: problemLine(problem) });
  });
  if (options.resumeAt !== undefined) {
    const cut = session.rewindTo(options.resumeAt, options.dropsTurn);
    if (!cut.ok) {
      await session.close({ keepTasks: false });
      return cut;
    }
  }
  if (options.title !== undefined) state.record({ type: 'title_changed', title: options.title });
  const before = session.log.transcript().costs;
  const between = createBetweenQueries(session.log.listen);
  /** Resolves when the query that was begun last has ended. */
  let running: Promise<void> = Promise.resolve();
  const took = { apiMs: 0, durationMs: 0 };
  // The list of commands, and the tools that go with skills, are told before the first prompt.
  await session.settled();
  const kindsNow = async () =>
    session.main.toolNames().includes('Agent') ? await session.agentKinds() : [];
  let kinds = await kindsNow();
  return ok({
    ...createHeadlessActs({
      ...{ services, session, root, trusted: rootTrusted, serverModes },
      settings: runSettings.current,
      change: runSettings.change,
      reload: async (plugins) => {
        await runSettings.reload(plugins);
        session.syncToolServers();
        await session.refresh();
        kinds = await kindsNow();
      },
      editSettings: (place, edit) => deps.editSettings(root, place, edit),
    }),
    sessionId: session.log.sessionId,
    cwd: worktree.value?.start ?? project,
    tools: session.main.toolNames,
    model: () => state.config().model,
    mode: () => state.config().mode,
    get outputStyle() {
      return runSettings.current().outputStyle ?? 'default';
    },
    apiKeySource: connection.value.apiKeySource,
    problems: [
      ...settings.problems,
      ...chosen.value.problems,
      ...(worktree.value?.problems ?? []),
      ...toolProblems(options.tools ?? [], session.main.toolNames()),
      ...session.problems,
    ],
    spent: () => spendsSince(before.byModel, session.log.transcript().costs.byModel),
    deferred: () => engine.deferred !== null,
    commands: () => session.commands,
    models: choosableModels(runSettings.current()),
    watchInputs: session.watchInputs,
    agents: () => kinds,
    toolServers: session.toolServers,
    languageServers: session.languages.views,
    onToolServers: session.onToolServers,
    begin: session.begin,
    summariseCalls: session.summariseCalls,
    isRunning: () => engine.isRunning,
    suggestPrompt: async (signal) =>
      runSettings.current().promptSuggestions === false || state.config().mode === 'plan'
        ? null
        : session.asides.nextPrompt(signal),
    onProgress: (listener) =>
      runSettings.current().agentProgress === false
        ? () => {}
        : session.asides.onProgress(listener),
    submit: (prompt, promptId, asWritten) =>
      passOn(() => {
        output?.restart();
        const over = Promise.withResolvers<void>();
        running = over.promise;
        return {
          source: between.during(session.submit(prompt, promptId, asWritten)),
          see: ({ event, agentId }) => {
            if (event.type !== 'query_finished' || agentId !== MAIN_AGENT) return;
            took.apiMs += event.apiMs;
            took.durationMs += event.durationMs;
          },
          end: over.resolve,
        };
      }),
    previewFiles: (promptId) => session.checkpoints.preview({ kind: 'prompt', promptId }),
    restoreFiles: async (promptId) => {
      engine.interrupt('stopped');
      await running;
      return session.checkpoints.restore({ kind: 'prompt', promptId }, false);
    },
    structuredOutput: () => (output === null ? undefined : (output.answer() ?? null)),
    interrupt: (why) => {
      engine.interrupt(why);
    },
    configure: async (change) => {
      if (change.mode === 'bypassPermissions' && !mayBypass(options)) return err(NOT_LAUNCHED);
      const { thinkingDisplay, ...others } = change;
      if (thinkingDisplay !== undefined) display.show(thinkingDisplay);
      const done = await session.reconfigure({ ...others, source: 'sdk' });
      return done.ok ? ok({}) : done;
    },
    updatePermissions: session.permissions.update,
    insideReady: session.insideReady,
    nameServers: (servers) => {
      runSettings.nameServers(servers);
      session.syncToolServers();
    },
    onBetween: between.listen,
    hasNews: session.hasNews,
    onNews: session.onNews,
    background: (callId) => {
      const calls = allItems(session.log.transcript()).flatMap((item) =>
        item.kind === 'call' ? item.id : [],
      );
      return (callId === null ? calls : [callId]).map(session.background).includes(true);
    },
    suggestTitle: session.suggestTitle,
    rename: (title) => void state.record({ type: 'title_changed', title }),
    setColor: (color) => void state.record({ type: 'color_changed', color }),
    readResource: session.resources.read,
    took: () => took,
    reconnectServer: session.reconnectServer,
    enableServer: session.enableServer,
    namedServers: runSettings.namedServers,
    lostTo: () => {
      const code = session.log.lostTo();
      return code === 'no_space' || code === 'over_quota' ? code : null;
    },
    close: async () => {
      const [lost] = await Promise.all([session.close({ keepTasks: false }), endCleaning?.()]);
      // What holds work stays; git says so, and nothing is forced.
      if (worktree.value !== null) await removeUnchanged(services, project, worktree.value);
      await deps.close();
      return lost;
    },
  });
}

/** The tools that `--tools` takes away from nobody: what the run itself needs. */
const ALWAYS_LEFT = ['StructuredOutput', 'ToolSearch'];

/** Reads the schema that the answer has to have; null where none is asked for. */
function structuredOutput(text: string | undefined): Result<StructuredOutput | null> {
  if (text === undefined) return ok(null);
  try {
    return createStructuredOutput(JSON.parse(text));
  } catch {
    return err(fault('bad_schema', '--json-schema: this is not JSON.'));
  }
}

/** Returns whether a run may be put into the mode that asks nothing: who started it has to have said so. */
const mayBypass = ({ mode, allowsBypass }: HeadlessOptions): boolean =>
  mode === 'bypassPermissions' || allowsBypass === true;

const NOT_LAUNCHED = fault(
  'bypass_not_launched',
  'bypassPermissions cannot be set: the session was not started with it.',
  'Start it with --allow-dangerously-skip-permissions.',
);

/** Resets a mode that asks nobody: it is asked for anew in each run, since nobody watches here. */
const resumedMode = (mode: PermissionMode): PermissionMode =>
  mode === 'bypassPermissions' ? 'default' : mode;
