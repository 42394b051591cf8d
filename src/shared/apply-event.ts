import {
  type AgentEvent,
  LOG_WRITE_FAILED,
  LOG_WRITE_RECOVERED,
  MAIN_AGENT,
  type Stamped,
} from './agent-event';
import { addCosts, missingCosts, type Spends, totalSpend } from './facts';
import { foldAgent, queryWith } from './fold-agent';
import type { Approval } from './permission';
import type { Task } from './task';
import {
  type AgentTranscript,
  EMPTY_AGENT,
  MAX_DENIALS,
  type PendingApproval,
  type SubAgent,
  type Transcript,
} from './transcript';
import { createDraft, type Draft, NOTHING, settleDraft } from './transcript-draft';

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

/** The changes of an event to the parts of a transcript that belong to no agent alone. */
type SessionChange = Partial<Omit<Transcript, 'committed' | 'active'>>;

function createFold(start: Transcript, indexed: boolean): TranscriptFold {
  const main = createDraft(start, indexed);
  /** Drafts of sub-agents that events were folded into. */
  const drafts = new Map<string, Draft>();
  let settled = start;
  /** The last event that was folded in. It changes with every event, so it is put into the transcript when that is asked for. */
  let last: Pick<Transcript, 'epoch' | 'seq'> = start;

  const change = (part: SessionChange) => {
    if (part !== NOTHING) main.t = { ...main.t, ...part };
  };
  const draftOf = (agentId: string): Draft | null => {
    if (agentId === MAIN_AGENT) return main;
    const known = drafts.get(agentId);
    if (known) return known;
    const kept = main.t.agents.find(({ id }) => id === agentId)?.transcript;
    if (!kept) return null;
    const draft = createDraft(kept, indexed);
    drafts.set(agentId, draft);
    return draft;
  };

  /** Adds a spend to the session, and to the running queries of the agents above the one that spent it. */
  const addSpent = (agentId: string, spent: Spends, tool?: string) => {
    const own = agentId === MAIN_AGENT ? tool : AGENT_TOOL;
    change({ costs: addCosts(main.t.costs, agentId, spent, own) });
    for (let id = parentOf(main.t, agentId); id !== null; id = parentOf(main.t, id)) {
      const parent = draftOf(id);
      if (parent) parent.t = { ...parent.t, ...queryWith(parent.t, totalSpend(spent)) };
    }
  };

  const foldSession = ({ agentId, event, at }: Stamped): void => {
    switch (event.type) {
      case 'message_finished':
      case 'side_call': {
        const spend = { usage: event.usage, costUsd: event.costUsd, requests: 1 };
        const tool = event.type === 'side_call' ? event.tool : undefined;
        addSpent(agentId, { [event.model]: spend }, tool);
        break;
      }
      case 'agent_settled': {
        const end = { status: event.status, endedAt: at };
        change({
          agents: main.t.agents.map((agent) =>
            agent.id === event.agentId ? { ...agent, ...end } : agent,
          ),
        });
        addSpent(event.agentId, missingCosts(main.t.costs, event.agentId, event.spend));
        break;
      }
      default:
        change(changeOf(main.t, event, agentId, at));
    }
  };

  return {
    apply: (stamped) => {
      const { agentId, epoch, seq } = stamped;
      if (epoch === last.epoch && seq <= last.seq) return;
      const draft = draftOf(agentId);
      if (draft) foldAgent(draft, stamped, main.t.cwd);
      foldSession(stamped);
      last = { epoch, seq };
    },
    restoreAgent: (agentId, transcript) => {
      drafts.delete(agentId);
      change({
        agents: main.t.agents.map((agent) =>
          agent.id === agentId ? { ...agent, transcript } : agent,
        ),
      });
    },
    transcript: () => {
      if (last.epoch === settled.epoch && last.seq === settled.seq) return settled;
      change({ epoch: last.epoch, seq: last.seq });
      const agents = main.t.agents.map((agent) => {
        const draft = drafts.get(agent.id);
        return draft && agent.transcript ? { ...agent, transcript: settleDraft(draft) } : agent;
      });
      drafts.clear();
      settled = settleDraft({ ...main, t: agents.length === 0 ? main.t : { ...main.t, agents } });
      main.t = settled;
      return settled;
    },
  };
}

