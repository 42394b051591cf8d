import { join } from 'node:path';
import { type DurableEvent, MAIN_AGENT } from '../../../shared/agent-event';
import { modelName } from '../../../shared/model-name';
import type { QueuedPrompt } from '../../../shared/queued-prompt';
import { ok, type Result } from '../../../shared/result';
import { type AgentState, createAgentState } from '../agent-state';
import { worktreeAround } from '../agents/worktree';
import type { Services } from '../services';
import type { BranchPoint } from '../sessions/branch';
import { openClaudeTranscript } from '../sessions/claude-transcript';
import type { StoredSession } from '../sessions/list';
import { forkLog, type OpenLog, resumeLog, startLog } from '../sessions/open-log';
import { claudeFile } from '../sessions/paths';
import { deferredIn, waitingPrompts } from '../sessions/repair';
import { availableModel, smallModelOf } from '../settings/available-models';
import { type Agent, type AgentSpec, createAgent } from './agent';
import { ownServersOf, preloadSkills } from './definition-parts';
import { createDefinitions } from './definitions';
import { createVerifier } from './hook-agent';
import { type MainChoices, mainConfig, mainLimits, roleOf } from './main-role';
import { observeMain } from './observers';
import type { SessionPlugs } from './plugs';
import { createSession, type Session } from './session';
import { createSessionScope, type HostPolicy, type SessionScope } from './session-scope';
import { keepStatusLine, rateLimits } from './status-line';
import { createAgentSpawner } from './sub-agents';

/** The session to open: a new one, one that is on disk, or a copy of one. */
export type SessionTarget =
  | {
      readonly kind: 'new';
      readonly project: string;
      readonly sessionId?: string | undefined;
      readonly demo?: boolean;
    }
  | { readonly kind: 'resume'; readonly stored: StoredSession }
  | {
      readonly kind: 'fork';
      readonly stored: StoredSession;
      readonly sessionId?: string | undefined;
      /** The place up to which it is copied. Default: its end. */
      readonly until?: BranchPoint;
    };

/** The options of opening a session. */
export interface OpenSessionOptions extends MainChoices {
  readonly target: SessionTarget;
  readonly host: HostPolicy;
  readonly loop?: AgentSpec['loop'];
  /** The folder that the main agent works in: a worktree of the project. Default: the project. */
  readonly folder?: string | undefined;
  readonly plugs?: SessionPlugs;
}

/** Returns services that resolve only models which the settings of the session let be chosen. */
const withChoosable = (
  services: Services,
  { settings }: Pick<HostPolicy, 'settings'>,
): Services => ({
  ...services,
  resolveModel: (input) => availableModel(input, settings(), services.resolveModel),
  smallModel: () => smallModelOf(services.smallModel(), settings(), services.resolveModel),
});

/** Opens a session with its main agent, in every host. A session that cannot be opened is left as it was. */
export async function openSession(
  given: Services,
  options: OpenSessionOptions,
): Promise<Result<Session>> {
  const { target, host } = options;
  const services = withChoosable(given, host);
  const opened = await openLog(services, target, host);
  if (!opened.ok) return opened;
  const started = opened.value;
  const project = target.kind === 'new' ? target.project : target.stored.project;
  const { configRoot = project } = host.settings();
  const definitions = createDefinitions(given, {
    project: configRoot,
    trusted: () => host.settings().rootTrusted ?? host.settings().trusted,
    plugins: () => host.settings().plugins ?? [],
    pluginsOnly: () => host.settings().pluginsOnly ?? [],
    skillOverrides: () => host.settings().skillOverrides ?? {},
    settingPlaces: () => host.settings().places ?? {},
    simple: isSimple(host),
    given: host.givenAgents,
    wanted: host.wishes?.skills,
  });
  const looked = definitions.refresh();
  const role = await roleOf(services, project, host, definitions);
  const fail = async (why: Result<never>) => {
    await started.log.close();
    await started.release();
    await looked;
    return why;
  };
  if (!role.ok) return fail(role);
  const { definition, notes } = role.value;
  const config = mainConfig(
    started.log.transcript(),
    options,
    host.settings(),
    services,
    role.value,
  );
  if (!config.ok) return fail(config);
  const state = createAgentState({
    id: MAIN_AGENT,
    log: started.log,
    history: started.history,
    config: config.value,
    modelInMode: services.modelInMode,
    cwd: options.folder ?? project,
    worktree: worktreeAround(project, options.folder ?? project)?.path ?? null,
    answeredAt: started.lastAt,
    ownFolders: notes?.ownFolder ? [notes.ownFolder] : [],
  });
  const open = await withTranscript(services, started, state, project, host);
  const limits = mainLimits(host.settings(), definition);
  if (state.transcript().limits === null && limits !== null) {
    state.record({ type: 'limits_changed', limits });
  }
  const scope = createSessionScope(
    services,
    open,
    state,
    host,
    project,
    definitions,
    options.plugs ?? {},
    (await services.telemetry?.open()) ?? null,
  );
  const waiting = waitingFor(open, state, host);
  const said = open.events.some((event) => event.type === 'user_message');
  const servers = definition === null ? undefined : ownServersOf(scope, definition);
  const main = createAgent(scope, state, {
    limits: scope.limits,
    prompts: role.value.prompts,
    usedShell: open.events.some(usesShell),
    deferred: deferredIn(open.events),
    waiting,
    start: open.origin === 'forked' ? 'fork' : said ? 'resume' : 'startup',
    agentType: null,
    isOffered: role.value.isOffered,
    spawner: createAgentSpawner(scope, state),
    definition: definition ?? role.value,
    servers,
    ...(options.loop ? { loop: options.loop } : {}),
    ...(options.folder === undefined ? {} : { folder: options.folder }),
  });
  scope.hooks.verify = createVerifier(scope);
  if (definition !== null) observeMain(scope, state, definition);
  // Who opens a session without a window hears it only from then on.
  const problems = [...open.problems];
  const tell = (code: string) => (text: string) => {
    state.record({ type: 'notice', level: 'warning', code, text });
    problems.push({ file: '', message: text, level: 'warning' });
  };
  if (role.value.problem !== null) tell('prompt_problem')(role.value.problem);
  if (!said && definition?.skills !== undefined)
    await preloadSkills(scope, definition.skills, main, tell('definition_problem'));
  await scope.tasks.resume(open.taskEvents);
  scope.mcp.sync();
  const endLine = statusLineOf(scope, main, open);
  const release = async () => {
    await endLine();
    await open.release();
  };
  const initialPrompt = said ? undefined : definition?.initialPrompt;
  return ok(createSession(scope, main, { ...open, release, problems }, initialPrompt));
}

