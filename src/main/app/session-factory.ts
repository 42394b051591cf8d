import type { Message } from '../../shared/message';
import type { RuleSuggestion } from '../../shared/permission';
import type { Result } from '../../shared/result';
import { DEMO_MODEL } from '../../shared/settings';
import { isSettled } from '../../shared/task';
import type { EventLog } from '../engine/event-log';
import type { QueryLimits } from '../engine/loop/query-deps';
import { contextWindowOf, takesPdf } from '../engine/model/catalog';
import type { ModelClient, ModelRequest } from '../engine/model/model-client';
import { createAsk } from '../engine/model/side-call';
import type { Broker } from '../engine/permissions/broker';
import type { PermissionRequest } from '../engine/permissions/request';
import { deniedPaths } from '../engine/permissions/rule-match';
import { readRules } from '../engine/permissions/rules';
import type { Sandbox } from '../engine/ports-sandbox';
import { withCacheWatch } from '../engine/prompt/cache-watch';
import type { MemoryFile } from '../engine/prompt/memory-files';
import type { NamedText } from '../engine/prompt/section';
import { QueryEngine } from '../engine/query-engine';
import type { SessionConfig } from '../engine/query-engine/options';
import type { OpenLog } from '../engine/sessions/open-log';
import { deferredIn } from '../engine/sessions/repair';
import type { ConfigChange } from '../engine/settings/changes';
import { createTaskManager, type TaskManager } from '../engine/tasks/task-manager';
import { createQuestions } from '../engine/tools/approval';
import { createAutoJudge } from '../engine/tools/auto-judge';
import { createCallMiddleware } from '../engine/tools/middleware/all';
import { createPermissionGate } from '../engine/tools/middleware/permission-gate';
import { createResultBudget } from '../engine/tools/middleware/result-budget';
import { parseToolInput, type ToolRegistry } from '../engine/tools/registry';
import { createCallExecutor } from '../engine/tools/streaming-executor';
import { undenied } from '../engine/tools/tool-shelf';
import { createNetworkQuestions } from './network-questions';
import type { ChangeSettings } from './permission-updates';
import { createSessionAttachments } from './session-attachments';
import {
  createEnvironment,
  decisionContext,
  type EnvironmentParts,
  type EnvironmentWorld,
} from './session-environment';
import { type HookWorld, hookSession } from './session-hooks';
import {
  announceConfig,
  type LoopSeams,
  loopSeams,
  mostOutput,
  personsWords,
} from './session-loop';
import { createSessionOverlay, type SessionPermissions } from './session-overlay';
import { createSessionSandbox } from './session-sandbox';

/** How long processes get to come down when their session or the app ends. SPEC G4, milliseconds. */
const ENDING_GRACE_MS = 500;

/** What all sessions of a process share. */
export interface SessionWorld extends EnvironmentWorld, HookWorld {
  readonly sandbox: Sandbox;
  readonly registry: ToolRegistry;
  /** Who answers small questions beside the conversation. */
  readonly smallModel: () => string;
}

/** What one session is made of besides its log. */
export interface SessionParts extends LoopSeams, EnvironmentParts {
  readonly config: SessionConfig;
  readonly limits: QueryLimits;
  readonly model: ModelClient;
  /** Null where nobody can be asked. */
  readonly createBroker: ((emit: EventLog['append']) => Broker) | null;
  readonly remember: (suggestion: RuleSuggestion) => Promise<Result<null>>;
  /** Changes a settings file for good, where the folder is trusted. */
  readonly changeSettings: ChangeSettings;
  readonly buildRequest: (
    history: readonly Message[],
    config: SessionConfig,
    signal: AbortSignal,
  ) => Promise<ModelRequest>;
  /** The memory files of a folder of the project; none until it is trusted. */
  readonly folderMemory: (folder: string) => Promise<readonly MemoryFile[]>;
  /** What the system prompt of the last request was joined from. */
  readonly promptSections: () => readonly NamedText[];
}

/** A session that can work. */
export interface OpenSession {
  readonly project: string;
  readonly log: EventLog;
  readonly engine: QueryEngine;
  readonly tasks: TaskManager;
  readonly broker: Broker | null;
  readonly permissions: SessionPermissions;
  /** Whether a task or a hook has news that the model was not told yet. */
  hasNews(): boolean;
  /** Calls back when there is some. */
  onNews(listener: () => void): () => void;
  /** The memory files that the session began with. */
  memoryLoaded(files: readonly MemoryFile[]): void;
  /** Settings files changed: whether a hook wants the session to go on with those of before. */
  configChanged(changes: readonly ConfigChange[]): Promise<boolean>;
  /** Epoch milliseconds of the last thing that happened. */
  updatedAt(): number;
  close(options: { readonly keepTasks: boolean }): Promise<void>;
}