/** Returns how an event changes what belongs to the whole session, whoever it happened to. */
function changeOf(t: Transcript, event: AgentEvent, agentId: string, at: number): SessionChange {
  switch (event.type) {
    case 'session_started':
      return { cwd: event.cwd, createdAt: event.createdAt, demo: event.demo ?? false };
    case 'title_changed':
      return { title: event.title };
    case 'approval_requested':
      return { approvals: [...t.approvals, ofAgent(t, event.approval, agentId)] };
    case 'approval_withdrawn':
    case 'approval_answered':
      return { approvals: t.approvals.filter(({ id }) => id !== event.approvalId) };
    case 'call_denied':
      return { denials: [...t.denials, event.denial].slice(-MAX_DENIALS) };
    case 'queue_changed':
      // What waits for a sub-agent is no prompt of the person.
      return agentId === MAIN_AGENT ? { queue: event.queue } : NOTHING;
    case 'task_started':
    case 'task_changed':
    case 'task_settled':
      // A foreground task is shown by its call.
      return event.task.isBackgrounded ? { tasks: upsertTask(t.tasks, event.task) } : NOTHING;
    case 'task_evicted':
      return { tasks: t.tasks.filter((task) => task.id !== event.taskId) };
    case 'notice':
      if (event.code === LOG_WRITE_FAILED)
        return { unsaved: [event.text, event.fix ?? ''].join(' ').trim() };
      return event.code === LOG_WRITE_RECOVERED ? { unsaved: null } : NOTHING;
    case 'agent_started':
      return { agents: withStarted(t.agents, event, at) };
    default:
      return NOTHING;
  }
}

/** The name of the tool that sub-agents are started with; their spend counts as its. */
const AGENT_TOOL = 'Agent';

/** Returns a question with the agent it came from; one of a sub-agent says whose it is. */
function ofAgent(t: Transcript, approval: Approval, agentId: string): PendingApproval {
  const asking = t.agents.find(({ id }) => id === agentId);
  return { ...approval, agentId, ...(asking ? { agent: asking.title } : {}) };
}

const parentOf = (t: Transcript, agentId: string): string | null =>
  t.agents.find(({ id }) => id === agentId)?.parentId ?? null;

/** Finished sub-agents whose conversation is kept in the transcript; those before them are in their logs. */
const MAX_KEPT_AGENTS = 20;

function withStarted(
  agents: readonly SubAgent[],
  { agent }: Extract<AgentEvent, { type: 'agent_started' }>,
  at: number,
): readonly SubAgent[] {
  const ended = agents.filter(({ status, transcript }) => status !== 'running' && transcript);
  const dropped = new Set(ended.slice(0, -MAX_KEPT_AGENTS).map(({ id }) => id));
  const kept = agents.map((known) =>
    dropped.has(known.id) ? { ...known, transcript: null } : known,
  );
  const known = kept.find(({ id }) => id === agent.id);
  if (known === undefined)
    return [...kept, { ...agent, status: 'running', startedAt: at, transcript: EMPTY_AGENT }];
  // It is taken up again: what it said before stays, here or in its log.
  const { transcript, startedAt } = known;
  return kept.map((one) =>
    one === known ? { ...agent, status: 'running', startedAt, transcript } : one,
  );
}

const upsertTask = (tasks: readonly Task[], task: Task): readonly Task[] =>
  tasks.some((known) => known.id === task.id)
    ? tasks.map((known) => (known.id === task.id ? task : known))
    : [...tasks, task];
