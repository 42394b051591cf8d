import { Kbd } from '../ui/Kbd';

/** The key of a button, drawn while the dialog has the keyboard. */
export function KeyCap({
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
