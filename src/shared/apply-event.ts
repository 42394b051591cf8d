import {
  type AgentEvent,
  LOG_WRITE_FAILED,
  LOG_WRITE_RECOVERED,
  MAIN_AGENT,
  type Stamped,
} from './agent-event';
import { foldCosts, type Spends, totalSpend } from './facts';
import { foldAgent, queryWith } from './fold-agent';
import { type FilesChanged, markCalls, markUndone, tookOf, undoneBy } from './fold-changes';
import { createKeyed, type Keyed } from './keyed';
import type { Approval } from './permission';
import { queueAfter } from './queued-prompt';
import {
  type AgentTranscript,
  EMPTY_AGENT,
  MAX_DENIALS,
  type PendingApproval,
  type SubAgent,
  type Transcript,
} from './transcript';
import { changeDraft, createDraft, type Draft, NOTHING, settleDraft } from './transcript-draft';

/** A transcript that takes in event after event, each at a cost that does not grow with it. */
export interface TranscriptFold {
  apply(stamped: Stamped): void;
  /** Puts the conversation of a sub-agent into the transcript, whose log holds it. */
  restoreAgent(agentId: string, transcript: AgentTranscript): void;
  /** The transcript so far. Later events do not change what was given out. */
  transcript(): Transcript;
}

/** Begins a fold at `start`. For many events; {@link applyEvent} is the same fold for a few. */
export const foldFrom = (start: Transcript): TranscriptFold => createFold(start, true);

/** Folds one event into a transcript. Pure; an event folded in before (same epoch, old seq) changes nothing. */
export const applyEvent = (t: Transcript, stamped: Stamped): Transcript =>
  applyEvents(t, [stamped]);

/** Folds some events into a transcript, in order. Pure. */
export function applyEvents(t: Transcript, batch: readonly Stamped[]): Transcript {
  const fold = createFold(t, false);
  for (const stamped of batch) fold.apply(stamped);
  return fold.transcript();
}

/** The changes of an event to the plain parts of a transcript that belong to no agent alone. */
type SessionChange = Partial<
  Omit<Transcript, 'committed' | 'active' | 'agents' | 'tasks' | 'approvals' | 'costs'>
>;

function createFold(start: Transcript, indexed: boolean): TranscriptFold {
  const main = createDraft(start, indexed);
  const agents = createAgents(start.agents);
  const tasks = createKeyed(start.tasks);
  const approvals = createKeyed(start.approvals);
  const costs = foldCosts(start.costs);
  /** Drafts of sub-agents that events were folded into. */
  const drafts = new Map<string, Draft>();
  let settled = start;
  /** The last event that was folded in. It changes with every event, so it is put into the transcript when that is asked for. */
  let last: Pick<Transcript, 'epoch' | 'seq'> = start;

  const change = (part: SessionChange) => {
    if (part !== NOTHING) changeDraft(main, part);
  };
  const draftOf = (agentId: string): Draft | null => {
    if (agentId === MAIN_AGENT) return main;
    const known = drafts.get(agentId);
    if (known) return known;
    const kept = agents.get(agentId)?.transcript;
    if (!kept) return null;
    const draft = createDraft(kept, indexed);
    drafts.set(agentId, draft);
    return draft;
  };
  const parentOf = (agentId: string): string | null => agents.get(agentId)?.parentId ?? null;

  /** Adds a spend to the session, and to the running queries of the agents above the one that spent it. */
  const addSpent = (agentId: string, spent: Spends, tool?: string) => {
    costs.add(agentId, spent, agentId === MAIN_AGENT ? tool : AGENT_TOOL);
    for (let id = parentOf(agentId); id !== null; id = parentOf(id)) {
      const parent = draftOf(id);
      if (parent) changeDraft(parent, queryWith(parent.t, totalSpend(spent)));
    }
  };

  /** Marks the calls of sub-agents that changed files, or whose changes were undone or given again. */
  const markAgents = (event: FilesChanged) => {
    const { cause } = event;
    const marked = undoneBy(event, (restore) => tookOf(main, restore));
    for (const { id, callId } of agents.list()) {
      const isAround = cause.kind !== 'restore' && cause.within?.includes(callId) === true;
      const draft = isAround || marked !== null ? draftOf(id) : null;
      if (draft === null) continue;
      if (marked === null) markCalls(draft, event);
      else markUndone(draft, marked);
    }
  };

  /** Folds in what belongs to the whole session, whoever it happened to. */
  const foldSession = ({ agentId, event, at }: Stamped): void => {
    switch (event.type) {
      case 'message_finished':
      case 'side_call': {
        const spend = { usage: event.usage, costUsd: event.costUsd, requests: 1 };
        const tool = event.type === 'side_call' ? event.tool : undefined;
        addSpent(agentId, { [event.model]: spend }, tool);
        break;
      }
      case 'agent_started':
        for (const id of agents.start(event.agent, at)) drafts.delete(id);
        break;
      case 'agent_settled': {
        const known = agents.get(event.agentId);
        if (known) agents.put({ ...known, status: event.status, endedAt: at });
        addSpent(event.agentId, costs.missing(event.agentId, event.spend));
        break;
      }
      case 'approval_requested':
        approvals.put(ofAgent(agents.get(agentId), event.approval, agentId));
        break;
      case 'approval_withdrawn':
      case 'approval_answered':
        approvals.remove(event.approvalId);
        break;
      case 'task_started':
      case 'task_changed':
      case 'task_settled':
        // A foreground task is shown by its call.
        if (event.task.isBackgrounded) tasks.put(event.task);
        break;
      case 'task_evicted':
        tasks.remove(event.taskId);
        break;
      default:
        change(changeOf(main.t, event, agentId));
    }
  };

  return {
    apply: (stamped) => {
      const { agentId, epoch, seq, event } = stamped;
      if (epoch === last.epoch && seq <= last.seq) return;
      if (event.type === 'files_changed') markAgents(event);
      const draft = draftOf(agentId);
      if (draft) foldAgent(draft, stamped, main.t.cwd);
      foldSession(stamped);
      last = { epoch, seq };
    },
    restoreAgent: (agentId, transcript) => {
      drafts.delete(agentId);
      const known = agents.get(agentId);
      if (known) agents.put({ ...known, transcript });
    },
    transcript: () => {
      if (last.epoch === settled.epoch && last.seq === settled.seq) return settled;
      for (const [id, draft] of drafts) {
        const agent = agents.get(id);
        if (agent?.transcript) agents.put({ ...agent, transcript: settleDraft(draft) });
      }
      drafts.clear();
      const parts = { agents: agents.list(), tasks: tasks.list(), approvals: approvals.list() };
      changeDraft(main, { ...last, ...parts, costs: costs.costs() });
      settled = settleDraft(main);
      return settled;
    },
  };
}

