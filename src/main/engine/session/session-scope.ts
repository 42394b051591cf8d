import type { QueryLimits } from '../../../shared/agent-event';
import type { ToolUseBlock } from '../../../shared/message';
import type { PermissionMode, RuleSuggestion } from '../../../shared/permission';
import { ok, type Result } from '../../../shared/result';
import type { AgentState } from '../agent-state';
import type { ReadAgents } from '../agents/read-agents';
import {
  createSessionCheckpoints,
  type SessionCheckpoints,
} from '../checkpoints/session-checkpoints';
import type { EventLog } from '../event-log';
import type { OtherHook } from '../hooks/runner';
import type { SetupTrigger } from '../hooks/session-hooks';
import { createSharedHooks, type SharedHooks } from '../hooks/shared-hooks';
import { createElicit, type Elicit, withHooks } from '../mcp/elicitation';
import { createMcpServers, type McpServers } from '../mcp/mcp-servers';
import type { ConnectInside } from '../mcp/transports';
import { newestBoundary } from '../messages/normalize';
import { type CallIds, callIdsBehind } from '../messages/unique-ids';
import type { AskStandIn, ModelClient } from '../model/model-client';
import type { Broker } from '../permissions/broker';
import type { PermissionRequest } from '../permissions/request';
import { deniedPaths } from '../permissions/rule-match';
import { readRules } from '../permissions/rules';
import type { QueryEngine } from '../query-engine';
import type { Spending } from '../query-engine/options';
import type { Services } from '../services';
import type { Mirror } from '../sessions/claude-transcript';
import { entriesIn } from '../sessions/entries';
import type { OpenLog } from '../sessions/open-log';
import type { SessionPaths } from '../sessions/paths';
import { type EffectiveSettings, startFolder } from '../settings/effective';
import type { McpServerSetting } from '../settings/mcp-servers';
import { TASK_RUNNERS } from '../tasks/runners';
import { createTaskManager, type TaskManager } from '../tasks/task-manager';
import { createSessionSpans, type SessionSpans } from '../telemetry/session-spans';
import type { Tracing } from '../telemetry/tracing';
import { createConversationSource } from '../tools/builtin/search-conversation/search-conversation';
import type { ToolSource } from '../tools/catalogue';
import { decisionContext, workingDirectories } from './decision-context';
import type { Definitions } from './definitions';
import { createMoneyGuard, keepCosts } from './money-guard';
import {
  type ChangeSettings,
  createSessionOverlay,
  type SessionOverlay,
  type SkillGrants,
} from './overlay';
import { plugged, type SessionPlugs } from './plugs';
import type { RequestBuilder } from './request-builder';
import { createNetworkQuestions, createSessionSandbox, type OpenSandbox } from './sandbox';
import { createSessionLanguages, type SessionLanguages } from './session-languages';
import { skillSource, worktreeSource } from './tool-sources';
import { worktreeChoice } from './worktree-choice';

