import { ArrowUp, Square } from 'lucide-react';
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useImperativeHandle,
  useRef,
  useState,
} from 'react';
import { isLongPaste } from '../../shared/paste';
import type { PromptPriority, QueuedPrompt } from '../../shared/queued-prompt';
import type { SlashChoice } from '../commands/slash';
import { useKeymap } from '../commands/use-keymap';
import type { PromptAttachment } from '../store/attachments';
import { IconButton } from '../ui/Button';
import { cx } from '../ui/css';
import { onApple, pressOf } from '../ui/keys';
import { AttachButton, AttachmentList } from './AttachmentList';
import {
  type ComposerIntent,
  type ComposerKey,
  composerIntent,
  isIdleEscape,
  keyHints,
  NOT_RECALLING,
  type Recall,
  recallStep,
} from './composer-keys';
import type { FindFiles } from './file-menu';
import { PromptMenuList, usePromptMenu } from './prompt-menu';
import { QueueList } from './QueueList';
import type { QueueAct } from './queue';

export interface ComposerProps {
  /** Names the session; a queued prompt that is being edited belongs to it. The text field stays the same. */
  readonly sessionKey?: string;
  /** Names the draft; what was recalled from the history belongs to it. */
  readonly draftKey?: string;
  /** An earlier prompt is being edited: Esc is the caller's. */
  readonly revising?: boolean;
  readonly draft: string;
  readonly onDraft: (text: string) => void;
  /** Images and long pasted texts that go with the draft. */
  readonly attached?: readonly PromptAttachment[];
  readonly onAttached?: (attached: readonly PromptAttachment[]) => void;
  /** Files that were pasted, dropped or chosen. Without it nothing can be attached. */
  readonly onFiles?: (files: readonly File[]) => void;
  /** A pasted text that is too long for the text field. */
  readonly onPaste?: (text: string) => void;
  /** `now` steers the running turn. The draft is the caller's to clear. Never called without text or attachments. */
  readonly onSubmit: (text: string, priority: PromptPriority) => void;
  readonly onStop: () => void;
  readonly running: boolean;
  readonly queue: readonly QueuedPrompt[];
  /** For `takeBack` the caller puts the text into the draft. */
  readonly onQueue: (act: QueueAct) => unknown;
  /** The words of a queued prompt are being changed until the signal. */
  readonly onHold?: (promptId: string, signal: AbortSignal) => void;
  /** A queued prompt went in while its words were being changed; these are the new words. */
  readonly onEditLost: (text: string) => void;
  /** Prompts sent before, oldest first. */
  readonly history?: readonly string[];
  /** Esc Esc while nothing runs. */
  readonly onRewind?: () => void;
  /** Ctrl+R: looks for a prompt sent before. */
  readonly onSearch?: () => void;
  readonly placeholder?: string;
  /** Says what becomes of a message that is sent now, e.g. while there is no connection; in place of the hint. */
  readonly notice?: string;
  /** The commands that fit the draft, while the name of one is being typed. */
  readonly commands?: readonly SlashChoice[];
  /** Finds files for mentions (`@`). Without it none are offered. */
  readonly findFiles?: FindFiles;
  /** Left of the send button: model, mode, attachments. */
  readonly tools?: ReactNode;
  readonly inputRef?: Ref<HTMLTextAreaElement>;
}

