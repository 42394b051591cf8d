import { ArrowLeft } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { SubAgent, Transcript } from '../../shared/transcript';
import { useCardActions } from '../app/conversation-acts';
import { Conversation } from '../chat/Conversation';
import { agentTranscript, cancelCall } from '../store/sessions';
import { stopTask } from '../store/terminals';
import { useLathe, useScreen } from '../store/use-lathe';
import { useStoredTranscript } from '../tool-cards/AgentCard';
import { IconButton } from '../ui/Button';
import { focusHome } from '../ui/Dialog';
import { Spinner } from '../ui/Marks';
import { AgentTree } from './AgentTree';

/** The agents of the session on screen, and the conversation of one of them beside that of the main agent. */
export function AgentsPanel({ transcript }: { readonly transcript: Transcript | null }) {
  const lathe = useLathe();
  const shown = useScreen((s) => s.shownAgent);
  const agent = transcript?.agents.find(({ id }) => id === shown);
  /** The agent whose conversation was open before the list of all. */
  const [left, setLeft] = useState<string | null>(null);
  const show = (shownAgent: string | null) => {
    lathe.store.setState({ shownAgent });
    if (shownAgent === null) focusHome();
  };
  if (transcript !== null && agent !== undefined) {
    const back = () => {
      setLeft(agent.id);
      lathe.store.setState({ shownAgent: null });
    };
    return <OneAgent key={agent.id} transcript={transcript} agent={agent} onBack={back} />;
  }
  const stop = (agentId: string) => {
    const task = transcript?.tasks.find(({ subAgentId }) => subAgentId === agentId);
    const callId = transcript?.agents.find(({ id }) => id === agentId)?.callId;
    if (task !== undefined) void stopTask(lathe, task.sessionId, task.id);
    else if (transcript !== null && callId !== undefined)
      void cancelCall(lathe, transcript.sessionId, callId);
  };
  return <AgentTree transcript={transcript} left={left} onShow={show} onStop={stop} />;
}

function OneAgent({
  transcript,
  agent,
  onBack,
}: {
  readonly transcript: Transcript;
  readonly agent: SubAgent;
  readonly onBack: () => void;
}) {
  const lathe = useLathe();
  const { sessionId } = transcript;
  const onAction = useCardActions(sessionId);
  const load = useCallback(
    (agentId: string) => agentTranscript(lathe, sessionId, agentId),
    [lathe, sessionId],
  );
  const stored = useStoredTranscript(agent.transcript === null ? agent.id : null, load);
  const own = agent.transcript ?? stored;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The row that opened it had the focus, and is gone.
    if (document.activeElement === document.body) heading.current?.focus();
  }, []);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex h-8 shrink-0 items-center gap-1 border-b border-line px-1.5">
        <IconButton icon={ArrowLeft} label="All agents" onClick={onBack} />
        <h2
          ref={heading}
          tabIndex={-1}
          className="min-w-0 flex-1 truncate rounded-sm px-1 text-code font-medium -outline-offset-2"
          title={agent.title}
        >
          {agent.title} <span className="pl-1 text-meta font-normal text-ink-3">{agent.type}</span>
        </h2>
      </div>
      <div className="min-h-0 flex-1">
        {own === null || own === 'loading' ? (
          <p className="flex items-center gap-2 px-3 py-2 text-meta text-ink-3">
            {own === null ? (
              'Its conversation is no longer on disk.'
            ) : (
              <>
                <Spinner /> Loading its conversation
              </>
            )}
          </p>
        ) : (
          <Conversation
            transcript={{ ...transcript, ...own }}
            onAction={onAction}
            loadAgent={load}
            ofAgent={agent.title}
          />
        )}
      </div>
    </div>
  );
}
