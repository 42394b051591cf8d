import { Button } from '../ui/Button';
import { keyText, onApple } from '../ui/keys';
import { KeyCap } from './KeyCap';

/** The answers. Allowing is held back until the guard is over; nothing here has the focus by itself. */
export function AnswerButtons({
  busy,
  armed,
  unseen,
  showKeys,
  onAllow,
  onAlways,
  onEdit,
  onDeny,
  onReason,
}: {
  readonly busy: boolean;
  readonly armed: boolean;
  /** The end of what would run was not in view yet: the first press shows it. */
  readonly unseen: boolean;
  /** The dialog has the keyboard. */
  readonly showKeys: boolean;
  readonly onAllow: () => void;
  /** Absent when no rule could have allowed it. */
  readonly onAlways?: () => void;
  /** Absent when there is nothing to edit. */
  readonly onEdit?: () => void;
  readonly onDeny: () => void;
  readonly onReason: () => void;
}) {
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-1.5 gap-y-2">
      <Button
        variant="primary"
        busy={busy}
        aria-disabled={!armed}
        aria-keyshortcuts="Enter"
        onClick={onAllow}
      >
        {unseen ? 'Show the rest' : 'Allow once'}
        <KeyCap keys="enter" shown={showKeys} onFill />
      </Button>
      {onAlways === undefined ? null : (
        <Button
          onClick={onAlways}
          disabled={busy}
          aria-keyshortcuts="Shift+Enter"
          title={`Allow always (${keyText('shift+enter', onApple())})`}
        >
          Allow always…
        </Button>
      )}
      {onEdit === undefined ? null : (
        <Button
          onClick={onEdit}
          disabled={busy}
          aria-keyshortcuts="Control+E"
          title={`Edit before allowing (${keyText('mod+e', onApple())})`}
        >
          Edit…
        </Button>
      )}
      <span className="ml-auto flex flex-wrap justify-end gap-x-1.5 gap-y-2">
        <Button
          variant="ghost"
          className="px-2"
          onClick={onReason}
          disabled={busy}
          aria-keyshortcuts="Tab"
        >
          Deny and say why
          <KeyCap keys="tab" shown={showKeys} />
        </Button>
        <Button onClick={onDeny} disabled={busy} aria-keyshortcuts="Escape">
          Deny
          <KeyCap keys="esc" shown={showKeys} />
        </Button>
      </span>
    </div>
  );
}
