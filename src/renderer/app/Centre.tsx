import { type ReactNode, type RefObject, useCallback } from 'react';
import { Conversation } from '../chat/Conversation';
import { copyPlace } from '../store/copy-place';
import { currentTranscript } from '../store/screen';
import { retryNow, stopSession } from '../store/sessions';
import { moveToBackground, showTerminal } from '../store/terminals';
import { useLathe, useScreen } from '../store/use-lathe';
import type { CardAction } from '../tool-cards/card-action';
import { Notice } from '../ui/Notice';
import { Spinner } from '../ui/Spinner';
import { Approvals } from './Approvals';
import { ComposerBox } from './ComposerBox';
import type { CommandId } from './keys';
import { TitleBar } from './TitleBar';
import { Welcome } from './Welcome';

/** The middle column: title, conversation, questions, and where one writes. */
export function Centre({
  composer,
  banner,
  onCommand,
}: {
  readonly composer: RefObject<HTMLTextAreaElement | null>;
  readonly banner: ReactNode;
  readonly onCommand: (id: CommandId) => void;
}) {
  const sessionId = useScreen((s) => s.sessionId);
  return (
    <div className="relative flex h-full min-h-0 flex-col bg-canvas">
      <TitleBar onCommand={onCommand} />
      {banner}
      <div className="min-h-0 flex-1">
        {sessionId === null ? <Welcome /> : <SessionView key={sessionId} sessionId={sessionId} />}
      </div>
      <ComposerBox key={sessionId ?? ''} inputRef={composer} onCommand={onCommand} />
      <Approvals />
    </div>
  );
}

function SessionView({ sessionId }: { readonly sessionId: string }) {
  const onAction = useCardActions(sessionId);
  const transcript = useScreen(currentTranscript);
  const feed = useScreen((s) => s.feeds[sessionId]);
  if (transcript === null) {
    return feed?.kind === 'failed' ? (
      <div className="mx-auto max-w-xl p-6">
        <Notice level="error" title="This session could not be loaded">
          {feed.fault.message} Nothing in it was lost; Lathe keeps trying.
        </Notice>
      </div>
    ) : (
      <p className="flex h-full items-center justify-center gap-2 text-code text-ink-3">
        <Spinner /> Loading the session
      </p>
    );
  }
  return <Conversation transcript={transcript} onAction={onAction} empty={<Welcome />} />;
}

/** Carries out what is asked for from the cards of the conversation. */
function useCardActions(sessionId: string): (action: CardAction) => void {
  const lathe = useLathe();
  return useCallback(
    (action) => {
      const { store } = lathe;
      switch (action.type) {
        case 'showTerminal':
          store.setState({ dockOpen: true });
          return showTerminal(lathe, action.terminalId);
        case 'showTask':
          return store.setState({ dockOpen: true, dockTab: 'tasks' });
        case 'background':
          return void moveToBackground(lathe, sessionId, action.callId);
        case 'retryNow':
          return void retryNow(lathe, sessionId);
        case 'stop':
          return void stopSession(lathe);
        case 'openFile':
          return void copyPlace(lathe, action.path, action.line);
      }
    },
    [lathe, sessionId],
  );
}