/** The choices of a host about its sessions. Everything else is the same in every host. */
export interface HostPolicy {
  /** The settings that hold now. */
  readonly settings: () => EffectiveSettings;
  /** Reads the settings files again where one changed since they were read. Absent: not before the next prompt. */
  readonly freshenSettings?: () => Promise<void>;
  /** Reads the settings files again: one may have changed while a question stood. */
  readonly refreshSettings: () => Promise<void>;
  /** Changes a settings file for good, where the folder is trusted. */
  readonly changeSettings: ChangeSettings;
  /** Writes an allow rule that a user chose into the settings file they chose. */
  readonly saveRule: (suggestion: RuleSuggestion) => Promise<Result<null>>;
  /** Creates who puts questions before a user; null where nobody can be asked. */
  readonly createBroker: ((emit: EventLog['append']) => Broker) | null;
  /** Reaches the model. */
  readonly model: ModelClient;
  /** Tool servers start then, or when they are asked for. Absent: at once. */
  readonly serversAfter?: Promise<void>;
  /** Limits that hold while this host has the session open, instead of the session's own; null: its own. */
  readonly limits: QueryLimits;
  /** Nobody sits in front of it: the model must not wait for answers. */
  readonly unattended: boolean;
  readonly prompts: HostPrompts;
  /** Tells whether the small model is to title new sessions. Absent: never. */
  readonly titles?: () => boolean;
  /** Kinds of agents of the command line, or of the program that drives the session. */
  readonly givenAgents?: ReadAgents | undefined;
  /** The built-in tools that are left; absent: all. */
  readonly tools?: readonly string[] | undefined;
  /** Returns what the main agent has yet to do before it may end, for the model; null: nothing. */
  readonly unfinished?: (() => string | null) | undefined;
  /** The program that drives Lathe, where one does. */
  readonly program?: ProgramParts | undefined;
  readonly wishes?: SessionWishes | undefined;
  /** The first query begins with Setup hooks. Absent: it does not. */
  readonly setup?: SetupTrigger | undefined;
  /** Returns the mode in which the calls of a tool are judged where that is another than the session's. */
  readonly modeOf?: ((tool: string, mode: PermissionMode) => PermissionMode) | undefined;
}

/** Wishes of whoever starts a session that no setting can name. */
export interface SessionWishes {
  /** The skills that the model may use. Absent: all. */
  readonly skills?: readonly string[];
  /** The way to plan in plan mode, in the place of the usual one. */
  readonly planInstructions?: string;
  /** The tools that answer to the names of others. */
  readonly toolAliases?: Readonly<Record<string, string>>;
  /** Tokens that the API counts down for the model. */
  readonly taskBudget?: number;
  /** Nobody reads answers as hooks have them shown. */
  readonly saidAlone?: boolean;
}

/** The parts of a session that run inside the program which drives Lathe. */
export interface ProgramParts {
  /** Runs one of its hooks. */
  readonly runHook: OtherHook;
  /** Connects to a tool server of that name in it. */
  readonly connectServer?: ConnectInside;
  /** Takes the lines of the conversation in the shape of the ecosystem, as they are written. */
  readonly mirror?: Mirror;
  /** Answers what tool servers ask the user. Absent: the broker is asked. */
  readonly elicit?: Elicit;
  /** Asks the user whether another model may stand in for one that declined. Absent: it may. */
  readonly askStandIn?: AskStandIn;
}

/** The wishes of a host for the prompt of the main agent; they go before those of settings. */
export interface HostPrompts {
  /** A text in the place of the whole system prompt, its dynamic part too. */
  readonly override?: string | undefined;
  /** The main agent only gives work to sub-agents. */
  readonly coordinator?: boolean | undefined;
  /** The name of the definition that the main agent follows: prompt, tools, model. */
  readonly agent?: string | undefined;
  /** A text in the place of the static part. */
  readonly system?: string | undefined;
  readonly append?: string | undefined;
  /** A prompt of a few lines, and no memory files. */
  readonly simple?: boolean | undefined;
  /** Moves the sections on this machine and folder in front of the conversation. */
  readonly localApart?: boolean | undefined;
}

/** The requests of a session to the agents that work in it. */
export interface LiveAgent {
  readonly grants: SkillGrants;
  readonly state: AgentState;
  /** The parts that a sub-agent which inherits its conversation shares with it. */
  readonly shared: SharedWithForks;
  readonly engine: Pick<QueryEngine, 'background' | 'cancelCall' | 'retryNow'>;
  /** Returns the input of a call as people and programs see it (docs/spec.md B8). */
  observableInput(block: Pick<ToolUseBlock, 'name' | 'input'>): Readonly<Record<string, unknown>>;
}

/** The parts that an agent shares with those that inherit its conversation, so that both send the same beginning. */
export interface SharedWithForks {
  readonly requests: Pick<RequestBuilder, 'build' | 'sharedWith'>;
  readonly isOffered: (tool: string) => boolean;
  /** The deferred tools that it found. */
  readonly foundTools: () => readonly string[];
}

