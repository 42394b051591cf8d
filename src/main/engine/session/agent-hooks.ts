import { join } from 'node:path';
import type { AgentEvent } from '../../../shared/agent-event';
import type { HookSetting } from '../../../shared/hooks';
import { isSettled } from '../../../shared/task';
import type { AgentState, ModelSwitch } from '../agent-state';
import { CHANGED_FILE } from '../attachments/changed-files';
import { NESTED_MEMORY } from '../attachments/nested-memory';
import { readEnvFile } from '../hooks/env-file';
import type { HookedAgent } from '../hooks/hook-request';
import { loadedAtStart, loadedOnTheWay } from '../hooks/instructions';
import { createMessageDisplay } from '../hooks/message-display';
import { createSessionHooks, type SetupTrigger } from '../hooks/session-hooks';
import type { StartSource } from '../hooks/told-facts';
import type { Admit } from '../loop/query-deps';
import type { SettledCall } from '../messages/history';
import type { DecisionContext } from '../permissions/request';
import type { MemoryFile } from '../prompt/memory-loader';
import type { ExecutorHooks, QueryEngineOptions } from '../query-engine/options';
import { writeAgentTranscript } from '../sessions/claude-transcript';
import { claudeAgentFile, subAgentFolder } from '../sessions/paths';
import type { ConfigChange } from '../settings/changes';
import type { ToolEnvironment } from '../tools/environment';
import { type CallHooks, createCallHooks } from '../tools/middleware/hooks';
import { observableInput } from '../tools/parse-input';
import type { AnyTool } from '../tools/tool';
import { createAgentHookRunner } from './agent-hook-runner';
import { createHookFacts } from './hook-facts';
import { createPermissionUpdates } from './overlay';
import type { SessionScope } from './session-scope';
import { watchForUser } from './user-notifier';
import { createWatchedPaths } from './watched-paths';

/** The parts that the hooks of one agent are made of. */
export interface AgentHooksOptions {
  readonly session: SessionScope;
  readonly state: AgentState;
  readonly environment: ToolEnvironment;
  readonly findTool: (name: string) => AnyTool | null;
  readonly context: () => DecisionContext;
  /** The origin of the session, as SessionStart hooks are told; null for a sub-agent, which begins none. */
  readonly start: StartSource | null;
  /** Hooks of its definition. Those for the end of a main agent hold for its own end. */
  readonly ownHooks?: readonly HookSetting[];
  /** The name of a sub-agent's definition; null for the main agent. */
  readonly agentType: string | null;
  /** The name that messages reach a sub-agent by, where it was given one. */
  readonly agentName?: string | undefined;
  /** It judges a condition for a hook: no hook sends another agent after it, and none hears of its beginning or end. */
  readonly verifies?: boolean | undefined;
}

/** The hooks of one agent, as its other parts use them. */
export interface AgentHooks {
  /** The hooks of the loop. */
  readonly loop: Required<
    Pick<QueryEngineOptions, 'admit' | 'stopHooks' | 'compactHooks' | 'batchHooks' | 'failureHooks'>
  > &
    Pick<QueryEngineOptions, 'display'>;
  /** Hooks around the calls of one response. */
  aroundCalls(executor: Omit<ExecutorHooks, 'emit' | 'signal' | 'byUser'>): CallHooks;
  /** Returns whether a hook that nobody waited for has something for the model to act on. */
  hasNews(): boolean;
  /** Calls back when it has. */
  onNews(listener: () => void): () => void;
  /** Asks the hooks about another model by its name or alias; the reason it must not answer, or null. */
  switchRefused(name: string, source: ModelSwitch['source']): Promise<string | null>;
  /** The memory files that the session began with. */
  memoryLoaded(files: readonly MemoryFile[]): void;
  /** Settings files changed: whether a hook wants the session to go on with those of before. */
  configChanged(changes: readonly ConfigChange[]): Promise<boolean>;
  /** Tells hooks of the beginning without a prompt. */
  begin(): Promise<void>;
  /** Tells hooks of an end and another beginning, between which `clear` takes the conversation away. */
  cleared(clear: () => void, signal: AbortSignal): Promise<void>;
  /** The session ends: tells its hooks when it had begun, and ends what still runs. */
  end(): Promise<void>;
}

