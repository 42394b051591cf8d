import { ChevronDown, ChevronUp, Pencil, Undo2, Zap } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { QueuedPrompt } from '../../shared/queued-prompt';
import { Button, IconButton } from '../ui/Button';
import { modHeld, onApple } from '../ui/keys';
import { Picker } from '../ui/Menu';
import {
  moveBy,
  type QueueAct,
  type QueueIntent,
  queuedWhole,
  queuedWords,
  queueIntent,
  standing,
  WHEN,
} from './queue';

interface QueueListProps {
  readonly queue: readonly QueuedPrompt[];
  /** A query runs, so that there is something to wait for. */
  readonly running: boolean;
  readonly onAct: (act: QueueAct) => unknown;
  /** The words of a prompt are being changed until the signal; it must not go in meanwhile. */
  readonly onHold?: ((promptId: string, signal: AbortSignal) => void) | undefined;
  /** The prompt went in while its words were being changed; these are the new words. */
  readonly onEditLost: (text: string) => void;
}

/** Prompts that wait for their turn: each can be edited, moved, sent at once or taken back. */
export function QueueList({ queue, running, onAct, onHold, onEditLost }: QueueListProps) {
  const list = useRef<HTMLUListElement>(null);
  const [moved, setMoved] = useState<string | null>(null);
  const { editing, setEditing, begin, end } = useEditing(queue, onHold, onEditLost);
  useEffect(() => {
    // A row that was moved has lost the focus on its way.
    const at = queue.findIndex((prompt) => prompt.id === moved);
    if (at >= 0 && document.activeElement === document.body)
      focusLine(list.current?.children[at] ?? null);
  }, [queue, moved]);
  if (queue.length === 0) return null;
  const act = (next: QueueAct) => {
    setMoved(next.kind === 'move' ? next.id : null);
    onAct(next);
  };
  const save = (id: string, text: string) => {
    const isNew = text.trim() !== '' && text !== queue.find((p) => p.id === id)?.text;
    setMoved(id);
    end(isNew ? onAct({ kind: 'edit', id, text }) : null);
  };
  return (
    <div
      data-queue
      // In a low window it waits until the question is answered.
      className="mb-2 flex min-h-0 flex-col group-data-[asked=true]/centre:[@container(max-height:26rem)]:hidden"
    >
      {running && !queue.some(({ held }) => held) ? null : (
        <p className="mb-1 px-2 text-meta text-ink-3">
          {running
            ? 'These wait until you ask something.'
            : editing === null
              ? 'Stopped. These wait until you send something.'
              : 'These wait while you change one.'}
        </p>
      )}
      <ul
        ref={list}
        aria-label="Queued prompts"
        className="flex max-h-[32cqh] min-h-0 flex-col gap-1 overflow-y-auto p-px"
      >
        {queue.map((prompt) => (
          <li key={prompt.id} className="@container">
            {editing?.id === prompt.id ? (
              <QueueEditor
                text={editing.text}
                onText={(text) => setEditing({ ...editing, text })}
                onSave={() => save(prompt.id, editing.text)}
                onCancel={() => {
                  end(null);
                  setMoved(prompt.id);
                }}
              />
            ) : (
              <QueueRow
                prompt={prompt}
                queue={queue}
                running={running}
                onAct={act}
                onEdit={() => begin(prompt)}
              />
            )}
          </li>
        ))}
      </ul>
      <p role="status" className="sr-only">
        {placeText(queue, moved)}
      </p>
    </div>
  );
}

interface Editing {
  readonly id: string;
  readonly text: string;
  /** The words before. */
  readonly was: string;
}

/** Holds the edit in progress; passes on the new text of a prompt that has left the queue meanwhile. */
function useEditing(
  queue: readonly QueuedPrompt[],
  onHold: QueueListProps['onHold'],
  onEditLost: (text: string) => void,
) {
  const [editing, setEditing] = useState<Editing | null>(null);
  const hold = useRef<AbortController | null>(null);
  useEffect(() => () => hold.current?.abort(), []);
  const begin = ({ id, text }: QueuedPrompt) => {
    hold.current?.abort();
    hold.current = new AbortController();
    onHold?.(id, hold.current.signal);
    setEditing({ id, text, was: text });
  };
  /** Closes the field; once its words are `saved`, the prompt may go in. */
  const end = (saved: unknown) => {
    const held = hold.current;
    setEditing(null);
    void Promise.resolve(saved).finally(() => held?.abort());
  };
  const gone = editing !== null && !queue.some((prompt) => prompt.id === editing.id);
  useEffect(() => {
    if (!gone) return;
    hold.current?.abort();
    setEditing(null);
    if (editing.text.trim() !== '' && editing.text !== editing.was) onEditLost(editing.text);
  }, [gone, editing, onEditLost]);
  return { editing, setEditing, begin, end };
}

function placeText(queue: readonly QueuedPrompt[], id: string | null): string {
  const prompt = queue.find((p) => p.id === id);
  if (prompt === undefined) return '';
  const { place, count } = standing(queue, prompt);
  return `Message ${place + 1} of ${count}`;
}

interface QueueRowProps {
  readonly prompt: QueuedPrompt;
  readonly queue: readonly QueuedPrompt[];
  readonly running: boolean;
  readonly onAct: (act: QueueAct) => void;
  readonly onEdit: () => void;
}