/** The message box. Enter sends, Shift+Enter adds a line, ⌘/Ctrl+Enter steers the running query. */
export function Composer({
  sessionKey = '',
  draftKey = sessionKey,
  revising = false,
  draft,
  onDraft,
  attached = NO_ATTACHMENTS,
  onAttached,
  onFiles,
  onPaste,
  onSubmit,
  onStop,
  running,
  queue,
  onQueue,
  onHold,
  onEditLost,
  history = [],
  onRewind,
  onSearch,
  placeholder = 'Ask for work in this project',
  notice,
  commands = NO_COMMANDS,
  findFiles,
  tools,
  inputRef,
}: ComposerProps) {
  const keymap = useKeymap();
  const [recalled, setRecalled] = useState({ draftKey, recall: NOT_RECALLING });
  const recall = recalled.draftKey === draftKey ? recalled.recall : NOT_RECALLING;
  const setRecall = (next: Recall) => setRecalled({ draftKey, recall: next });
  const escapedAt = useRef(Number.NEGATIVE_INFINITY);
  const box = useRef<HTMLTextAreaElement>(null);
  useImperativeHandle(inputRef, () => box.current as HTMLTextAreaElement);
  const sendable = draft.trim() !== '' || attached.length > 0;

  const submit = (priority: PromptPriority) => {
    if (!sendable) return;
    setRecall(NOT_RECALLING);
    onSubmit(draft, priority);
  };
  const step = (direction: 'older' | 'newer') => {
    const next = recallStep(recall, history, draft, direction);
    if (next === null) return false;
    setRecall(next.recall);
    onDraft(next.text);
    return true;
  };
  const menu = usePromptMenu({
    ...{ draft, commands, findFiles, box, onDraft },
    onCommand: (name) => onSubmit(`/${name}`, 'next'),
    onWords: () => submit('next'),
  });
  const newestQueued = queue.at(-1);
  /** Returns true when the key was handled. */
  const carryOut = (intent: ComposerIntent): boolean => {
    switch (intent) {
      case 'submit':
        submit('next');
        return true;
      case 'newLine':
        document.execCommand('insertText', false, '\n');
        return true;
      case 'steer':
        submit('now');
        return true;
      case 'takeBack':
        if (newestQueued) onQueue({ kind: 'takeBack', id: newestQueued.id });
        return true;
      case 'older':
      case 'newer':
        return step(intent);
      case 'leaveHistory':
        onDraft(recall.draft);
        setRecall(NOT_RECALLING);
        return true;
      case 'stop':
        onStop();
        return true;
      case 'search':
        onSearch?.();
        return true;
      case 'rewind':
        onRewind?.();
        return true;
      case 'menuUp':
      case 'menuDown':
        menu.move(intent === 'menuUp' ? -1 : 1);
        return true;
      case 'menuComplete':
        menu.pick('complete');
        return true;
      case 'menuPick':
        menu.pick('take');
        return true;
      case 'menuClose':
        menu.close();
        return true;
      case 'none':
        return false;
    }
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { selectionStart, selectionEnd, value } = event.currentTarget;
    const caret = selectionStart === selectionEnd;
    const pressed: ComposerKey = {
      ...pressOf(event, onApple()),
      composing: event.nativeEvent.isComposing,
      caretAtStart:
        caret && (selectionStart === 0 || recall.at > 0) && onFirstLine(value, selectionStart),
      caretAtEnd: caret && selectionEnd === value.length,
      empty: value === '',
      running,
      queued: queue.length > 0,
      recalling: recall.at > 0,
      revising,
      menu: menu.isOpen,
      sinceEscape: event.timeStamp - escapedAt.current,
    };
    const intent = composerIntent(keymap, pressed);
    if (event.key === 'Escape')
      escapedAt.current = isIdleEscape(pressed, intent)
        ? event.timeStamp
        : Number.NEGATIVE_INFINITY;
    if (carryOut(intent)) event.preventDefault();
  };
  const takePaste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const files = [...event.clipboardData.files];
    const text = event.clipboardData.getData('text/plain');
    if (files.length > 0 && text === '' && onFiles !== undefined) onFiles(files);
    else if (isLongPaste(text) && onPaste !== undefined) onPaste(text);
    else return;
    event.preventDefault();
  };
  return (
    <div className="prose-column flex min-h-0 flex-col pt-1 pb-3">
      <QueueList key={sessionKey} {...{ queue, running, onHold, onEditLost }} onAct={onQueue} />
      <div
        data-focus-frame
        className={cx(
          'relative flex flex-col rounded-lg border border-line-strong bg-raised transition-colors duration-100 focus-within:border-accent',
          // With little room the words scroll; one line of them, the chips and the buttons are always there.
          attached.length === 0 ? 'min-h-22' : 'min-h-33',
        )}
      >
        <PromptMenuList menu={menu} />
        <textarea
          ref={box}
          data-focus="frame"
          data-focus-home
          aria-label="Message to Lathe"
          aria-describedby="composer-notice composer-help"
          {...menu.described}
          rows={1}
          value={draft}
          placeholder={placeholder}
          onChange={(event) => {
            setRecall(NOT_RECALLING);
            const { value, selectionEnd } = event.currentTarget;
            menu.typed(value, selectionEnd);
            onDraft(value);
          }}
          onSelect={({ currentTarget: { selectionStart, selectionEnd } }) =>
            menu.selected(selectionStart, selectionEnd)
          }
          onBlur={menu.left}
          onKeyDown={onKeyDown}
          onPaste={takePaste}
          className="block max-h-[40cqh] min-h-11 w-full resize-none overflow-y-auto bg-transparent px-3 pt-2.5 pb-1 text-body [field-sizing:content]"
        />
        {/* Behind the message for Tab, which gets to them from there, and above it for the eye. */}
        {attached.length === 0 ? null : (
          <AttachmentList
            attached={attached}
            onChange={(list) => onAttached?.(list)}
            onBackToText={(text) => onDraft(draft === '' ? text : `${draft}\n${text}`)}
          />
        )}
        <div className="flex min-h-9 shrink-0 items-center gap-2 px-2 pb-1.5">
          {onFiles === undefined ? null : <AttachButton onFiles={onFiles} />}
          {tools}
          <p
            id="composer-notice"
            role="status"
            className="min-w-0 px-1 text-meta text-waits empty:p-0"
          >
            {notice}
          </p>
          <p id="composer-help" className="min-w-0 flex-1 truncate px-1 text-meta text-ink-3">
            {notice === undefined
              ? keyHints(keymap, { running, revising, draft }, onApple()).map((one, at) => (
                  <span key={one} className={at === 0 ? '' : 'max-[30rem]:hidden'}>
                    {at === 0 ? one : `, ${one}`}
                  </span>
                ))
              : null}
          </p>
          {running ? (
            <IconButton
              icon={Square}
              label="Stop"
              keys={keymap.keyOf('stop')}
              size="md"
              onClick={onStop}
              className="border border-line-strong text-ink [&_svg]:size-3 [&_svg]:fill-current"
            />
          ) : null}
          {running && !sendable ? null : (
            <IconButton
              icon={ArrowUp}
              label={running ? 'Queue' : 'Send'}
              keys={keymap.keyOf('send')}
              size="md"
              disabled={!sendable}
              onClick={() => submit('next')}
              className="bg-accent-fill text-on-fill hover:bg-accent-fill-hover hover:text-on-fill disabled:bg-selected disabled:text-ink-3 disabled:opacity-100"
            />
          )}
        </div>
      </div>
    </div>
  );
}

const NO_COMMANDS: readonly SlashChoice[] = [];
const NO_ATTACHMENTS: readonly PromptAttachment[] = [];

const onFirstLine = (text: string, caret: number): boolean => !text.slice(0, caret).includes('\n');
