import { GitFork, Pin, Undo2 } from 'lucide-react';
import { useCallback } from 'react';
import type { PromptMenu } from '../chat/ConversationRow';
import { pointedAt, pointedEntries } from '../chat/pointed';
import { changeContext } from '../context/SummaryDialog';
import { editFile, showFile } from '../store/files';
import { askToGoBack } from '../store/restore';
import { currentTranscript } from '../store/screen';
import { cancelCall, continueWork, forkSession, retryNow, stopSession } from '../store/sessions';
import { moveToBackground, showTerminal, takeWheel } from '../store/terminals';
import { copyText } from '../store/toasts';
import { useLathe, useScreen } from '../store/use-lathe';
import type { CardAction } from '../tool-cards/CardFrame';
import { focusHome } from '../ui/Dialog';
import type { MenuEntry } from '../ui/Menu';

const NO_PINS: readonly string[] = [];

/** Makes the menu of a prompt: going back to it, forking there, and keeping it word for word. */
export function usePromptMenu(sessionId: string): PromptMenu {
  const lathe = useLathe();
  const pins = useScreen((s) => currentTranscript(s)?.pins ?? NO_PINS);
  return useCallback<PromptMenu>(
    ({ id: promptId }) => [
      {
        kind: 'item',
        id: 'rewind',
        label: 'Edit and send again',
        icon: Undo2,
        onSelect: () =>
          void askToGoBack(lathe, sessionId, promptId).then((gone) => gone && focusHome()),
      },
      {
        kind: 'item',
        id: 'fork',
        label: 'Fork from here',
        icon: GitFork,
        onSelect: () =>
          void forkSession(lathe, sessionId, { kind: 'prompt', promptId }).then(focusHome),
      },
      {
        kind: 'item',
        id: 'pin',
        label: pins.includes(promptId) ? 'Let summaries replace it' : 'Keep word for word',
        icon: Pin,
        onSelect: () =>
          void changeContext(lathe, sessionId, {
            ...{ kind: 'pin', messageId: promptId, pinned: !pins.includes(promptId) },
          }),
      },
    ],
    [lathe, sessionId, pins],
  );
}

/** Makes the context menu of the conversation. */
export function useContextEntries(): (target: Element) => readonly MenuEntry[] {
  const lathe = useLathe();
  const { store, current, openLink } = lathe;
  return useCallback(
    (target) =>
      pointedEntries(pointedAt(target, window.getSelection()?.toString() ?? ''), {
        copy: (text) => void copyText(store, text),
        showFile: (path) => showFile(lathe, path, undefined),
        editFile: (path) => void editFile(lathe, { path }),
        openLink,
        addToPrompt: (text) => {
          current.addToDraft(text);
          focusHome();
        },
      }),
    [lathe, store, current, openLink],
  );
}

/** Carries out what is asked for from the cards of the conversation. */
export function useCardActions(sessionId: string): (action: CardAction) => void {
  const lathe = useLathe();
  return useCallback(
    (action) => {
      const { store } = lathe;
      switch (action.type) {
        case 'showTerminal':
          store.setState({ dockOpen: true });
          return showTerminal(lathe, action.terminalId);
        case 'takeWheel':
          store.setState({ dockOpen: true });
          showTerminal(lathe, action.terminalId);
          lathe.terminals.focus(action.terminalId);
          return void takeWheel(lathe, action.terminalId, true);
        case 'showTask':
          return store.setState({ dockOpen: true, dockTab: 'tasks' });
        case 'showAgent':
          return store.setState({
            dockOpen: true,
            dockTab: 'agents',
            shownAgent: action.agentId,
          });
        case 'background':
          return void moveToBackground(lathe, sessionId, action.callId);
        case 'cancelCall':
          return void cancelCall(lathe, sessionId, action.callId);
        case 'continueWork':
          return void continueWork(lathe, sessionId, action.forSession);
        case 'retryNow':
          return void retryNow(lathe, sessionId);
        case 'stop':
          return void stopSession(lathe);
        case 'openBranch':
          return void forkSession(lathe, sessionId, { kind: 'rewind', rewindId: action.rewindId });
        case 'undoSummary':
          return void changeContext(lathe, sessionId, {
            kind: 'undo',
            summaryId: action.summaryId,
          });
        case 'restore':
          return store.setState({ dialog: { kind: 'restore', sessionId, point: action.point } });
        case 'openFile':
          return showFile(lathe, action.path, action.line);
      }
    },
    [lathe, sessionId],
  );
}