/**
 * Returns the prompts of the user that waited when Lathe ended, and says that they wait again. They wait on where no
 * user is; a copy begins without them.
 */
function waitingFor(
  { events, origin }: OpenLog,
  { record }: AgentState,
  host: HostPolicy,
): readonly QueuedPrompt[] {
  const waiting = waitingPrompts(events);
  if (waiting.length === 0) return [];
  if (origin === 'forked') record({ type: 'queue_changed', order: [] });
  if (origin === 'forked' || host.unattended || host.program !== undefined) return [];
  const many = waiting.length === 1 ? 'A message' : `${waiting.length} messages`;
  record({
    ...{ type: 'notice', level: 'info', code: 'prompts_kept' },
    text: `${many} waited when Lathe ended, and ${waiting.length === 1 ? 'waits' : 'wait'} again.`,
    fix: 'Send or take back what you want; the rest goes in after the next thing you send.',
  });
  return waiting;
}

/**
 * Begins to write a session along for other programs: where they look for it when that is wished for, else for its hooks, and
 * not at all when it has none.
 */
async function withTranscript(
  services: Services,
  open: OpenLog,
  { history }: AgentState,
  project: string,
  { settings, program }: HostPolicy,
): Promise<OpenLog> {
  const { log, paths } = open;
  const { claudeTranscripts, configDir, version } = services;
  const mirror = program?.mirror;
  const isFound = claudeTranscripts || mirror !== undefined;
  if (!isFound && settings().hooks.length === 0) return open;
  const along = await openClaudeTranscript(services, {
    mirror,
    file: isFound
      ? claudeFile(configDir, project, log.sessionId)
      : join(paths.folder, 'transcript.jsonl'),
    ...{ project, version, history, log },
  });
  if (along === null) return open;
  const release = async () => {
    await along.close();
    await open.release();
  };
  return { ...open, paths: { ...paths, transcript: along.file }, release };
}

/** Keeps the user's own line of the status bar, where a window shows one; returns what ends it. */
function statusLineOf(
  { services, host, log, settings, project, paths }: SessionScope,
  { state }: Agent,
  open: OpenLog,
): () => Promise<void> {
  if (host.createBroker === null || host.program !== undefined) return async () => {};
  return keepStatusLine({
    ...services,
    ...{ log, record: state.record },
    command: () => (settings().hooksDisabled === true ? undefined : settings().statusLine),
    cwd: state.cwd.get,
    env: () => services.shellEnv(settings().env),
    facts: () => {
      const { model, mode } = state.config();
      const { context, costs, planLimits } = log.transcript();
      const { usedTokens = 0, windowTokens = 0 } = context ?? {};
      const used = windowTokens === 0 ? 0 : Math.round((usedTokens / windowTokens) * 100);
      return {
        hook_event_name: 'Status',
        session_id: log.sessionId,
        transcript_path: open.paths.transcript ?? paths.file,
        cwd: state.cwd.get(),
        permission_mode: mode,
        model: { id: model, display_name: modelName(model) },
        workspace: { current_dir: state.cwd.get(), project_dir: project },
        version: services.version,
        output_style: { name: settings().outputStyle ?? 'default' },
        cost: { total_cost_usd: costs.total.costUsd },
        context_window: {
          context_window_size: windowTokens,
          used_percentage: used,
          remaining_percentage: 100 - used,
        },
        ...(planLimits === undefined ? {} : { rate_limits: rateLimits(planLimits) }),
      };
    },
  });
}

/** Returns whether an event shows that shell commands ran. Logs of older versions do not tell of starts. */
const usesShell = (event: DurableEvent): boolean =>
  event.type === 'task_started' || (event.type === 'call_settled' && event.view?.kind === 'shell');

/** Tells whether a session goes without memory, agents and skills. */
const isSimple = ({ prompts, settings }: HostPolicy): boolean =>
  prompts.simple === true || settings().simple === true;

function openLog(
  services: Services,
  target: SessionTarget,
  { program }: HostPolicy,
): Promise<Result<OpenLog>> {
  switch (target.kind) {
    case 'new': {
      const sessionId = target.sessionId ?? services.ids.uuid();
      return startLog(services, { sessionId, project: target.project, demo: target.demo ?? false });
    }
    case 'resume':
      return resumeLog(services, {
        ...target.stored,
        sessionId: target.stored.id,
        fromSibling: program !== undefined,
      });
    case 'fork': {
      const source = { ...target.stored, sessionId: target.stored.id };
      return forkLog(services, source, target.sessionId ?? services.ids.uuid(), target.until);
    }
  }
}
