import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import type { ToolView } from '../../shared/tool-call';
import type { AgentTranscript, CallItem, SubAgent } from '../../shared/transcript';
import { money, plural } from '../ui/format';
import { Spinner } from '../ui/Marks';
import { CardFrame } from './CardFrame';

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
export function AgentCard({ call, view }: { readonly call: CallItem; readonly view: AgentView }) {
  const { agents, load, draw } = useContext(AgentsContext);
  const agent = agents.find(({ id }) => id === view.agentId);
  const kept = agent?.transcript ?? null;
  const stored = useStored(kept === null ? view.agentId : null, load);
  const transcript = kept ?? (stored === 'loading' ? null : stored);
  return (
    <CardFrame
      label={`Conversation of ${view.title}`}
      footer={<Facts call={call} view={view} model={transcript?.model} />}
    >
      {transcript !== null ? (
        <div className="py-1">{draw(transcript)}</div>
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

function Facts({
  call,
  view,
  model,
}: {
  readonly call: CallItem;
  readonly view: AgentView;
  readonly model: string | undefined;
}) {
  const facts = [
    plural(view.calls, 'call', 'calls'),
    ...(view.costUsd > 0 ? [money(view.costUsd)] : []),
    ...(model ? [model] : []),
    ...(call.status === 'running' && view.lastLine !== '' ? [view.lastLine] : []),
  ];
  return <span className="min-w-0 truncate tabular-nums">{facts.join(' · ')}</span>;
}

/** Loads a conversation from its log when the card is opened. Null id: nothing is to be loaded. */
function useStored(
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
