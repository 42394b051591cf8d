import { ClipboardCopy, FoldVertical, GitFork, Pin, Undo2 } from 'lucide-react';
import { useCallback } from 'react';
import { allItems, type Item } from '../../shared/transcript';
import type { PromptMenu } from '../chat/ConversationRow';
import { pointedAt, pointedEntries } from '../chat/pointed';
import { changeContext } from '../context/SummaryDialog';
import { editFile, showFile } from '../store/files';
import type { Lathe } from '../store/lathe';
import { askToGoBack } from '../store/restore';
import { currentTranscript, dockAt } from '../store/screen';
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
          void askToGoBack(lathe, sessionId, promptId, true).then((gone) => gone && focusHome()),
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
        id: 'summarise',
        label: 'Summarise up to here…',
        icon: FoldVertical,
        onSelect: () => lathe.store.setState({ dialog: { kind: 'summary', until: promptId } }),
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
    (target) => {
      const pointed = pointedAt(target, window.getSelection()?.toString() ?? '');
      const item = itemAt(lathe, target);
      const copy = (text: string) => void copyText(store, text);
      return [
        ...pointedEntries(pointed, {
          copy,
          showFile: (path) => showFile(lathe, path, undefined),
          editFile: (path) => void editFile(lathe, { path }),
          openLink,
          addToPrompt: (text) => {
            current.addToDraft(text);
            focusHome();
          },
        }),
        ...(pointed.selection === undefined ? answerEntries(item, copy) : []),
        ...forkEntries(lathe, item),
      ];
    },
    [lathe, store, current, openLink],
  );
}

/** Returns what the row of the conversation shows that holds an element; rows of sub-agents stand inside of one. */
function itemAt({ store }: Lathe, target: Element): Item | undefined {
  let found: HTMLElement | null = null;
  for (
    let row = target.closest<HTMLElement>('[data-item]');
    row !== null;
    row = row.parentElement?.closest<HTMLElement>('[data-item]') ?? null
  )
    found = row;
  const id = found?.dataset['item'];
  const transcript = currentTranscript(store.getState());
  return transcript === null ? undefined : allItems(transcript).find((item) => item.id === id);
}

/** Offers the whole text of an answer, as the model wrote it. */
const answerEntries = (
  item: Item | undefined,
  copy: (text: string) => void,
): readonly MenuEntry[] =>
  item?.kind !== 'text'
    ? []
    : [
        {
          kind: 'item',
          id: 'copy-answer',
          label: 'Copy answer',
          icon: ClipboardCopy,
          onSelect: () => copy(item.text),
        },
      ];

/** Offers a session of what was there up to the end of an answer. */
function forkEntries(lathe: Lathe, item: Item | undefined): readonly MenuEntry[] {
  const sessionId = currentTranscript(lathe.store.getState())?.sessionId;
  if (sessionId === undefined || (item?.kind !== 'text' && item?.kind !== 'call')) return [];
  return [
    {
      kind: 'item',
      id: 'fork',
      label: 'Fork after this answer',
      icon: GitFork,
      onSelect: () =>
        void forkSession(lathe, sessionId, { kind: 'item', itemId: item.id }).then(focusHome),
    },
  ];
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
          return store.setState(dockAt('tasks'));
        case 'showAgent':
          store.setState({ shownAgent: action.agentId });
          return store.setState(dockAt('agents'));
        case 'background':
          return void moveToBackground(lathe, sessionId, action.callId);
        case 'cancelCall':
          return void cancelCall(lathe, sessionId, action.callId);
        case 'continueWork':
          // Its button goes away.
          focusHome();
          return void continueWork(lathe, sessionId, action.forSession);
        case 'retryNow':
          focusHome();
          return void retryNow(lathe, sessionId);
        case 'stop':
          return void stopSession(lathe);
        case 'connection':
          return store.setState({ dialog: { kind: 'settings', page: 'connection' } });
        case 'openBranch':
          return void forkSession(lathe, sessionId, {
            ...{ kind: 'rewind', rewindId: action.rewindId },
          }).then(focusHome);
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
