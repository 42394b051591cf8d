import type { LimitsChange, QueryLimits } from '../../../shared/agent-event';
import type { CommandInfo } from '../../../shared/contract';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { SettingsProblem } from '../../../shared/settings';
import type { AgentTranscript } from '../../../shared/transcript';
import type { AgentConfig, ModelSwitch } from '../agent-state';
import type { SessionCheckpoints } from '../checkpoints/session-checkpoints';
import type { EventLog } from '../event-log';
import type { LongWait } from '../loop/query-deps';
import type { McpServerStatus, McpServers } from '../mcp/mcp-servers';
import type { ServerResources } from '../mcp/resource-tools';
import type { Broker } from '../permissions/broker';
import type { RulesOfNow } from '../permissions/replay';
import type { OpenLog } from '../sessions/open-log';
import { openWait } from '../sessions/open-wait';
import type { ConfigChange } from '../settings/changes';
import type { PermissionUpdate } from '../settings/permission-update';
import type { KeptTasks, TaskManager } from '../tasks/task-manager';
import type { SandboxTerms } from '../tools/needs';
import type { AnyTool } from '../tools/tool';
import { type AddFolder, createFolderAdder } from './added-folders';
import type { Agent } from './agent';
import { createAgentTranscripts } from './agent-transcripts';
import { type Asides, createAsides } from './asides';
import { type CallSummaries, type CallSummary, summariseCalls } from './call-summaries';
import { decisionContext } from './decision-context';
import { createPermissionUpdates, type SessionOverlay } from './overlay';
import { createRewinds, type Rewinds } from './rewinds';
import { createSessionInput, type SessionInput } from './session-input';
import type { SessionLanguages } from './session-languages';
import type { SessionScope } from './session-scope';
import { createSessionTitle } from './session-title';
import { watchInputs } from './watched-inputs';

/** Milliseconds that processes get to come down when their session or the app ends (docs/spec.md G4). */
const ENDING_GRACE_MS = 500;

/** The rules that decide on the calls of a session, and those that hold for it alone. */
interface SessionPermissions extends Pick<SessionOverlay, 'addRule' | 'removeRule'> {
  now(): RulesOfNow;
  /** Carries out changes that a program gives with an answer in the user's place, and says what was done. */
  update(updates: readonly PermissionUpdate[]): Promise<void>;
  /** Returns how commands run in the sandbox now; null: there is none. */
  sandboxTerms(): Promise<SandboxTerms | null>;
}

