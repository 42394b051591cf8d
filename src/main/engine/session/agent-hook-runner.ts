import type { HookSetting } from '../../../shared/hooks';
import { err } from '../../../shared/result';
import type { AgentState } from '../agent-state';
import type { HookedAgent } from '../hooks/hook-request';
import { runPromptHook } from '../hooks/run-prompt';
import { type CallServerTool, runToolHook } from '../hooks/run-tool';
import { createHookRunner, type HookRunner, type OtherHook } from '../hooks/runner';
import { toolName } from '../permissions/server-names';
import { type EffectiveSettings, startFolder } from '../settings/effective';
import type { ToolEnvironment } from '../tools/environment';
import { decisionContext } from './decision-context';
import type { SessionScope } from './session-scope';

/** The parts that the runner of one agent's hooks is made of. */
export interface AgentHookRunnerOptions {
  readonly session: SessionScope;
  readonly state: AgentState;
  readonly environment: ToolEnvironment;
  /** Hooks of its definition. Those for the end of a main agent hold for its own end. */
  readonly ownHooks?: readonly HookSetting[] | undefined;
  /** The sub-agent; null for the main agent. */
  readonly agent: HookedAgent | null;
  /** It judges a condition for a hook: no hook sends another agent after it, and none hears of its beginning or end. */
  readonly verifies: boolean;
  /** The prompt that is being answered; null before the first. */
  readonly promptId: () => string | null;
  /** Returns the variables of all its commands. */
  readonly env: () => Promise<Readonly<Record<string, string>>>;
  /** The file that hooks write variables for shell commands to. */
  readonly envFile: string;
  /** A hook that nobody waited for has something for the model to act on. */
  readonly wake: () => void;
}

/** Creates the runner of one agent's hooks: which there are, what they are told, and how each kind is run. */
export function createAgentHookRunner(options: AgentHookRunnerOptions): HookRunner {
  const { session, state, environment, agent } = options;
  const { services, log, paths, settings } = session;
  const { config, record } = state;
  const callServer: CallServerTool = async (server, tool, input, signal) => {
    const request = { kind: 'tool', tool: toolName(server, tool), readOnly: false } as const;
    const context = decisionContext(session, state);
    // Whoever wrote the hook allowed it: only what is denied stands above that.
    const { behavior } = services.decide(request, settings().rules, 'default', context);
    if (behavior === 'deny') return err(`a rule denies ${request.tool}`);
    return session.mcp.callTool(server, tool, input, signal);
  };
  return createHookRunner({
    hooks: () => {
      const all = withOwn(settings(), options.ownHooks ?? [], agent !== null);
      return options.verifies
        ? all.filter(({ type, event }) => type !== 'agent' && !event.startsWith('Subagent'))
        : all;
    },
    facts: () => ({
      sessionId: log.sessionId,
      promptId: options.promptId(),
      transcriptPath: paths.transcript ?? paths.file,
      cwd: state.cwd.get(),
      mode: config().mode,
      effort: config().effort,
      ...(agent ? { agent } : {}),
    }),
    cwd: () => startFolder(settings(), state.cwd.get()),
    env: async ({ event, plugin }) => ({
      ...(await options.env()),
      ...settings().plugins?.find(({ name }) => name === plugin?.name)?.variables,
      ...(SETS_VARIABLES.has(event) ? { CLAUDE_ENV_FILE: options.envFile } : {}),
    }),
    commands: services.commands,
    others: {
      http: services.postHook,
      prompt: (hook, input, _env, signal) =>
        runPromptHook(hook, input, environment.agent.ask, signal),
      agent: (hook, input, _env, signal) => session.hooks.verify(state.id, hook, input, signal),
      mcp_tool: (hook, input, _env, signal) =>
        runToolHook(inPlugin(hook, session.mcp.status()), input, callServer, signal),
      callback: session.host.program?.runHook ?? NO_PROGRAM,
    },
    ranOnce: session.hooks.ranOnce,
    clock: services.clock,
    ids: services.ids,
    emit: (event) => void record(event),
    wake: options.wake,
  });
}

/** Adds the hooks of a definition to those of settings, unless none may run. */
const withOwn = (
  { hooks, hooksDisabled }: EffectiveSettings,
  own: readonly HookSetting[],
  isSubAgent: boolean,
): readonly HookSetting[] =>
  own.length === 0 || hooksDisabled === true
    ? hooks
    : [
        ...hooks,
        ...own.map((hook) => (isSubAgent && hook.event === 'Stop' ? ofSubAgent(hook) : hook)),
      ];

const ofSubAgent = (hook: HookSetting): HookSetting => ({ ...hook, event: 'SubagentStop' });

/** Returns a hook that calls a server as a plugin names it, `server` or `plugin:name:server`, by its name in the session. */
function inPlugin(hook: HookSetting, servers: readonly { readonly name: string }[]): HookSetting {
  const { call, plugin } = hook;
  if (call === undefined) return hook;
  const own = `plugin_${plugin?.name}_${call.server}`;
  const isOwn = plugin !== undefined && servers.some(({ name }) => name === own);
  const named = /^plugin:[^:]+:/.test(call.server) ? call.server.replaceAll(':', '_') : call.server;
  return { ...hook, call: { ...call, server: isOwn ? own : named } };
}

const NO_PROGRAM: OtherHook = async () => ({
  kind: 'failed',
  message: 'no program drives this session',
});

/** The events at which a hook may name variables for shell commands. */
const SETS_VARIABLES: ReadonlySet<string> = new Set(['Setup', 'SessionStart']);
