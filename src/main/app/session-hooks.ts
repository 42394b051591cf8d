import { join } from 'node:path';
import type { AgentEvent } from '../../shared/agent-event';
import { readEnvFile } from '../engine/hooks/env-file';
import type { PermissionUpdate } from '../engine/hooks/json-reply';
import { runPromptHook } from '../engine/hooks/run-prompt';
import { createHookRunner, type OtherHook } from '../engine/hooks/runner';
import {
  createSessionHooks,
  type SessionHooks,
  type StartSource,
} from '../engine/hooks/session-hooks';
import type { Admit } from '../engine/loop/query-deps';
import type { Decide, DecisionContext } from '../engine/permissions/request';
import type { Clock, Commands, Files, Ids } from '../engine/ports';
import type {
  ExecutorHooks,
  QueryEngineOptions,
  SessionConfig,
} from '../engine/query-engine/options';
import type { OpenLog } from '../engine/sessions/open-log';
import type { EffectiveSettings } from '../engine/settings/effective';
import { type CallHooks, createCallHooks } from '../engine/tools/hooked-calls';
import type { ToolEnvironment } from '../engine/tools/tool';
import type { SessionOverlay } from './session-overlay';

/** What the hooks of all sessions of a process share. */
export interface HookWorld {
  readonly files: Files;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly decide: Decide;
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
  readonly record: (event: AgentEvent) => unknown;
}

/** The hooks of a session, as its other parts use them. */
export interface Hooked {
  /** What the loop asks. */
  readonly loop: Required<Pick<QueryEngineOptions, 'admit' | 'stopHooks' | 'compactHooks'>>;
  /** Hooks around the calls of one response. */
  aroundCalls(executor: Pick<ExecutorHooks, 'onDenied' | 'onHookStop'>): CallHooks;
  /** What nobody waits for. */
  readonly tell: Pick<SessionHooks, 'onDenied' | 'onCwdChanged'>;
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

  const shellEnv = async () => ({
    ...(await environment.shellEnv()),
    CLAUDE_PROJECT_DIR: project,
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
  });
  const hooks = createSessionHooks(runner, world.ids, emit);

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
      await start(resumed ? 'resume' : 'startup', signal);
    }
    if (prompt === null) return { kind: 'in', contexts: [] };
    promptId = prompt.id;
    if (!hooks.has('UserPromptSubmit')) return { kind: 'in', contexts: [] };
    const { block, stop, contexts } = await hooks.onPrompt(prompt.text, signal);
    const reason = block ?? stop;
    return reason === null ? { kind: 'in', contexts } : { kind: 'kept_out', reason };
  };

  const update = async (updates: readonly PermissionUpdate[]): Promise<void> => {
    for (const one of updates) {
      const complaint = overlay.take(one);
      if (complaint === null) continue;
      const text = `A hook changed permissions (${one.type}): ${complaint}.`;
      emit({ type: 'notice', level: 'warning', code: 'hook_permissions', text });
    }
  };

  return {
    loop: {
      admit,
      stopHooks: async (facts, signal) =>
        hooks.has('Stop') ? hooks.onStop(facts, signal) : { kind: 'pass' },
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
    aroundCalls: ({ onDenied, onHookStop }) =>
      createCallHooks({
        hooks,
        environment,
        decide: world.decide,
        context: options.context,
        attended: options.attended,
        onDenied,
        onStop: onHookStop,
        update,
      }),
    tell: hooks,
    end: async () => {
      if (begun) await hooks.onSessionEnd('other');
      await hooks.close();
    },
  };
}

/** Only the person may read what is meant for their commands. */
const PRIVATE = 0o600;

/** What hooks know of triggers. */
const kindOf = (trigger: string): 'manual' | 'auto' => (trigger === 'manual' ? 'manual' : 'auto');
