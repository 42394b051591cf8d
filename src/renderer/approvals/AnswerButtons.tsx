import { Button } from '../ui/Button';
import { Kbd } from '../ui/Kbd';

/** The four answers. Allowing is held back until the guard is over; nothing here has the focus by itself. */
export function AnswerButtons({
  busy,
  armed,
  unseen,
  showKeys,
  canRemember,
  onAllow,
  onAlways,
  onDeny,
  onReason,
}: {
  readonly busy: boolean;
  readonly armed: boolean;
  /** The end of what would run was not in view yet: the first press shows it. */
  readonly unseen: boolean;
  /** The dialog has the keyboard. */
  readonly showKeys: boolean;
  readonly canRemember: boolean;
  readonly onAllow: () => void;
  readonly onAlways: () => void;
  readonly onDeny: () => void;
  readonly onReason: () => void;
}) {
  return (
    <div className="mt-3 flex flex-wrap items-center gap-2">
      <Button
        variant="primary"
        size="md"
        busy={busy}
        aria-disabled={!armed}
        aria-keyshortcuts="Enter"
        onClick={onAllow}
      >
        {unseen ? 'Show the rest' : 'Allow once'}
        <Cap keys="enter" shown={showKeys} onFill />
      </Button>
      {canRemember ? (
        <Button onClick={onAlways} disabled={busy}>
          Allow always…
        </Button>
      ) : null}
      <span className="flex-1" />
      <Button variant="ghost" onClick={onReason} disabled={busy} aria-keyshortcuts="Tab">
        Deny and say why
        <Cap keys="tab" shown={showKeys} />
      </Button>
      <Button onClick={onDeny} disabled={busy} aria-keyshortcuts="Escape">
        Deny
        <Cap keys="esc" shown={showKeys} />
      </Button>
    </div>
  );
}

function Cap({
  keys,
  shown,
  onFill = false,
}: {
  readonly keys: string;
  readonly shown: boolean;
  readonly onFill?: boolean;
}) {
  return shown ? (
    <span aria-hidden className="inline-flex">
      <Kbd keys={keys} tone={onFill ? 'fill' : 'plain'} />
    </span>
  ) : null;
}
