import type { AgentEvent, SubAgentEnd, SubAgentInfo } from '../../../shared/agent-event';
import type { PermissionMode } from '../../../shared/permission';
import { type AgentState, createAgentState } from '../agent-state';
import { stricterMode } from '../agents/agent-fields';
import { findAgent, includesTool, MAIN_AGENT_TOOLS, REPORT } from '../agents/definitions';
import { createHistory } from '../messages/history';
import { subAgentFile } from '../sessions/paths';
import { loadSkill, mentionable } from '../tools/builtin/skill/skill';
import type {
  AgentSpawner,
  SubAgentOutcome,
  SubAgentProgress,
  SubAgentRequest,
} from '../tools/environment';
import { type Agent, createAgent } from './agent';
import type { SessionScope } from './session-scope';

/** Creates what starts sub-agents for the calls of `parent`. They run until their answer, or until the call is stopped. */
export function createAgentSpawner(session: SessionScope, parent: AgentState): AgentSpawner {
  const { services, log, definitions } = session;

  const open = async (request: SubAgentRequest): Promise<OpenAgent | string> => {
    const definition = findAgent(definitions.agents.list(), request.type);
    if (definition === null) return `There is no sub-agent "${request.type}".`;
    const config = parent.config();
    const { permissionMode } = definition;
    const modeOf = (mode: PermissionMode): PermissionMode =>
      permissionMode === undefined ? mode : stricterMode(permissionMode, mode);
    const named =
      request.model ?? (definition.model === 'small' ? services.smallModel() : definition.model);
    const model = named === undefined ? null : services.resolveModel(named);
    if (model?.ok === false) return model.error.message;
    const id = services.ids.next('agt');
    const file = await services.files.openAppend(subAgentFile(session.paths.folder, id));
    if (!file.ok) return `Its log cannot be written: ${file.error.message}`;
    const { callId, type, title } = request;
    const info: SubAgentInfo = { id, parentId: parent.id, callId, type, title };
    parent.record({ type: 'agent_started', agent: info });
    log.addAgentFile(id, file.value);
    const state = createAgentState({
      id,
      log,
      history: createHistory(),
      config: {
        ...config,
        ...(model === null ? {} : { model: model.value }),
        ...(definition.effort === undefined ? {} : { effort: definition.effort }),
        mode: modeOf(config.mode),
      },
      cwd: parent.cwd.get(),
    });
    const agent = createAgent(session, state, {
      limits: () => ({ ...session.limits(), maxTurns: definition.maxTurns ?? MAX_TURNS }),
      prompts: { agent: `${definition.prompt}\n\n${REPORT}` },
      usedShell: false,
      deferred: null,
      start: null,
      agentType: type,
      isOffered: (tool) => !MAIN_AGENT_TOOLS.has(tool) && includesTool(definition, tool),
      spawner: null,
      hooks: definition.hooks ?? [],
    });
    await preload(definition.skills ?? [], agent);
    return { agent, modeOf };
  };

  /** Puts the text of skills before an agent that begins. Their commands do not run: nobody was asked about them. */
  const preload = async (names: readonly string[], agent: Agent): Promise<void> => {
    const place = { sessionId: log.sessionId, project: session.project };
    for (const name of names) {
      const loaded = await loadSkill(definitions.skills, { skill: name }, place, services.files);
      if (!loaded.ok) {
        const text = `A sub-agent works without the skill ${name}. ${loaded.error}`;
        parent.record({ type: 'notice', level: 'warning', code: 'definition_problem', text });
        continue;
      }
      const { model: _model, effort: _effort, ...skill } = loaded.value.skill;
      const bare = { ...skill, allowedTools: [], disallowedTools: [], hooks: [] };
      const text = loaded.value.parts
        .map((part) => (part.kind === 'text' ? part.text : `\`${part.command}\` (it was not run)`))
        .join('');
      agent.environment.agent.skills.use(bare, text, mentionable(loaded.value.parts));
    }
  };

  async function* run(
    request: SubAgentRequest,
    signal: AbortSignal,
  ): AsyncGenerator<SubAgentProgress, SubAgentOutcome> {
    const opened = await open(request);
    if (typeof opened === 'string') {
      const text = `The sub-agent was not started. ${opened}`;
      return { ok: false, text, progress: nothingYet('', request) };
    }
    const { agent, modeOf } = opened;
    const { state, engine } = agent;
    // The mode is the person's word on the whole session: whoever works follows a change of it.
    const unfollow = parent.onModeChanged((mode) => state.configure({ mode: modeOf(mode) }));
    state.configure({ mode: modeOf(parent.config().mode) });
    const stop = () => void engine.interrupt(signal.reason === 'ending' ? 'ending' : 'stopped');
    signal.addEventListener('abort', stop, { once: true });
    let progress = nothingYet(state.id, request);
    let end: Extract<AgentEvent, { type: 'query_finished' }> | null = null;
    let status: SubAgentEnd = 'failed';
    try {
      yield progress;
      const query = engine.submit(request.prompt);
      if (signal.aborted) stop();
      for await (const { event } of query) {
        if (event.type === 'query_finished') end = event;
        const next = progressAfter(progress, event, state);
        if (next !== progress) yield next;
        progress = next;
      }
      status = statusOf(end?.terminal, signal);
    } finally {
      signal.removeEventListener('abort', stop);
      unfollow();
      session.agents.delete(state.id);
      await agent.hooks.end();
      session.tasks.handOver(state.id, parent.id);
      const spend = log.transcript().costs.byAgent[state.id] ?? {};
      parent.record({ type: 'agent_settled', agentId: state.id, status, spend });
      await log.closeAgentFile(state.id);
    }
    const answer = end?.text.trim() ?? '';
    if (status === 'completed') {
      return { ok: true, text: answer === '' ? NO_ANSWER : answer, progress };
    }
    const why = status === 'cancelled' ? 'It was stopped.' : answer;
    return { ok: false, text: `The sub-agent did not finish. ${why}`, progress };
  }

  return {
    kinds: () => definitions.agents.list(),
    run,
  };
}

/** A sub-agent, and the mode it works in while its session is in another. */
interface OpenAgent {
  readonly agent: Agent;
  readonly modeOf: (mode: PermissionMode) => PermissionMode;
}

/** API round trips of one sub-agent at most: a task that takes more is too large for one. */
const MAX_TURNS = 200;

const NO_ANSWER = 'The sub-agent ended without a report.';

const nothingYet = (agentId: string, { type, title }: SubAgentRequest): SubAgentProgress => ({
  agentId,
  type,
  title,
  lastLine: '',
  calls: 0,
  costUsd: 0,
});

function statusOf(terminal: string | undefined, signal: AbortSignal): SubAgentEnd {
  if (signal.aborted) return 'cancelled';
  return terminal === 'completed' ? 'completed' : 'failed';
}

/** Returns the progress after an event: a new one where a person would see a difference. Pure but for the costs. */
function progressAfter(
  before: SubAgentProgress,
  event: AgentEvent,
  state: AgentState,
): SubAgentProgress {
  switch (event.type) {
    case 'call_changed':
      if (event.status !== 'running') return before;
      return { ...before, lastLine: lineOf(event.title) };
    case 'call_settled':
      return { ...before, calls: before.calls + 1, lastLine: lineOf(event.title) };
    case 'message_finished':
      return { ...before, costUsd: state.transcript().query?.spend.costUsd ?? before.costUsd };
    default:
      return before;
  }
}

const lineOf = ({ verb, target }: { readonly verb: string; readonly target: string }): string =>
  `${verb} ${target}`.trim().slice(0, 200);
