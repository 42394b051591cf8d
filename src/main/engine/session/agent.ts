import { MAIN_AGENT, type QueryLimits } from '../../../shared/agent-event';
import type { PermissionRule } from '../../../shared/permission';
import type { QueuedPrompt } from '../../../shared/queued-prompt';
import { DEMO_MODEL } from '../../../shared/settings';
import type { DeferredCall } from '../../../shared/tool-call';
import type { AgentTranscript } from '../../../shared/transcript';
import type { AgentState } from '../agent-state';
import { type AgentDefinition, MAIN_AGENT_TOOLS } from '../agents/definitions';
import { autocompactChoice } from '../context/autocompact';
import { contextLayers } from '../context/pipeline';
import { inputPrices } from '../cost/price';
import type { McpServers } from '../mcp/mcp-servers';
import { askedOutput, contextWindowOf, mostOutput, takesPdf } from '../model/catalog';
import { withStandInQuestion } from '../model/fallback';
import { createAsk } from '../model/side-call';
import type { PermissionRequest } from '../permissions/request';
import { presentName } from '../permissions/rules';
import { notesCount } from '../prompt/auto-memory';
import type { PromptTexts } from '../prompt/build';
import { withCacheWatch } from '../prompt/cache-watch';
import { QueryEngine } from '../query-engine';
import type { ExecutorHooks, QueryEngineOptions } from '../query-engine/options';
import { subAgentFolder } from '../sessions/paths';
import type { Skill } from '../skills/skill';
import { createQuestions } from '../tools/approval';
import { createAutoJudge } from '../tools/auto-judge';
import { createCatalogue, findTool, type ToolSource } from '../tools/catalogue';
import { type AgentSpawner, needsContext, type ToolEnvironment } from '../tools/environment';
import { createCallMiddleware } from '../tools/middleware/all';
import { createPermissionGate, type PermissionGate } from '../tools/middleware/permission-gate';
import { createResultBudget } from '../tools/middleware/result-budget';
import { requestsOf } from '../tools/needs';
import { observableInput, parseToolInput } from '../tools/parse-input';
import { createCallExecutor } from '../tools/streaming-executor';
import { createToolEnvironment } from './agent-environment';
import { type AgentHooks, type AgentHooksOptions, createAgentHooks } from './agent-hooks';
import { checkpointsIn } from './agent-transcripts';
import { createAgentAttachments } from './attachments';
import { decisionContext, notesOf } from './decision-context';
import { createSkillGrants, type SkillGrants } from './overlay';
import { plugged } from './plugs';
import { createRequestBuilder } from './request-builder';
import type { LiveAgent, SessionScope, SharedWithForks } from './session-scope';
import { createSkillsInUse } from './skills-in-use';

/** The parts that differ from one agent of a session to another. */
export interface AgentSpec
  extends Pick<AgentHooksOptions, 'start' | 'agentType' | 'agentName' | 'verifies'> {
  /** The limits that hold for a query that begins now. Money is counted for the whole session. */
  readonly limits: () => QueryLimits;
  readonly prompts: PromptTexts;
  /** The agent was resumed and ran shell commands before. */
  readonly usedShell: boolean;
  /** A call that a hook deferred when the agent was open last. */
  readonly deferred: DeferredCall | null;
  /** The prompts that waited then. Default: none. */
  readonly waiting?: readonly QueuedPrompt[];
  /** Returns whether it may be offered a tool. */
  readonly isOffered: (tool: string) => boolean;
  /** Starts its sub-agents; null when it may start none. */
  readonly spawner: AgentSpawner | null;
  /** The folder it works in, when that is not the project. Absolute. */
  readonly folder?: string;
  /** Adds its hooks and rules to those of settings. Null: it works as no definition. */
  readonly definition: Pick<AgentDefinition, 'hooks' | 'rules'> | null;
  /** Tools that it has to itself. */
  readonly ownTools?: ToolSource | undefined;
  /** The tool servers that it has to itself; they end with it. */
  readonly servers?: McpServers | undefined;
  /** The skill that it carries out: what that allows holds to its end. */
  readonly skill?: Skill | undefined;
  /** Returns what skills grant that agents above it use. */
  readonly grantedAbove?: SkillGrants['all'];
  /** The parts of its parent, when it inherits the conversation of it: it sends the same tools, but may not use all. */
  readonly inherits?: SharedWithForks;
  /** The parts of the loop that are not what settings say. */
  readonly loop?: Partial<Pick<QueryEngineOptions, 'autocompact' | 'stopHooks'>>;
}

