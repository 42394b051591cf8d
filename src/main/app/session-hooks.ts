import { join } from 'node:path';
import type { AgentEvent } from '../../shared/agent-event';
import type { Task } from '../../shared/task';
import { NESTED_MEMORY } from '../engine/attachments/nested-memory';
import { readEnvFile } from '../engine/hooks/env-file';
import { loadedAtStart, loadedOnTheWay } from '../engine/hooks/instructions';
import { runPromptHook } from '../engine/hooks/run-prompt';
import { createHookRunner, type OtherHook } from '../engine/hooks/runner';
import {
  createSessionHooks,
  type SessionHooks,
  type StartSource,
} from '../engine/hooks/session-hooks';
import type { SettledCall } from '../engine/loop/batch';
import type { Admit } from '../engine/loop/query-deps';
import type { Decide, DecisionContext } from '../engine/permissions/request';
import type { Clock, Commands, Files, Ids } from '../engine/ports';
import type { MemoryFile } from '../engine/prompt/memory-files';
import type {
  ExecutorHooks,
  QueryEngineOptions,
  SessionConfig,
} from '../engine/query-engine/options';
import type { OpenLog } from '../engine/sessions/open-log';
import type { ConfigChange } from '../engine/settings/changes';
import type { EffectiveSettings } from '../engine/settings/effective';
import { type CallHooks, createCallHooks } from '../engine/tools/middleware/hooks';
import { observableInput } from '../engine/tools/observable-input';
import type { ToolRegistry } from '../engine/tools/registry';
import type { ToolEnvironment } from '../engine/tools/tool';
import { type ChangeSettings, createPermissionUpdates } from './permission-updates';
import { watchForPerson } from './session-notifications';
import type { SessionOverlay } from './session-overlay';

/** What the hooks of all sessions of a process share. */
export interface HookWorld {
  readonly files: Files;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly decide: Decide;
  readonly registry: ToolRegistry;
  readonly commands: Commands;
  /** Asks a hook over HTTP. */
  readonly postHook: OtherHook;
}

/** What the hooks of a session are made of. */
export interface HooksOfSession {
  readonly world: HookWorld;
  readonly open: OpenLog;
  readonly project: string;
  readonly settings: () => EffectiveSettings;
  /** Whether a person can be asked. */
  readonly attended: boolean;
  readonly environment: ToolEnvironment;
  readonly overlay: SessionOverlay;
  readonly config: () => SessionConfig;
  readonly context: () => DecisionContext;
  readonly tasks: () => readonly Task[];
  readonly changeSettings: ChangeSettings;
  readonly record: (event: AgentEvent) => unknown;
}

/** The hooks of a session, as its other parts use them. */
export interface Hooked {
  /** What the loop asks. */
  readonly loop: Required<
    Pick<QueryEngineOptions, 'admit' | 'stopHooks' | 'compactHooks' | 'batchHooks' | 'failureHooks'>
  >;
  /** Hooks around the calls of one response. */
  aroundCalls(executor: Omit<ExecutorHooks, 'emit' | 'signal'>): CallHooks;
  /** What nobody waits for. */
  readonly tell: Pick<SessionHooks, 'onCwdChanged'>;
  /** Whether a hook that nobody waited for has something for the model to act on. */
  hasNews(): boolean;
  /** Calls back when it has. */
  onNews(listener: () => void): () => void;
  /** The memory files that the session began with. */
  memoryLoaded(files: readonly MemoryFile[]): void;
  /** Settings files changed: whether a hook wants the session to go on with those of before. */
  configChanged(changes: readonly ConfigChange[]): Promise<boolean>;
  /** The session ends: tells its hooks when it had begun, and ends what still runs. */
  end(): Promise<void>;
}