/** The parts that the agents of one session share. */
export interface SessionScope {
  readonly services: Services;
  readonly host: HostPolicy;
  readonly plugs: SessionPlugs;
  readonly project: string;
  readonly log: EventLog;
  readonly paths: SessionPaths;
  /** The settings that hold now, with what was changed for this session. */
  readonly settings: () => EffectiveSettings;
  readonly overlay: SessionOverlay;
  /** Folders whose memory files the model is given without having read there. Absolute. */
  readonly memoryRoots: Set<string>;
  readonly hooks: SharedHooks;
  readonly broker: Broker | null;
  readonly tasks: TaskManager;
  /** The sources of its agents' tools. */
  readonly toolSources: readonly ToolSource[];
  readonly mcp: McpServers;
  readonly languages: SessionLanguages;
  /** Creates the servers that one agent has to itself; nothing runs before their first `sync`. */
  readonly ownServers: (wanted: readonly McpServerSetting[]) => McpServers;
  /** The kinds of agents that files define. */
  readonly definitions: Definitions;
  /** The money that counts against the limit, whichever agent spends it. */
  readonly spending: Spending;
  /** The limits that hold for a query of the main agent that begins now. */
  readonly limits: () => QueryLimits;
  /** The ids of its agents' calls: no two agents have a call of one id. */
  readonly callIds: CallIds;
  /** The agents that work now by their id, the main agent included. */
  readonly agents: Map<string, LiveAgent>;
  /** The beginnings of observers whose agent has ended: none of them is a task yet. */
  readonly observersToCome: Set<Promise<void>>;
  /** Null where nobody wants spans. */
  readonly spans: SessionSpans | null;
  readonly sandbox: OpenSandbox;
  readonly checkpoints: SessionCheckpoints;
  /** Makes a rule that a user chose count, for the session or for good. */
  readonly remember: (
    suggestion: RuleSuggestion,
    decided?: readonly PermissionRequest[],
  ) => Promise<Result<null>>;
  /** Tells the user that a rule could not be saved. */
  readonly onProblem: (text: string) => void;
}

