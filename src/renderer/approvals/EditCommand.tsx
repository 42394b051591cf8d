import { Button } from '../ui/Button';
import { Kbd } from '../ui/Kbd';
import { modHeld, onApple } from '../ui/keys';
import { TextArea } from '../ui/TextField';
import { VisibleText } from '../ui/VisibleText';
import { hidesSomething } from '../ui/visible-text';

/** More lines than this scroll inside the field. */
const MAX_ROWS = 14;

/** The command as the person would rather have it. It is judged again before it runs, to the letter. */
export function EditCommand({
  original,
  value,
  busy,
  onChange,
  onRun,
  onCancel,
}: {
  readonly original: string;
  readonly value: string;
  readonly busy: boolean;
  readonly onChange: (text: string) => void;
  readonly onRun: () => unknown;
  readonly onCancel: () => void;
}) {
  const hides = hidesSomething(value);
  return (
    <form
      aria-label="Edit the command"
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        onRun();
      }}
    >
      <TextArea
        label="Run this instead"
        hint="Your rules judge it again, and Lathe is told what you changed."
        value={value}
        onChange={onChange}
        mono
        autoFocus
        spellCheck={false}
        rows={Math.min(MAX_ROWS, Math.max(2, value.split('\n').length))}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.repeat || !modHeld(event, onApple())) return;
          event.preventDefault();
          onRun();
        }}
      />
      {hides ? (
        <div role="status" className="text-meta text-waits">
          It holds characters that do not show:
          <pre className="mt-1 rounded-md border border-line bg-sunken px-3 py-2 text-code whitespace-pre-wrap text-ink [overflow-wrap:anywhere]">
            <VisibleText text={value} padding />
          </pre>
        </div>
      ) : null}
      <div className="flex flex-wrap justify-end gap-2">
        {value === original ? null : (
          <Button variant="ghost" onClick={() => onChange(original)}>
            Undo changes
          </Button>
        )}
        <Button onClick={onCancel}>Back</Button>
        <Button type="submit" variant="primary" disabled={busy || value.trim() === ''}>
          Run edited command
          <span aria-hidden className="inline-flex">
            <Kbd keys="mod+enter" tone="fill" />
          </span>
        </Button>
      </div>
    </form>
  );
}