/** An open session: one conversation in one project, with its main agent. */
export interface Session
  extends Rewinds,
    Pick<SessionInput, 'submit' | 'route' | 'isPrompt' | 'refusal'> {
  readonly project: string;
  readonly log: EventLog;
  readonly main: Agent;
  readonly tasks: TaskManager;
  readonly broker: Broker | null;
  readonly permissions: SessionPermissions;
  readonly checkpoints: SessionCheckpoints;
  readonly addFolder: AddFolder;
  /** Returns the tool servers, and which of them answer. */
  toolServers(): readonly McpServerStatus[];
  /** The views of them for a user, who also signs in there. */
  readonly servers: Pick<McpServers, 'views' | 'details' | 'onView' | 'signIns'>;
  /** The same of language servers. */
  readonly languages: Pick<SessionLanguages, 'views' | 'onView'>;
  /** The resources they have to read. */
  readonly resources: ServerResources;
  /** Calls back when something about them may have changed; gives a function that ends it. */
  onToolServers(listener: () => void): () => void;
  /** Connects to a tool server anew, or a language server; false when there is none of that name. Returns at once. */
  reconnectServer(name: string): boolean;
  /** Ends a tool server for this session, or starts it again; false when there is none of that name. Returns at once. */
  enableServer(name: string, on: boolean): boolean;
  /** Starts the tool servers that settings name by now, and ends those that they no longer name. Returns at once. */
  syncToolServers(): void;
  /** Resolves when the servers inside the program that drives Lathe are connected, or failed. */
  insideReady(): Promise<void>;
  /** Resolves when what people define in files is known: what `route`, `commands` and `agentKinds` go by. */
  settled(): Promise<void>;
  /** Returns the kinds of sub-agents that can be started here, sorted by name. */
  agentKinds(): Promise<readonly { readonly name: string; readonly description: string }[]>;
  /** The commands that a user can give here. */
  readonly commands: readonly CommandInfo[];
  /**
   * Changes model, effort, thinking or mode of the main agent from the next request on, or the limits from the next
   * query on. `model` is what a user calls it.
   */
  configure(change: ConfigureRequest): Result<null>;
  /** Does the same for a user or a program, once hooks let another model answer. */
  reconfigure(change: ConfigureRequest): Promise<Result<null>>;
  /** Takes the limit away that is reached: of the session's money, of the day's, else of turns. */
  liftLimit(): void;
  /** Returns the tool of a tool server; null when there is none of that name now. */
  serverTool(name: string): AnyTool | null;
  /** Asks the small model for a title of what a text is about; null when it names none. */
  suggestTitle(text: string): Promise<string | null>;
  /** Tells hooks that the session begins, where no prompt is to come. */
  begin(): Promise<void>;
  /** Returns the names of the skills and commands that people define. */
  skillNames(): readonly string[];
  /** Returns what is wrong with the agents, skills and commands that people define. */
  definitionProblems(): readonly SettingsProblem[];
  /** Reads again what people define in files. */
  refresh(): Promise<void>;
  /** The conversation of a sub-agent, from its log where the session's transcript no longer holds it. */
  agentTranscript(agentId: string): Promise<Result<AgentTranscript>>;
  /** Stops one call of whichever agent made it; the others go on. False when it has its result already. */
  cancelCall(callId: string): boolean;
  /** Moves a running call of whichever agent made it to the background; false when it is not running. */
  background(callId: string): boolean;
  /** Ends every pause before the next try of a request, of all agents; false when there is none. */
  retryNow(): boolean;
  watchInputs(): ReturnType<typeof watchInputs>;
  readonly asides: Asides;
  /** Tells in a few words what the main agent's calls come to, from now on. */
  summariseCalls(listener: (summary: CallSummary) => void, signal: AbortSignal): CallSummaries;
  /** Resolves when no observer of an agent that has ended is about to begin. */
  observersBegun(): Promise<void>;
  /** Returns whether a task or a hook has news that the model was not told yet. */
  hasNews(): boolean;
  /** Calls back when there is some; gives a function that ends it. */
  onNews(listener: () => void): () => void;
  /** Settings files changed: whether a hook wants the session to go on with those of before. */
  configChanged(changes: readonly ConfigChange[]): Promise<boolean>;
  /** Problems with its file, and with what it begins as, when it was opened. */
  readonly problems: readonly SettingsProblem[];
  /** Tells whether closing it would lose what its log does not have: rules, folders and servers of this session alone. */
  holdsMore(): boolean;
  /** The wait of the work when Lathe ended; null when it did not wait. */
  readonly cutWait: LongWait | null;
  /** Epoch milliseconds of the last thing that happened. */
  updatedAt(): number;
  /**
   * Ends every process of the session unless they are to go on, and closes its log. Returns what of the conversation is
   * lost with that, in words for the user; null when all is saved.
   */
  close(options: { readonly keepTasks: KeptTasks }): Promise<string | null>;
}

/** A change of the main agent's config. Undefined leaves a part as it is. */
export type ConfigureRequest = {
  readonly [Part in keyof AgentConfig]?: AgentConfig[Part] | undefined;
} & {
  readonly limits?: LimitsChange | undefined;
  /** The chooser, as hooks are told. Default: the user, in a window. */
  readonly source?: ModelSwitch['source'] | undefined;
};

const changedLimits = (
  now: QueryLimits | null,
  {
    maxTurns = now?.maxTurns ?? null,
    maxBudgetUsd = now?.maxBudgetUsd ?? null,
    overDay = now?.overDay ?? false,
  }: LimitsChange,
): QueryLimits => ({ maxTurns, maxBudgetUsd, ...(overDay ? { overDay } : {}) });

const forbidden = (mode: NonNullable<ConfigureRequest['mode']>) =>
  fault('forbidden', `Settings do not allow the mode ${mode}.`);