/** An agent of a session: the main agent, or a sub-agent. Both are built by the same function. */
export interface Agent {
  readonly state: AgentState;
  readonly engine: QueryEngine;
  readonly environment: ToolEnvironment;
  readonly hooks: AgentHooks;
  /** Returns the rules that decide on its calls now. */
  rules(): readonly PermissionRule[];
  /** The names of the tools that it is offered now. */
  toolNames(): readonly string[];
  /** Returns whether a task or a hook has news that the model was not told yet. */
  hasNews(): boolean;
}

/** Builds an agent over its state. Nothing runs before its first query. */
export function createAgent(scope: SessionScope, state: AgentState, spec: AgentSpec): Agent {
  const grants = createSkillGrants(spec.grantedAbove, spec.definition?.rules);
  if (spec.skill !== undefined) grants.grant(spec.skill);
  // What a skill allows is nothing to the other agents of the session.
  const session: SessionScope = { ...scope, settings: () => grants.over(scope.settings()) };
  const { services, settings, host, log } = session;
  const { config, record } = state;
  const spans = session.spans?.agent(state.id);
  const model = spans?.requests(host.model) ?? host.model;
  const broker = session.broker?.forAgent(state.id) ?? null;
  /** The folder in which its long results are saved. */
  const folder =
    state.id === MAIN_AGENT ? session.paths.folder : subAgentFolder(session.paths.folder, state.id);
  const left = host.tools && new Set(host.tools);
  const own = [spec.ownTools, spec.servers?.source].flatMap((source) => source ?? []);
  const isLeft = (tool: string) =>
    left === undefined ||
    left.has(tool) ||
    tool.startsWith('mcp__') ||
    findTool(own, tool) !== null;
  const inheritedTools = spec.inherits?.foundTools() ?? [];
  const foundTools = () => [...inheritedTools, ...state.transcript().foundTools];
  const catalogue = createCatalogue({
    sources: own.length > 0 ? [...own, ...session.toolSources] : session.toolSources,
    includes: (tool) =>
      (spec.spawner !== null || tool !== 'Agent' || spec.inherits !== undefined) &&
      spec.isOffered(tool) &&
      isLeft(tool),
    rules: () => settings().rules,
    found: foundTools,
    record: (names) => {
      record({ type: 'tools_found', names: [...names] });
    },
  });
  const { toolAliases = {} } = host.wishes ?? {};
  const mayUse = (name: string) => spec.inherits === undefined || !MAIN_AGENT_TOOLS.has(name);
  const toolNames = () => catalogue.names().filter(mayUse);
  const usable = (name: string) => (mayUse(name) ? catalogue.find(name) : null);
  const found = (name: string) => {
    const meant = toolAliases[name] ?? name;
    return usable(meant) ?? usable(presentName(meant));
  };
  const context = () => decisionContext(session, state);
  const ask = createAsk({
    model,
    clock: services.clock,
    sessionModel: () => config().model,
    smallModel: () => (config().model === DEMO_MODEL ? DEMO_MODEL : services.smallModel()),
    record,
  });
  const skills = createSkillsInUse({
    state,
    grants,
    resolveModel: (name) => services.resolveModel(name),
    onProblem: (text) => {
      record({ type: 'notice', level: 'warning', code: 'definition_problem', text });
    },
  });
  const unlisten = log.listen(({ event, agentId }) => {
    if (event.type !== 'query_finished' || agentId !== state.id) return;
    skills.end();
    attachments.endQuery();
  });
  const environment = createToolEnvironment(session, state, {
    skills,
    deferredTools: catalogue,
    ask,
    takesPdf: () => takesPdf(config().model),
    agents: spec.spawner,
  });
  const hooks = createAgentHooks({
    session,
    state,
    environment,
    context,
    findTool: found,
    ownHooks: spec.definition?.hooks ?? [],
    start: spec.start,
    agentType: spec.agentType,
    agentName: spec.agentName,
    verifies: spec.verifies,
  });
  const isSimple = () => spec.prompts.simple === true || settings().simple === true;
  const ownRequests = () =>
    createRequestBuilder(services, {
      project: session.project,
      ...{ configRoot: settings().configRoot, rootTrusted: () => settings().rootTrusted },
      folder: spec.folder ?? session.project,
      tools: catalogue.offered,
      serverInstructions: () => {
        // Only where a server has instructions: this is asked for every request.
        let usable: ReadonlySet<string> | null = null;
        const includes = (tool: string) => {
          usable ??= new Set(
            [...catalogue.offered(), ...catalogue.deferred()].map(({ name }) => name),
          );
          return usable.has(tool);
        };
        return [session.mcp, spec.servers].flatMap((mcp) => mcp?.instructions(includes) ?? []);
      },
      resumedWith: new Set(state.history().map(({ id }) => id)),
      trusted: () => settings().trusted,
      sources: () => settings().sources,
      memoryExcludes: () => settings().memoryExcludes ?? [],
      rules: () => settings().rules,
      autoMemory: () => notesCount({ ...settings(), simple: isSimple() }),
      additionalDirectories: () => settings().additionalDirectories,
      maxTokens: (model) => askedOutput(model, settings().maxOutputTokens),
      unattended: host.unattended,
      ...(host.wishes?.taskBudget === undefined ? {} : { taskBudget: host.wishes.taskBudget }),
      plugins: () => settings().plugins ?? [],
      language: settings().language,
      attribution: settings().attribution,
      outputStyle: settings().outputStyle,
      stylePlace: () => settings().places?.outputStyle,
      scratchFolder: session.paths.scratch,
      onMemory: hooks.memoryLoaded,
      onProblem: (text) => {
        record({ type: 'notice', level: 'warning', code: 'prompt_problem', text });
      },
      prompts: { ...spec.prompts, simple: isSimple() },
    });
  const requests = spec.inherits?.requests.sharedWith(catalogue.offered) ?? ownRequests();
  const { spending } = session;
  const { limits } = spec;
  const attachments = createAgentAttachments({
    environment,
    state,
    catalogue,
    limits,
    spentUsd: spending.usd,
    windowTokens: () => contextWindowOf(config().model),
    decide: (request: PermissionRequest) =>
      services.decide(request, settings().rules, config().mode, context()),
    definitions: session.definitions,
    resources: session.mcp.resources,
    serverPrompts: session.mcp.prompts,
    languages: session.languages,
    ...requests,
    noteFolder: () => notesOf(session),
    style: state.id === MAIN_AGENT && host.program !== undefined ? settings : null,
    takesNotes: () => !host.unattended && host.program === undefined && settings().trusted,
    usedShell: spec.usedShell,
    planInstructions: host.wishes?.planInstructions,
    memoryRoots: session.memoryRoots,
  });
  const judge = createAutoJudge({
    environment,
    ask,
    usersWords: () => usersWords(log.transcript()),
  });

  const createExecutor = ({ emit, signal, byUser, ...around }: ExecutorHooks) => {
    const callHooks = hooks.aroundCalls(around);
    return createCallExecutor({
      environment,
      middleware: plugged(
        createCallMiddleware({
          environment,
          span: spans?.call,
          hooks: byUser ? null : callHooks,
          budget: createResultBudget(services.files, folder),
          checkpoints: checkpointsIn(session, state.id),
          follower: session.languages.follower(state.id),
          gate: byUser
            ? allowedByUser(environment)
            : createPermissionGate({
                environment,
                broker,
                onDenied: around.onDenied,
                hookAnswers: callHooks.answers,
                decide: services.decide,
                ids: services.ids,
                judge,
                remember: session.remember,
                rules: () => settings().rules,
                freshenRules: host.freshenSettings,
                refreshRules: host.refreshSettings,
                mode: (tool) => host.modeOf?.(tool, config().mode) ?? config().mode,
                context,
                onProblem: session.onProblem,
              }),
        }),
        session.plugs.middleware,
      ),
      // What a user runs themselves needs no tool of the agent's.
      findTool: byUser ? (name) => findTool(session.toolSources, name) : found,
      arrival: byUser ? () => null : catalogue.arrival,
      toolNames,
      parseInput: parseToolInput,
      askUser: broker && createQuestions(broker, services.ids),
      emit,
      flush: log.flush,
      signal,
    });
  };

  const { unfinished, program } = state.id === MAIN_AGENT ? host : {};
  const askStopHooks: typeof hooks.loop.stopHooks = async (facts, signal) => {
    const message = unfinished?.() ?? null;
    return message === null ? hooks.loop.stopHooks(facts, signal) : { kind: 'block', message };
  };
  const { stopHooks = askStopHooks, autocompact = () => autocompactChoice(settings()) } =
    spec.loop ?? {};
  const engine = new QueryEngine({
    state,
    listen:
      state.id === MAIN_AGENT
        ? log.listen
        : (listener) => log.listen((stamped) => stamped.agentId === state.id && listener(stamped)),
    spending,
    denials: () => log.transcript().denials,
    limits,
    model: withCacheWatch(withStandInQuestion(model, program?.askStandIn), {
      sections: requests.sections,
      tell: (text) => record({ type: 'notice', level: 'info', code: 'cache_missed', text }),
    }),
    buildRequest: spans?.around('prompt', requests.build) ?? requests.build,
    attachments: spans?.around('attachments', attachments.collect) ?? attachments.collect,
    restore: attachments.restore,
    contextWindow: contextWindowOf,
    inputPrices,
    maxOutput: (model) => mostOutput(model, settings().maxOutputTokens),
    ...hooks.loop,
    stopHooks,
    autocompact,
    layers: plugged(
      contextLayers({
        files: services.files,
        folder,
        autocompact,
        isRepeatable: (tool) => catalogue.find(tool)?.isRepeatable === true,
      }),
      session.plugs.layers,
    ),
    clock: services.clock,
    ids: services.ids,
    callIds: session.callIds,
    deferred: spec.deferred,
    waiting: spec.waiting,
    offers: (tool) => toolNames().includes(found(tool)?.name ?? tool),
    createExecutor,
  });

  const observable: LiveAgent['observableInput'] = ({ name, input }) => {
    const tool = found(name);
    return tool === null ? input : observableInput(tool, input, environment);
  };
  const shared = { requests, isOffered: spec.isOffered, foundTools };
  session.agents.set(state.id, { state, engine, grants, observableInput: observable, shared });
  return {
    state,
    engine,
    environment,
    hooks: {
      ...hooks,
      end: async () => {
        await engine.close();
        unlisten();
        skills.end();
        await hooks.end();
        await spec.servers?.close();
      },
    },
    rules: () => settings().rules,
    toolNames,
    hasNews: () => attachments.hasNews() || hooks.hasNews(),
  };
}

/** Lets through what a user typed themselves. */
const allowedByUser = (environment: ToolEnvironment): PermissionGate => ({
  denial: async () => null,
  check: async ({ tool, input }) => ({
    kind: 'allowed' as const,
    decided: await requestsOf(tool, input, needsContext(environment)),
  }),
});

/** Returns what the user wrote in a session, oldest first. */
const usersWords = ({ committed, active }: AgentTranscript): readonly string[] =>
  [...committed, ...active].flatMap((item) => (item.kind === 'prompt' ? [item.text] : []));
