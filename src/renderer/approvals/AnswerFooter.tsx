import type { ReactNode } from 'react';
import { useKeymap } from '../commands/use-keymap';
import { Button } from '../ui/Button';
import { Notice } from '../ui/Notice';
import { KeyCap } from './DialogFrame';
import type { useAsking } from './use-asking';

/** The foot of a dialog that is answered or declined as a whole: what went wrong, a hint, and two buttons. */
export function AnswerFooter({
  asking,
  focused,
  hint,
  hintId,
  decline,
  send,
  incomplete = false,
  onSend,
}: {
  readonly asking: ReturnType<typeof useAsking>;
  /** The dialog has the keyboard, so its keys are shown. */
  readonly focused: boolean;
  readonly hint: ReactNode;
  /** The id of the hint, which describes the dialog. */
  readonly hintId: string;
  /** The words on the buttons. */
  readonly decline: string;
  readonly send: string;
  /** Something is missing, so nothing can be sent. */
  readonly incomplete?: boolean;
  readonly onSend: () => void;
}) {
  const { keyOf } = useKeymap();
  return (
    <>
      {asking.problem === null ? null : (
        <div className="mb-2">
          <Notice level="error">{asking.problem}</Notice>
        </div>
      )}
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p id={hintId} className="mr-auto min-w-0 text-meta text-ink-3">
          {hint}
        </p>
        <span className="flex gap-2">
          <Button onClick={() => asking.deny()} disabled={asking.busy} aria-keyshortcuts="Escape">
            {decline}
            <KeyCap keys={keyOf('deny')} shown={focused} />
          </Button>
          <Button
            variant="primary"
            busy={asking.busy}
            disabled={incomplete}
            aria-disabled={!asking.guard.armed}
            aria-keyshortcuts="Enter"
            onClick={onSend}
          >
            {send}
            <KeyCap keys={keyOf('allow')} shown={focused} onFill />
          </Button>
        </span>
      </div>
    </>
  );
}