/** Returns how an event changes the plain parts that belong to the whole session. */
function changeOf(t: Transcript, event: AgentEvent, agentId: string): SessionChange {
  switch (event.type) {
    case 'session_started':
      return { cwd: event.cwd, createdAt: event.createdAt, demo: event.demo ?? false };
    case 'title_changed':
      return { title: event.title };
    case 'color_changed':
      return { color: event.color };
    case 'call_denied':
      return { denials: [...t.denials, event.denial].slice(-MAX_DENIALS) };
    case 'queue_changed':
      // What waits for a sub-agent is no prompt of the user.
      return agentId === MAIN_AGENT ? { queue: queueAfter(t.queue, event) } : NOTHING;
    case 'plan_limits':
      return { planLimits: event.limits };
    case 'terminal_signals': {
      const title = event.signals.findLast(({ kind }) => kind === 'title');
      return title?.kind === 'title' ? { windowTitle: title.text } : NOTHING;
    }
    case 'status_line':
      return { statusLine: event.text };
    case 'notice':
      if (event.code === LOG_WRITE_FAILED)
        return { unsaved: [event.text, event.fix ?? ''].join(' ').trim() };
      return event.code === LOG_WRITE_RECOVERED ? { unsaved: null } : NOTHING;
    default:
      return NOTHING;
  }
}

/** The name of the tool that sub-agents are started with; their spend counts as its. */
const AGENT_TOOL = 'Agent';

/** Returns a question with the agent it came from; one of a sub-agent says whose it is. */
const ofAgent = (
  asking: SubAgent | undefined,
  approval: Approval,
  agentId: string,
): PendingApproval => ({ ...approval, agentId, ...(asking ? { agent: asking.title } : {}) });

/** Finished sub-agents whose conversation is kept in the transcript; those before them are in their logs. */
const MAX_KEPT_AGENTS = 20;

/** The sub-agents of a session, in the order they were started. */
interface Agents extends Keyed<SubAgent> {
  /** Puts a started sub-agent in. Returns the ids of those that have ended and whose conversation goes for it. */
  start(agent: Extract<AgentEvent, { type: 'agent_started' }>['agent'], at: number): string[];
}

function createAgents(start: readonly SubAgent[]): Agents {
  const agents = createKeyed(start);
  /** Ended ones whose conversation is there; null while nobody asked. */
  let ended: Set<string> | null = null;
  const put = (agent: SubAgent) => {
    agents.put(agent);
    const isKept = agent.status !== 'running' && agent.transcript !== null;
    if (isKept) ended?.add(agent.id);
    else ended?.delete(agent.id);
  };
  const dropOld = (): string[] => {
    ended ??= new Set(
      agents
        .list()
        .filter(({ status, transcript }) => status !== 'running' && transcript)
        .map(({ id }) => id),
    );
    const dropped = [...ended].slice(0, -MAX_KEPT_AGENTS);
    for (const id of dropped) {
      const agent = agents.get(id);
      if (agent) put({ ...agent, transcript: null });
    }
    return dropped;
  };
  return {
    ...agents,
    put,
    start: (agent, at) => {
      const dropped = dropOld();
      const known = agents.get(agent.id);
      // One that is taken up again: what it said before stays, here or in its log.
      const { transcript, startedAt } = known ?? { transcript: EMPTY_AGENT, startedAt: at };
      put({ ...agent, status: 'running', startedAt, transcript });
      return dropped;
    },
  };
}