/** Puts the hooks of a session together. Nothing runs before its first query. */
export function hookSession(options: HooksOfSession): Hooked {
  const { world, open, project, settings, environment, overlay, config } = options;
  const { log } = open;
  const emit = (event: AgentEvent) => void options.record(event);
  const envFile = join(open.paths.folder, 'hook-env.sh');
  let promptId: string | null = null;
  let begun = false;
  let news = false;
  const newsListeners = new Set<() => void>();
  const closing = new AbortController();

  const shellEnv = async () => ({
    ...(await environment.shellEnv()),
    CLAUDE_PROJECT_DIR: project,
    CLAUDE_EFFORT: config().effort,
  });
  const runner = createHookRunner({
    hooks: () => settings().hooks,
    facts: () => ({
      sessionId: log.sessionId,
      promptId,
      transcriptPath: open.paths.file,
      cwd: environment.cwd.get(),
      mode: config().mode,
      effort: config().effort,
    }),
    env: async (event) => ({
      ...(await shellEnv()),
      ...(event === 'SessionStart' ? { CLAUDE_ENV_FILE: envFile } : {}),
    }),
    commands: world.commands,
    http: world.postHook,
    prompt: (hook, input, _env, signal) => runPromptHook(hook, input, environment.ask, signal),
    clock: world.clock,
    ids: world.ids,
    emit,
    wake: () => {
      news = true;
      for (const listener of newsListeners) listener();
    },
  });
  const hooks = createSessionHooks(runner, world, emit);
  const unlisten = log.listen(({ event }) => {
    // Whatever there was to say stands in the history that this turn sends.
    if (event.type === 'turn_started') news = false;
    if (event.type === 'call_settled') hooks.onWork();
    if (event.type === 'attachment' && event.kind === NESTED_MEMORY && event.about !== undefined) {
      const loaded = loadedOnTheWay(event.about);
      if (loaded !== null) hooks.onInstructions(loaded);
    }
  });
  const unwatch = options.attended ? watchForPerson({ log, clock: world.clock, hooks }) : () => {};

  const start = async (source: StartSource, signal: AbortSignal): Promise<void> => {
    if (!hooks.has('SessionStart')) return;
    await world.files.write(envFile, '', PRIVATE);
    await hooks.onSessionStart(source, config().model, signal);
    const where = { cwd: project, env: await shellEnv() };
    overlay.setVariables(await readEnvFile(envFile, where, world, signal));
  };

  const admit: Admit = async (prompt, signal) => {
    if (!begun) {
      begun = true;
      const resumed = open.events.some((event) => event.type === 'user_message');
      await start(open.origin === 'forked' ? 'fork' : resumed ? 'resume' : 'startup', signal);
    }
    if (prompt === null) return { kind: 'in', contexts: [] };
    promptId = prompt.id;
    if (!hooks.has('UserPromptSubmit')) return { kind: 'in', contexts: [] };
    const { block, stop, contexts } = await hooks.onPrompt(prompt.text, signal);
    const reason = block ?? stop;
    return reason === null ? { kind: 'in', contexts } : { kind: 'kept_out', reason };
  };

  const update = createPermissionUpdates({
    project,
    overlay,
    changeSettings: options.changeSettings,
    record: options.record,
  });

  /** A call of a response as hooks see it; one of an unknown tool as the model wrote it. */
  const batched = ({ call, response }: SettledCall) => {
    const tool = world.registry.find(call.name);
    const input = tool ? observableInput(tool, call.input, environment) : call.input;
    return { id: call.id, tool: call.name, input, response };
  };

  return {
    loop: {
      admit,
      stopHooks: async (facts, signal) =>
        hooks.has('Stop')
          ? hooks.onStop({ ...facts, tasks: options.tasks() }, signal)
          : { kind: 'pass' },
      batchHooks: async (calls, signal) =>
        hooks.has('PostToolBatch') ? hooks.afterBatch(calls.map(batched), signal) : null,
      failureHooks: async ({ kind, details, message }, signal) => {
        if (hooks.has('StopFailure'))
          await hooks.onFailure({ error: kind, details, message }, signal);
      },
      compactHooks: {
        before: async (trigger, focus, signal) =>
          hooks.has('PreCompact')
            ? hooks.beforeCompact({ trigger: kindOf(trigger), instructions: focus ?? '' }, signal)
            : null,
        after: async (trigger, summary, signal) => {
          const moment = { trigger: kindOf(trigger), instructions: '' };
          if (hooks.has('PostCompact')) await hooks.afterCompact(moment, summary, signal);
          await start('compact', signal);
        },
      },
    },
    aroundCalls: ({ onDenied, onHookStop, onDeferred }) =>
      createCallHooks({
        hooks,
        environment,
        decide: world.decide,
        context: options.context,
        attended: options.attended,
        onDenied,
        onDeferred,
        onNotDeferred: (text) =>
          emit({ type: 'notice', level: 'warning', code: 'hook_not_deferred', text }),
        onStop: onHookStop,
        update,
      }),
    tell: hooks,
    hasNews: () => news,
    onNews: (listener) => {
      newsListeners.add(listener);
      return () => newsListeners.delete(listener);
    },
    memoryLoaded: (files) => loadedAtStart(files).forEach(hooks.onInstructions),
    configChanged: async (changes) => {
      if (!begun || !hooks.has('ConfigChange')) return false;
      const { signal } = closing;
      const blocked = await Promise.all(changes.map((one) => hooks.onConfigChange(one, signal)));
      return blocked.includes(true);
    },
    end: async () => {
      closing.abort();
      unlisten();
      unwatch();
      if (begun) await hooks.onSessionEnd('other');
      await hooks.close();
    },
  };
}

/** Only the person may read what is meant for their commands. */
const PRIVATE = 0o600;

/** What hooks know of triggers. */
const kindOf = (trigger: string): 'manual' | 'auto' => (trigger === 'manual' ? 'manual' : 'auto');
