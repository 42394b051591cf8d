import { Clock, Undo2 } from 'lucide-react';
import type { Unsent } from '../store/screen';
import { Button } from '../ui/Button';
import { cutMarks } from '../ui/combining';

/** Characters of a waiting message that are shown; the whole is sent. */
const SHOWN = 1600;

/** Messages that the host has not taken yet, at the end of the conversation: each says what will become of it. */
export function UnsentList({
  unsent,
  onTakeBack,
}: {
  readonly unsent: readonly Unsent[];
  readonly onTakeBack: (id: string) => void;
}) {
  if (unsent.length === 0) return null;
  return (
    <ul aria-label="Not sent yet" className="prose-column flex flex-col gap-2 pt-3 pb-3">
      {unsent.map(({ id, text, tried }) => (
        <li
          key={id}
          className="rounded-md border border-dashed border-line-strong bg-canvas px-3 py-2"
        >
          <p className="max-w-(--text-width) whitespace-pre-wrap text-ink-2 [overflow-wrap:anywhere]">
            {cutMarks(text.length > SHOWN ? `${text.slice(0, SHOWN)} …` : text)}
          </p>
          <p className="mt-1 flex min-h-6 items-center gap-1.5 text-meta text-waits">
            <Clock size={12} aria-hidden className="shrink-0" />
            <span className="flex-1">
              {tried
                ? 'No answer yet. It is sent again when the connection is back, and taken once.'
                : 'Not sent yet. It goes out when the connection is back.'}
            </span>
            {tried ? null : (
              <Button size="sm" variant="ghost" icon={Undo2} onClick={() => onTakeBack(id)}>
                Take back
              </Button>
            )}
          </p>
        </li>
      ))}
    </ul>
  );
}
