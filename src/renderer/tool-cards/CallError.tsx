import { cx } from '../ui/cx';

/** Why a call failed or was refused, in the words the model got. */
export function CallError({ text, denied }: { readonly text: string; readonly denied: boolean }) {
  return (
    <div
      className={cx(
        'max-h-60 overflow-y-auto rounded-md px-3 py-2 text-code whitespace-pre-wrap [overflow-wrap:anywhere]',
        denied ? 'bg-sunken text-ink-2' : 'bg-failed-tint text-ink',
      )}
    >
      {text}
    </div>
  );
}