/** Creates the session object over its scope and main agent. */
export function createSession(
  scope: SessionScope,
  main: Agent,
  open: OpenLog,
  initialPrompt?: string,
): Session {
  const { log, tasks, broker, overlay, sandbox, settings, services, mcp } = scope;
  let updatedAt = open.lastAt;
  log.listen((stamped) => {
    updatedAt = stamped.at;
  });
  const configure = (request: ConfigureRequest): Result<null> => {
    const { model, effort, thinking, mode, limits, source = 'picker' } = request;
    if (mode !== undefined && settings().modesOff.includes(mode)) return err(forbidden(mode));
    const resolved = model === undefined ? null : services.resolveModel(model);
    if (resolved?.ok === false) return resolved;
    main.state.configure(
      {
        ...(resolved === null ? {} : { model: resolved.value }),
        ...(effort === undefined ? {} : { effort }),
        ...(thinking === undefined ? {} : { thinking }),
        ...(mode === undefined ? {} : { mode }),
      },
      { source, requested: model === 'default' ? null : (model ?? null) },
    );
    if (limits !== undefined) {
      const changed = changedLimits(main.state.transcript().limits, limits);
      main.state.record({ type: 'limits_changed', limits: changed });
    }
    return ok(null);
  };
  const reconfigure: Session['reconfigure'] = async (request) => {
    const { model, source = 'picker' } = request;
    const refused = model === undefined ? null : await main.hooks.switchRefused(model, source);
    return refused === null ? configure(request) : err(fault('switch_refused', refused));
  };
  const title = createSessionTitle(scope, main);
  const addFolder = createFolderAdder(scope, main.state);
  const input = createSessionInput(scope, main, {
    title,
    addFolder,
    configure: (change) => reconfigure({ ...change, source: 'command' }),
    initialPrompt,
  });
  return {
    project: scope.project,
    log,
    main,
    tasks,
    broker,
    checkpoints: scope.checkpoints,
    permissions: {
      addRule: overlay.addRule,
      removeRule: overlay.removeRule,
      sandboxTerms: sandbox.terms,
      update: createPermissionUpdates({
        from: 'The program that drives Lathe',
        project: scope.project,
        overlay,
        changeSettings: scope.host.changeSettings,
        record: main.state.record,
      }),
      now: () => ({
        rules: main.rules(),
        mode: main.state.config().mode,
        context: decisionContext(scope, main.state),
      }),
    },
    addFolder,
    toolServers: mcp.status,
    servers: mcp,
    languages: scope.languages,
    resources: mcp.resources,
    onToolServers: mcp.source.onChange,
    reconnectServer: (name) => mcp.reconnect(name) || scope.languages.restart(name),
    enableServer: mcp.enable,
    syncToolServers: mcp.sync,
    insideReady: mcp.insideReady,
    problems: open.problems,
    agentKinds: async () => {
      await scope.definitions.settled();
      const { agents } = scope.definitions;
      return agents.list().map(({ name, description }) => ({ name, description }));
    },
    settled: async () => {
      await scope.definitions.settled();
    },
    submit: input.submit,
    route: input.route,
    isPrompt: input.isPrompt,
    refusal: input.refusal,
    get commands() {
      return input.commands();
    },
    configure,
    reconfigure,
    liftLimit: () => {
      const reached = scope.spending.reached();
      if (reached === 'day') configure({ limits: { overDay: true } });
      else configure({ limits: reached === null ? { maxTurns: null } : { maxBudgetUsd: null } });
    },
    ...createRewinds(main.state, services.ids),
    serverTool: (name) => mcp.source.list().find((tool) => tool.name === name) ?? null,
    skillNames: () => scope.definitions.skills.list().map(({ name }) => name),
    definitionProblems: scope.definitions.problems,
    refresh: scope.definitions.refresh,
    agentTranscript: createAgentTranscripts(scope, open),
    cancelCall: (callId) =>
      [...scope.agents.values()].some(({ engine }) => engine.cancelCall(callId)),
    watchInputs: () => watchInputs(scope),
    asides: createAsides(scope),
    summariseCalls: (listener, signal) => summariseCalls(scope, main, listener, signal),
    background: (callId) =>
      [...scope.agents.values()].some(({ engine }) => engine.background(callId)),
    // All of them wait for the same API.
    retryNow: () => [...scope.agents.values()].filter(({ engine }) => engine.retryNow()).length > 0,
    observersBegun: async () => void (await Promise.all(scope.observersToCome)),
    hasNews: main.hasNews,
    onNews: (listener) => {
      const unlisten = [tasks.onNotice(listener), main.hooks.onNews(listener)];
      return () => unlisten.forEach((stop) => void stop());
    },
    begin: main.hooks.begin,
    configChanged: main.hooks.configChanged,
    suggestTitle: title.suggest,
    cutWait: openWait(open.events, services.clock.date()),
    holdsMore: () => overlay.holds() || mcp.status().some(({ status }) => status === 'disabled'),
    updatedAt: () => updatedAt,
    close: async ({ keepTasks }) => {
      await title.end();
      await main.hooks.end();
      const serversEnded = Promise.all([mcp.close(), scope.languages.close()]);
      await tasks.stopAll(ENDING_GRACE_MS, 'Ended with its session.', keepTasks);
      tasks.close();
      await serversEnded;
      await scope.definitions.settled();
      await sandbox.close();
      await scope.checkpoints.close();
      scope.spans?.end();
      await log.flush();
      await services.ledger.refresh();
      const lost = await log.close();
      await open.release();
      return lost;
    },
  };
}