/** One prompt that waits: its words, when it goes in, and what can be done with it by button or key. */
function QueueRow({ prompt, queue, running, onAct, onEdit }: QueueRowProps) {
  const { id, priority } = prompt;
  const words = queuedWords(prompt);
  const up = moveBy(queue, prompt, -1);
  const down = moveBy(queue, prompt, 1);
  const steer = () => onAct({ kind: 'when', id, priority: 'now' });
  const takeBack = () => onAct({ kind: 'takeBack', id });
  const carryOut = (intent: QueueIntent, row: HTMLElement) => {
    switch (intent) {
      case 'moveUp':
        return up && onAct(up);
      case 'moveDown':
        return down && onAct(down);
      case 'older':
        return focusLine(row.previousElementSibling);
      case 'newer':
        return focusLine(row.nextElementSibling);
      case 'edit':
        return onEdit();
      case 'steer':
        return steer();
      case 'takeBack':
        return takeBack();
      case 'none':
    }
  };
  const onKeyDown = (event: KeyboardEvent<HTMLButtonElement>) => {
    const { key, altKey: alt } = event;
    const intent = queueIntent({ key, alt, mod: modHeld(event, onApple()) });
    const row = event.currentTarget.closest('li');
    if (intent === 'none' || row === null) return;
    event.preventDefault();
    carryOut(intent, row);
  };
  return (
    <div className="group/queued flex min-h-7 items-start rounded-md border border-line bg-sunken pr-0.5 text-meta @max-md:flex-wrap @max-md:justify-end @max-md:pb-0.5">
      <button
        type="button"
        data-queue-line
        aria-label={`Edit queued message: ${words}`}
        aria-keyshortcuts="Enter Alt+ArrowUp Alt+ArrowDown Control+Enter Delete"
        onClick={onEdit}
        onKeyDown={onKeyDown}
        className="min-h-[26px] min-w-0 flex-1 rounded-md px-2 py-[5px] @max-md:basis-full text-left whitespace-pre-wrap text-ink-2 [overflow-wrap:anywhere] hover:text-ink"
      >
        {queuedWhole(prompt)}
      </button>
      {/* As high as one line of the words, in whose middle they stand. */}
      <span className="flex h-[26px] shrink-0 items-center">
        <span className="flex opacity-0 transition-opacity duration-100 group-focus-within/queued:opacity-100 group-hover/queued:opacity-100 [@media(hover:none)]:opacity-100">
          {queue.length < 2 ? null : (
            <>
              <IconButton
                icon={ChevronUp}
                size="xs"
                label="Move up"
                keys="alt+up"
                disabled={up === null}
                onClick={() => up && onAct(up)}
              />
              <IconButton
                icon={ChevronDown}
                size="xs"
                label="Move down"
                keys="alt+down"
                disabled={down === null}
                onClick={() => down && onAct(down)}
              />
            </>
          )}
          <IconButton icon={Pencil} size="xs" label="Edit" keys="enter" onClick={onEdit} />
        </span>
        {running && prompt.held !== true ? (
          <Picker
            look="inline"
            side="top"
            align="end"
            label="When it goes in"
            value={priority}
            options={WHEN}
            onChange={(next) => onAct({ kind: 'when', id, priority: next })}
            className="mx-1 shrink-0 text-ink-3"
          />
        ) : null}
        <IconButton
          icon={Zap}
          size="xs"
          label={running ? 'Steer now' : 'Send now'}
          keys="mod+enter"
          disabled={running && priority === 'now'}
          onClick={steer}
        />
        <IconButton icon={Undo2} size="xs" label="Take back" keys="up" onClick={takeBack} />
      </span>
    </div>
  );
}

/** Puts the focus on the words of a row. */
const focusLine = (row: Element | null): void =>
  row?.querySelector<HTMLElement>('[data-queue-line]')?.focus();

/** Changes the words of a queued prompt in place. Enter keeps them, Esc leaves them as they were. */
function QueueEditor({
  text,
  onText,
  onSave,
  onCancel,
}: {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onSave: () => void;
  readonly onCancel: () => void;
}) {
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter and Esc of an input method are its own.
    if (event.nativeEvent.isComposing) return;
    const enter = event.key === 'Enter' && !event.shiftKey;
    if (!enter && event.key !== 'Escape') return;
    // Esc here must not stop the work as well.
    event.preventDefault();
    event.stopPropagation();
    if (enter) onSave();
    else onCancel();
  };
  return (
    <div
      data-focus-frame
      className="rounded-md border border-line-strong bg-raised p-1 focus-within:border-accent"
    >
      <textarea
        // biome-ignore lint/a11y/noAutofocus: it replaces the line that was pressed
        autoFocus
        data-focus="frame"
        aria-label="Queued message"
        rows={1}
        value={text}
        onChange={(event) => onText(event.currentTarget.value)}
        onFocus={(event) => event.currentTarget.select()}
        onKeyDown={onKeyDown}
        className="block max-h-32 w-full resize-none overflow-y-auto bg-transparent px-1.5 py-0.5 text-code [field-sizing:content]"
      />
      <div className="flex justify-end gap-1">
        <Button size="sm" variant="ghost" onClick={onCancel}>
          Cancel
        </Button>
        <Button size="sm" disabled={text.trim() === ''} onClick={onSave}>
          Save
        </Button>
      </div>
    </div>
  );
}