/** Builds what the agents of a session share, over its open log and the state of its main agent. */
export function createSessionScope(
  services: Services,
  open: OpenLog,
  main: AgentState,
  host: HostPolicy,
  project: string,
  definitions: Definitions,
  plugs: SessionPlugs,
  tracing: Tracing | null,
): SessionScope {
  const { log, paths } = open;
  const { record } = main;
  const overlay = createSessionOverlay((mode) => main.configure({ mode }));
  const settings = () => overlay.over(host.settings());
  const broker = host.createBroker?.(log.append) ?? null;
  const remember: SessionScope['remember'] = async (suggestion, decided = []) => {
    if (suggestion.destination !== 'session') {
      for (const one of decided)
        if (one.kind === 'tool' && one.content !== undefined)
          await services.approvals.keep(project, one.tool, one.content);
      return host.saveRule(suggestion);
    }
    overlay.addRule({ behavior: 'allow', text: suggestion.rule });
    return ok(null);
  };
  const onProblem = (text: string) =>
    void record({ type: 'notice', level: 'error', code: 'rule_not_saved', text });
  const spans = tracing && createSessionSpans(tracing, services.clock, log.sessionId);
  if (spans !== null) log.listen(spans.see);
  const hooks = createSharedHooks();
  const hooksNow = () => hooks.main;
  const serverDeps = {
    ...services,
    ...(spans === null ? {} : { connecting: spans.connect }),
    ...{
      project,
      configRoot: settings().configRoot,
      startFolder: startFolder(settings(), project),
    },
    folders: () => settings().additionalDirectories,
    env: () => services.shellEnv(settings().env),
    policy: () => settings().serverPolicy,
    tell: (text: string) =>
      void record({ type: 'notice', level: 'warning', code: 'tool_server', text }),
    elicit: withHooks(host.program?.elicit ?? createElicit(broker, services.ids), hooksNow),
    elicited: (server: string, elicitationId: string) =>
      void record({ type: 'elicitation_completed', server, elicitationId }),
    ...(host.program?.connectServer ? { connectInside: host.program.connectServer } : {}),
    ...(host.serversAfter ? { startsAfter: host.serversAfter } : {}),
  };
  const mcp = createMcpServers({
    ...serverDeps,
    wanted: () => settings().mcpServers ?? [],
    held: () => settings().heldServers ?? [],
  });
  const base = { services, host, plugs, project, log, paths, settings, overlay, broker, remember };
  const place = { services, project, settings, paths };
  const limits = (): QueryLimits => {
    const own = main.transcript().limits;
    return {
      maxTurns: host.limits.maxTurns ?? own?.maxTurns ?? null,
      maxBudgetUsd: host.limits.maxBudgetUsd ?? own?.maxBudgetUsd ?? null,
      overDay: own?.overDay ?? false,
    };
  };
  const { ledger } = services;
  const agentType = (id: string) =>
    log.transcript().agents.find((agent) => agent.id === id)?.type ?? 'agent';
  log.listen(keepCosts(ledger, { id: log.sessionId, project }, agentType));
  const context = () => decisionContext(place, main);
  const languages = createSessionLanguages(
    services,
    project,
    settings,
    record,
    host.prompts.simple === true,
  );
  return {
    ...base,
    memoryRoots: new Set(),
    hooks,
    spans,
    onProblem,
    mcp,
    languages,
    ownServers: (wanted) =>
      createMcpServers({ ...serverDeps, wanted: () => wanted, held: () => [] }),
    definitions,
    toolSources: plugged(
      [
        ...services.toolSources,
        skillSource(definitions, log.sessionId, settings, settings().configRoot ?? project),
        worktreeSource(main, project, hooksNow, () =>
          worktreeChoice(services, project, settings()),
        ),
        createConversationSource(
          () => newestBoundary(main.history()) !== null,
          async function* () {
            await log.flush();
            yield* entriesIn(services.files, paths.file);
          },
        ),
        languages.source,
        mcp.source,
      ],
      plugs.toolSources,
    ),
    spending: createMoneyGuard({
      ledger,
      limits,
      totalUsd: () => log.transcript().costs.total.costUsd,
      dayLimit: () => settings().maxDailyBudgetUsd,
    }),
    limits,
    callIds: callIdsBehind(open.history),
    agents: new Map(),
    observersToCome: new Set(),
    tasks: createTaskManager({
      ...services,
      sessionId: log.sessionId,
      sessionFolder: paths.folder,
      runners: plugged(TASK_RUNNERS, plugs.taskRunners),
      emit: log.append,
    }),
    checkpoints: createSessionCheckpoints({
      project: services.checkpoints?.of(project) ?? null,
      sessionId: log.sessionId,
      ids: services.ids,
      events: open.events,
      listen: log.listen,
      record,
      // Nobody can go back in a run without a user, unless a program asks for it.
      enabled: () => settings().fileCheckpointingEnabled ?? !host.unattended,
      keep: () => ({
        days: settings().checkpointDays ?? 30,
        bytes: (settings().checkpointMegabytes ?? 4096) * 1024 * 1024,
      }),
      onRestored: () => main.reads.clear(),
    }),
    sandbox: createSessionSandbox({
      sandbox: services.sandbox,
      files: services.files,
      project,
      settings: () => settings().sandbox,
      workingDirectories: () => workingDirectories(place, main),
      denied: (rules) => deniedPaths(readRules(rules), context()),
      questions: createNetworkQuestions({
        decide: (request, rules = settings().rules) =>
          services.decide(request, rules, main.config().mode, context()),
        broker,
        ids: services.ids,
        remember,
        onProblem,
      }),
      record,
    }),
  };
}
