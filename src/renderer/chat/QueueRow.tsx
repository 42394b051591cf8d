import { ChevronDown, ChevronUp, Pencil, Undo2, Zap } from 'lucide-react';
import type { KeyboardEvent } from 'react';
import type { QueuedPrompt } from '../../shared/agent-event';
import { IconButton } from '../ui/IconButton';
import { modHeld, onApple } from '../ui/keys';
import { Picker } from '../ui/Picker';
import { firstLine, moveBy, type QueueAct, type QueueIntent, queueIntent, WHEN } from './queue';

export interface QueueRowProps {
  readonly prompt: QueuedPrompt;
  readonly queue: readonly QueuedPrompt[];
  readonly running: boolean;
  readonly onAct: (act: QueueAct) => void;
  readonly onEdit: () => void;
}

/** One prompt that waits: its words, when it goes in, and what can be done with it by button or key. */
export function QueueRow({ prompt, queue, running, onAct, onEdit }: QueueRowProps) {
  const { id, text, priority } = prompt;
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
    <div className="group/queued flex h-7 items-center rounded-md border border-line bg-sunken pr-0.5 text-meta">
      <button
        type="button"
        data-queue-line
        aria-label={`Edit queued message: ${firstLine(text)}`}
        aria-keyshortcuts="Enter Alt+ArrowUp Alt+ArrowDown Control+Enter Delete"
        title={text.length > 60 ? text.slice(0, 2000) : undefined}
        onClick={onEdit}
        onKeyDown={onKeyDown}
        className="h-full min-w-0 flex-1 truncate rounded-md px-2 text-left text-ink-2 hover:text-ink"
      >
        {firstLine(text)}
      </button>
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
      {running ? (
        <Picker
          look="inline"
          side="top"
          align="end"
          label="When it goes in"
          value={priority}
          options={WHEN}
          onChange={(next) => onAct({ kind: 'when', id, priority: next })}
          className="shrink-0 text-ink-3"
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
    </div>
  );
}

/** Puts the focus on the words of a row. */
export const focusLine = (row: Element | null): void =>
  row?.querySelector<HTMLElement>('[data-queue-line]')?.focus();
