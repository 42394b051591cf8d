import { Columns2, ListTree, RotateCw } from 'lucide-react';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { MAIN_AGENT } from '../../shared/agent-event';
import { asSentence } from '../../shared/dividers';
import type { ToolView } from '../../shared/tool-call';
import type { AgentTranscript, CallItem, SubAgent } from '../../shared/transcript';
import { Button, IconButton } from '../ui/Button';
import { elapsed, money, plural } from '../ui/format';
import { Spinner } from '../ui/Marks';
import { useNow } from '../ui/use-now';
import { CardFrame, type OnCardAction } from './CardFrame';

/** The sub-agents of the conversation that a card stands in, and how their own conversations are drawn. */
export interface AgentsOfConversation {
  readonly agents: readonly SubAgent[];
  /** Fetches a conversation that is no longer held here; null when it cannot be had. */
  readonly load: (agentId: string) => Promise<AgentTranscript | null>;
  readonly draw: (transcript: AgentTranscript) => ReactNode;
}

export const AgentsContext = createContext<AgentsOfConversation>({
  agents: [],
  load: async () => null,
  draw: () => null,
});

type AgentView = Extract<ToolView, { kind: 'agent' }>;

/** A sub-agent: what it was asked, how far it has come, and its whole conversation, live. */
export function AgentCard({
  call,
  view,
  onAction,
}: {
  readonly call: CallItem;
  readonly view: AgentView;
  readonly onAction: OnCardAction;
}) {
  const { agents, load, draw } = useContext(AgentsContext);
  const agent = agents.find(({ id }) => id === view.agentId);
  const kept = agent?.transcript ?? null;
  const stored = useStoredTranscript(kept === null ? view.agentId : null, load);
  const transcript = kept ?? (stored === 'loading' ? null : stored);
  return (
    <CardFrame
      label={`Conversation of ${view.title}`}
      footer={
        <>
          <Facts call={call} view={view} agent={agent} transcript={transcript} />
          <span className="flex-1" />
          {agent === undefined ? null : (
            <IconButton
              icon={Columns2}
              label="Open beside"
              onClick={() => onAction({ type: 'showAgent', agentId: view.agentId })}
            />
          )}
          <WhereItWorks call={call} view={view} agent={agent} onAction={onAction} />
        </>
      }
    >
      {transcript !== null ? (
        <div className="py-1">
          {draw(transcript)}
          <PauseLine transcript={transcript} onAction={onAction} />
        </div>
      ) : (
        <p className="flex items-center gap-2 px-3 py-2 text-meta text-ink-3">
          {stored === 'loading' ? (
            <>
              <Spinner /> Loading its conversation
            </>
          ) : (
            'Its conversation is no longer on disk.'
          )}
        </p>
      )}
    </CardFrame>
  );
}

/** Reason for which a sub-agent waits where no step of it shows that: another try of a request, or a summary. */
function PauseLine({
  transcript,
  onAction,
}: {
  readonly transcript: AgentTranscript;
  readonly onAction: OnCardAction;
}) {
  const { running, waiting, compacting } = transcript;
  const now = useNow(running !== null && waiting !== null, 1000, waiting?.until);
  const text = pauseText(transcript, now);
  if (text === null) return null;
  return (
    <p className="flex items-center gap-2 px-6 py-1 text-meta text-ink-2 tabular-nums">
      {compacting ? <Spinner size={12} /> : null}
      <span className="min-w-0 [overflow-wrap:anywhere]">{text}</span>
      {waiting && waiting.until > now ? (
        <Button size="sm" icon={RotateCw} onClick={() => onAction({ type: 'retryNow' })}>
          Try now
        </Button>
      ) : null}
    </p>
  );
}

/** Describes in one line what a sub-agent waits for; null for nothing. `now`: epoch milliseconds. */
export function pauseText(
  { running, waiting, compacting }: Pick<AgentTranscript, 'running' | 'waiting' | 'compacting'>,
  now: number,
): string | null {
  if (running === null) return null;
  if (waiting) {
    const { reason, attempt, maxAttempts, until } = waiting;
    const left = until - now;
    const next =
      left > 0 ? `Trying again in ${elapsed(Math.ceil(left / 1000) * 1000)}` : 'Trying again';
    return `${asSentence(reason)} ${next} (try ${attempt} of ${maxAttempts})`;
  }
  return compacting ? 'Summarising its conversation…' : null;
}

function Facts({
  call,
  view,
  agent,
  transcript,
}: {
  readonly call: CallItem;
  readonly view: AgentView;
  readonly agent: SubAgent | undefined;
  readonly transcript: AgentTranscript | null;
}) {
  const { calls, costUsd } = agentCounts(view, transcript);
  const goesOn = view.taskId !== undefined && agent?.status === 'running';
  const facts = [
    ...(goesOn ? ['In the background'] : []),
    plural(calls, 'call', 'calls'),
    ...(costUsd > 0 ? [money(costUsd)] : []),
    ...(transcript?.model ? [transcript.model] : []),
    ...(call.status === 'running' && view.lastLine !== '' ? [view.lastLine] : []),
  ];
  return <span className="min-w-0 truncate">{facts.join(' · ')}</span>;
}

/** Returns how much a sub-agent did. The call of one that went on alone ended long before it. Pure. */
export function agentCounts(
  { taskId, calls, costUsd }: Pick<AgentView, 'taskId' | 'calls' | 'costUsd'>,
  transcript: AgentTranscript | null,
): { readonly calls: number; readonly costUsd: number } {
  if (taskId === undefined || transcript === null) return { calls, costUsd };
  const items = [...transcript.committed, ...transcript.active];
  return {
    calls: items.filter(({ kind }) => kind === 'call').length,
    costUsd: Math.max(costUsd, transcript.query?.spend.costUsd ?? 0),
  };
}

/** Offers to let a sub-agent go on alone, and leads to the task of one that does. */
function WhereItWorks({
  call,
  view: { taskId },
  agent,
  onAction,
}: {
  readonly call: CallItem;
  readonly view: AgentView;
  readonly agent: SubAgent | undefined;
  readonly onAction: OnCardAction;
}) {
  if (taskId !== undefined) {
    return (
      <Button
        size="sm"
        variant="ghost"
        icon={ListTree}
        onClick={() => onAction({ type: 'showTask', taskId })}
      >
        Task
      </Button>
    );
  }
  // A sub-agent's own agents are always waited for.
  if (call.status !== 'running' || agent?.parentId !== MAIN_AGENT) return null;
  return (
    <Button
      size="sm"
      variant="ghost"
      onClick={() => onAction({ type: 'background', callId: call.id })}
    >
      Move to background
    </Button>
  );
}

/** Loads a conversation from its log when the card is opened. Null id: nothing is to be loaded. */
export function useStoredTranscript(
  agentId: string | null,
  load: AgentsOfConversation['load'],
): AgentTranscript | 'loading' | null {
  const [stored, setStored] = useState<AgentTranscript | 'loading' | null>('loading');
  useEffect(() => {
    if (agentId === null) return;
    let gone = false;
    load(agentId).then(
      (transcript) => !gone && setStored(transcript),
      () => !gone && setStored(null),
    );
    return () => {
      gone = true;
    };
  }, [agentId, load]);
  return stored;
}