/** Puts a session together over its open log. */
export function assembleSession(
  world: SessionWorld,
  open: OpenLog,
  given: SessionParts,
): OpenSession {
  const { log } = open;
  const overlay = createSessionOverlay((mode) => engine.configure({ mode }));
  const parts = { ...given, settings: () => overlay.over(given.settings()) };
  const record: EventLog['append'] = (event) => engine.record(event);
  const tasks = createTaskManager({ ...world, sessionId: log.sessionId, emit: record });
  const broker = parts.createBroker?.(record) ?? null;
  const decideNow = (request: PermissionRequest) =>
    world.decide(
      request,
      parts.settings().rules,
      engine.config.mode,
      decisionContext(world, parts, environment),
    );
  const onProblem = (text: string) =>
    record({ type: 'notice', level: 'error', code: 'rule_not_saved', text });
  const sandbox = createSessionSandbox({
    sandbox: world.sandbox,
    project: parts.project,
    settings: () => parts.settings().sandbox,
    workingDirectories: () => environment.workingDirectories(),
    denied: () =>
      deniedPaths(readRules(parts.settings().rules), decisionContext(world, parts, environment)),
    questions: createNetworkQuestions({
      decide: decideNow,
      broker,
      ids: world.ids,
      remember: parts.remember,
      onProblem,
    }),
    record,
  });
  const environment = createEnvironment(world, open, parts, {
    tasks,
    sandbox,
    mode: {
      get: () => engine.config.mode,
      set: (mode) => engine.configure({ mode }),
    },
    takesPdf: () => takesPdf(engine.config.model),
    onCwdChanged: (from, to) => hooked.tell.onCwdChanged(from, to),
    ask: createAsk({
      model: parts.model,
      clock: world.clock,
      sessionModel: () => engine.config.model,
      smallModel: () => (engine.config.model === DEMO_MODEL ? DEMO_MODEL : world.smallModel()),
      record,
    }),
  });
  const judge = createAutoJudge({
    environment,
    ask: environment.ask,
    personsWords: () => personsWords(log.transcript()),
  });
  const attachments = createSessionAttachments({
    environment,
    log,
    limits: parts.limits,
    mode: () => engine.config.mode,
    windowTokens: () => contextWindowOf(engine.config.model),
    takeTaskNotifications: tasks.takeNotifications,
    decide: decideNow,
    folderMemory: parts.folderMemory,
    usedShell: open.events.some((e) => e.type === 'call_settled' && e.view?.kind === 'shell'),
    record,
  });

  const context = () => decisionContext(world, parts, environment);
  const config = () => engine.config;
  const hooked = hookSession({
    world,
    open,
    ...parts,
    attended: broker !== null,
    environment,
    overlay,
    config,
    context,
    tasks: () => tasks.list().filter(({ status }) => !isSettled(status)),
    record,
  });
  const toolNames = () =>
    undenied(parts.shelf.offered(), parts.settings().rules).map(({ name }) => name);

  const engine = new QueryEngine({
    log,
    history: open.history,
    config: parts.config,
    limits: parts.limits,
    model: withCacheWatch(parts.model, {
      sections: parts.promptSections,
      tell: (text) => record({ type: 'notice', level: 'info', code: 'cache_missed', text }),
    }),
    buildRequest: parts.buildRequest,
    attachments: attachments.collect,
    restore: attachments.restore,
    contextWindow: contextWindowOf,
    maxOutput: (model) => mostOutput(model, parts.settings().maxOutputTokens),
    ...hooked.loop,
    ...loopSeams(parts),
    clock: world.clock,
    ids: world.ids,
    deferred: deferredIn(open.events),
    offers: (tool) => toolNames().includes(tool),
    createExecutor: ({ emit, signal, ...around }) => {
      const hooks = hooked.aroundCalls(around);
      return createCallExecutor({
        environment,
        middleware: createCallMiddleware({
          environment,
          hooks,
          budget: createResultBudget(world.files, open.paths.folder),
          gate: createPermissionGate({
            environment,
            broker,
            onDenied: around.onDenied,
            hookAnswers: hooks.answers,
            decide: world.decide,
            ids: world.ids,
            judge,
            remember: parts.remember,
            rules: () => parts.settings().rules,
            mode: () => engine.config.mode,
            context,
            onProblem,
          }),
        }),
        findTool: world.registry.find,
        toolNames,
        parseInput: parseToolInput,
        askPerson: broker && createQuestions(broker, world.ids),
        emit,
        flush: log.flush,
        signal,
      });
    },
  });

  announceConfig(log, parts.config);

  let updatedAt = open.lastAt;
  log.listen((stamped) => {
    updatedAt = stamped.at;
  });
  return {
    project: parts.project,
    log,
    engine,
    tasks,
    broker,
    permissions: {
      addRule: overlay.addRule,
      removeRule: overlay.removeRule,
      sandboxTerms: sandbox.terms,
      now: () => ({
        rules: parts.settings().rules,
        mode: engine.config.mode,
        context: context(),
      }),
    },
    hasNews: () => attachments.hasNews() || hooked.hasNews(),
    onNews: (listener) => {
      const unlisten = [tasks.onNotification(listener), hooked.onNews(listener)];
      return () => unlisten.forEach((stop) => void stop());
    },
    memoryLoaded: hooked.memoryLoaded,
    configChanged: hooked.configChanged,
    updatedAt: () => updatedAt,
    close: async ({ keepTasks }) => {
      await hooked.end();
      if (!keepTasks) await tasks.stopAll(ENDING_GRACE_MS);
      await sandbox.close();
      await log.flush();
      await log.close();
      await open.release();
    },
  };
}
