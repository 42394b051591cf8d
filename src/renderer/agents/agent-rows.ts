import { MAIN_AGENT } from '../../shared/agent-event';
import type { Costs } from '../../shared/facts';
import type { AgentTranscript, Item, SubAgent, Transcript } from '../../shared/transcript';
import type { WorkState } from '../ui/Marks';

/** One line of the tree of agents. */
export interface AgentRow {
  /** Null for the main agent. */
  readonly agent: SubAgent | null;
  readonly depth: number;
  readonly state: WorkState;
  /** Its own cost with that of all below it. US dollars. */
  readonly costUsd: number;
  /** The last thing that it did or said. */
  readonly lastLine: string;
  /** It works, and can be stopped by itself: that of a hook ends with what the hook is about. */
  readonly mayStop: boolean;
}

/** At most this many sub-agents that ended are listed, the newest. */
const SHOWN_ENDED = 100;
const MAX_LINE = 200;

/** Returns the main agent and below each agent those that it started, in the order they began. Pure. */
export function agentRows(transcript: Transcript): readonly AgentRow[] {
  const { agents, approvals, costs } = transcript;
  const ended = agents.filter(({ status }) => status !== 'running');
  const left = new Set(ended.slice(0, Math.max(0, ended.length - SHOWN_ENDED)));
  const asking = new Set(approvals.map(({ agentId }) => agentId));
  const byParent = Map.groupBy(agents, ({ parentId }) => parentId);
  const costOf = (id: string): number =>
    ownCost(costs, id) + (byParent.get(id) ?? []).reduce((sum, one) => sum + costOf(one.id), 0);
  const below = (id: string, depth: number): readonly AgentRow[] =>
    (byParent.get(id) ?? []).flatMap((agent) => [
      ...(left.has(agent)
        ? []
        : [
            {
              agent,
              depth,
              state: asking.has(agent.id) ? 'waits' : STATES[agent.status],
              costUsd: costOf(agent.id),
              lastLine: agent.transcript === null ? '' : lastLine(agent.transcript),
              mayStop:
                agent.status === 'running' && (agent.callId !== '' || agent.background === true),
            } satisfies AgentRow,
          ]),
      ...below(agent.id, depth + 1),
    ]);
  const main: AgentRow = {
    agent: null,
    depth: 0,
    state: asking.has(MAIN_AGENT) ? 'waits' : transcript.running === null ? 'done' : 'running',
    costUsd: costs.total.costUsd,
    lastLine: lastLine(transcript),
    mayStop: false,
  };
  return [main, ...below(MAIN_AGENT, 1)];
}

const STATES: Readonly<Record<SubAgent['status'], WorkState>> = {
  running: 'running',
  completed: 'done',
  failed: 'failed',
  cancelled: 'stopped',
};

const ownCost = ({ byAgent }: Costs, id: string): number =>
  Object.values(byAgent[id] ?? {}).reduce((sum, { costUsd }) => sum + costUsd, 0);

/** Returns the last thing that an agent did or said, in one line. Pure. */
function lastLine({ committed, active }: AgentTranscript): string {
  const last = active.findLast(isTold) ?? committed.findLast(isTold);
  if (last?.kind === 'call') return `${last.title.verb} ${last.title.target}`.trim();
  const line = last?.kind === 'text' ? last.text.trimEnd().split('\n').at(-1) : '';
  // Without the signs of Markdown: it is no document.
  return (line ?? '')
    .replace(/[`*]+|^#+ /g, '')
    .trim()
    .slice(0, MAX_LINE);
}

const isTold = (item: Item): boolean =>
  item.kind === 'call' || (item.kind === 'text' && item.text.trim() !== '');
