import type { KeyboardEvent } from 'react';
import { Button } from '../ui/Button';

/** Changes the words of a queued prompt in place. Enter keeps them, Esc leaves them as they were. */
export function QueueEditor({
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
    const enter = event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing;
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