/** Creates the hooks of an agent. Nothing runs before its first query. */
export function createAgentHooks(options: AgentHooksOptions): AgentHooks {
  const { session, state, environment } = options;
  const { services, log, paths, project, settings, overlay } = session;
  const { config } = state;
  const attended = session.broker !== null;
  const agent = hookedAgent(options);
  const emit = (event: AgentEvent) => void state.record(event);
  const envFile = join(paths.folder, 'hook-env.sh');
  let promptId: string | null = null;
  let begun = false;
  let news = false;
  let queryId = '';
  const newsListeners = new Set<() => void>();
  const closing = new AbortController();

  const shellEnv = async () => ({
    ...(await environment.session.shellEnv()),
    CLAUDE_PROJECT_DIR: settings().configRoot ?? project,
    CLAUDE_EFFORT: config().effort,
  });
  const runner = createAgentHookRunner({
    ...{ session, state, environment, agent, envFile },
    ...{ ownHooks: options.ownHooks, verifies: options.verifies === true },
    env: shellEnv,
    promptId: () => promptId,
    wake: () => {
      news = true;
      for (const listener of newsListeners) listener();
    },
  });
  const watched = createWatchedPaths(services.files, (path, change) =>
    hooks.onFileChanged(path, change),
  );
  const isDriven = session.host.unattended || session.host.program !== undefined;
  const facts = createHookFacts(session, state, isDriven);
  const hooks = createSessionHooks(runner, { ...services, watch: watched.add }, emit);
  if (options.start !== null) session.hooks.main = hooks;
  const display =
    options.start === null
      ? undefined
      : createMessageDisplay({
          ...{ hooks, ids: services.ids, record: emit },
          asks: isDriven ? (session.host.wishes?.saidAlone ? 'nothing' : 'whole') : 'lines',
          turnId: () => queryId,
        });
  state.onCwdChanged((from, to) => hooks.onCwdChanged(from, to));
  state.onModelChanged((from, to, by) => hooks.onModelSwitch(facts.modelSwitch(from, to, by)));
  /** Tells hooks of a file that the model was just told of. */
  const tellChanged = (path: string) => {
    if (!hooks.has('FileChanged') || watched.has(path)) return;
    services.files.stat(path).then(
      (found) => hooks.onFileChanged(path, found.ok ? 'change' : 'unlink'),
      () => {},
    );
  };
  const unlisten = log.listen(({ event, agentId }) => {
    if (agentId !== state.id) return;
    // Whatever there was to say stands in the history that this turn sends.
    if (event.type === 'turn_started') news = false;
    if (LOOKS.has(event.type)) void watched.look();
    if (event.type === 'call_settled') hooks.onWork();
    if (event.type === 'query_started') queryId = event.queryId;
    display?.see(event);
    if (event.type === 'attachment' && event.kind === CHANGED_FILE && event.about !== undefined)
      tellChanged(event.about);
    if (event.type === 'attachment' && event.kind === NESTED_MEMORY && event.about !== undefined) {
      const loaded = loadedOnTheWay(event.about);
      if (loaded !== null) hooks.onInstructions(loaded);
    }
  });
  const unwatch =
    attended && options.start !== null
      ? watchForUser({ log, clock: services.clock, hooks })
      : () => {};

  const start = async (
    source: StartSource,
    signal: AbortSignal,
    setup?: SetupTrigger,
  ): Promise<readonly string[]> => {
    const setsUp = setup !== undefined && hooks.has('Setup');
    if (!setsUp && !hooks.has('SessionStart')) return [];
    await services.files.write(envFile, '', PRIVATE);
    if (setsUp) await hooks.onSetup(setup, signal);
    const { openings, reloads } = hooks.has('SessionStart')
      ? await hooks.onSessionStart(facts.start(source), signal)
      : NOTHING_SAID;
    if (reloads) await session.definitions.refresh();
    const where = { cwd: project, env: await shellEnv() };
    overlay.setVariables(await readEnvFile(envFile, where, services, signal));
    return openings;
  };

  /** Tells the hooks of the beginning, once; null when it has begun, else what its first prompt begins with. */
  const begin = async (signal: AbortSignal): Promise<readonly string[] | null> => {
    if (begun) return null;
    begun = true;
    return options.start === null ? [] : start(options.start, signal, session.host.setup);
  };
  const admit: Admit = async (prompt, signal) => {
    const openings = await begin(signal);
    if (prompt === null) return { kind: 'admitted', contexts: [] };
    promptId = prompt.id;
    if (agent) {
      const told = openings !== null && hooks.has('SubagentStart');
      return { kind: 'admitted', contexts: told ? await hooks.onSubAgent(agent, signal) : [] };
    }
    const told: string[] = [];
    const expansion = hooks.has('UserPromptExpansion') ? facts.expansion(prompt.text) : null;
    for (const ask of [
      ...(expansion === null ? [] : [() => hooks.onExpansion(expansion, prompt.text, signal)]),
      ...(hooks.has('UserPromptSubmit')
        ? [() => hooks.onPrompt(prompt.text, facts.prompt(), signal)]
        : []),
    ]) {
      const { block, stop, contexts } = await ask();
      const reason = block ?? stop;
      if (reason !== null) return { kind: 'refused', reason };
      told.push(...contexts);
    }
    return { kind: 'admitted', contexts: told, openings: openings ?? [] };
  };

  const { claudeTranscripts, version } = services;
  /** The file in which other programs look for what a sub-agent said; null where they find no session. */
  const shared =
    claudeTranscripts && paths.transcript !== undefined
      ? claudeAgentFile(paths.transcript, state.id)
      : null;
  /** Writes down what a sub-agent said so far, for its hooks and for such programs. */
  const transcript = () => {
    const file = shared ?? join(subAgentFolder(paths.folder, state.id), 'transcript.jsonl');
    return writeAgentTranscript(services, file, state.history(), { project, version, log });
  };

  const update = createPermissionUpdates({
    project,
    overlay,
    changeSettings: session.host.changeSettings,
    record: state.record,
  });

  /** Returns a call of a response as hooks see it; one of an unknown tool as the model wrote it. */
  const batched = ({ call, response }: SettledCall) => {
    const tool = options.findTool(call.name);
    const input = tool ? observableInput(tool, call.input, environment) : call.input;
    return { id: call.id, tool: call.name, input, response };
  };

  return {
    loop: {
      admit,
      display,
      stopHooks: async (stop, signal) => {
        const isHeard = agent?.teammate !== undefined && hooks.has('TeammateIdle');
        if (!isHeard && !hooks.has(agent ? 'SubagentStop' : 'Stop')) return { kind: 'pass' };
        const own = agent && { agent: { ...agent, transcript: await transcript() } };
        return hooks.onStop({ ...stop, tasks: runningTasks(session), ...own }, signal);
      },
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
          const compaction = { trigger: kindOf(trigger), instructions: '' };
          if (hooks.has('PostCompact')) await hooks.afterCompact(compaction, summary, signal);
          if (options.start !== null) await start('compact', signal);
        },
      },
    },
    aroundCalls: ({ onDenied, onHookStop, onDeferred }) =>
      createCallHooks({
        hooks,
        environment,
        decide: services.decide,
        context: options.context,
        attended,
        ofSubAgent: agent !== null,
        onDenied,
        onDeferred,
        onNotDeferred: (text) =>
          emit({ type: 'notice', level: 'warning', code: 'hook_not_deferred', text }),
        onStop: onHookStop,
        update,
      }),
    hasNews: () => news,
    onNews: (listener) => {
      newsListeners.add(listener);
      return () => newsListeners.delete(listener);
    },
    switchRefused: async (name, source) => {
      const from = config().model;
      const to = hooks.has('PreModelSwitch') ? services.resolveModel(name) : null;
      if (!to?.ok) return null;
      const requested = name === 'default' ? null : name;
      // Of a choice that depends on the mode, both: nobody is asked again when the mode changes.
      const ids = (['default', 'plan'] as const).map((mode) =>
        services.modelInMode(to.value, mode),
      );
      for (const id of new Set(ids)) {
        if (id === from) continue;
        const told = facts.modelSwitch(from, id, { source, requested });
        const refused = await hooks.beforeModelSwitch(told, closing.signal);
        if (refused !== null) return refused;
      }
      return null;
    },
    memoryLoaded: (files) => loadedAtStart(files).forEach(hooks.onInstructions),
    configChanged: async (changes) => {
      if (!begun || !hooks.has('ConfigChange')) return false;
      const { signal } = closing;
      const blocked = await Promise.all(changes.map((one) => hooks.onConfigChange(one, signal)));
      return blocked.includes(true);
    },
    begin: async () => {
      await begin(closing.signal);
    },
    cleared: async (clear, signal) => {
      if (begun) await hooks.onSessionEnd('clear');
      clear();
      if (begun) await start('clear', signal);
    },
    end: async () => {
      closing.abort();
      unlisten();
      unwatch();
      if (begun && options.start !== null) await hooks.onSessionEnd('other');
      if (agent !== null && shared !== null) await transcript();
      await hooks.close();
    },
  };
}

/** Returns a sub-agent as its hooks see it; null for the main agent. */
function hookedAgent({
  agentType,
  agentName,
  state,
  session,
}: AgentHooksOptions): HookedAgent | null {
  if (agentType === null) return null;
  const team_name = `session-${session.log.sessionId.slice(0, 8)}`;
  const named =
    agentName === undefined ? {} : { teammate: { teammate_name: agentName, team_name } };
  return { id: state.id, type: agentType, ...named };
}

const runningTasks = ({ tasks }: SessionScope) =>
  tasks.list().filter(({ status }) => !isSettled(status));

/** Stands for the answer of SessionStart hooks where there are none. */
const NOTHING_SAID = { openings: [], reloads: false };

/** The events at which watched files are looked at. */
const LOOKS: ReadonlySet<AgentEvent['type']> = new Set(['turn_started', 'query_finished']);

/** Only the user may read what is meant for their commands. */
const PRIVATE = 0o600;

/** Maps a trigger to one of those that hooks know. */
const kindOf = (trigger: string): 'manual' | 'auto' => (trigger === 'manual' ? 'manual' : 'auto');
