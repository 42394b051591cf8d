import { Hand } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../ui/Button';

/**
 * A line for a secret: what is typed goes to the program alone. Without the wheel, the offer to take it. Stands at the top
 * or the bottom of the screen, where the question of the program is not.
 */
export function SecretLine({
  taken,
  tookHere,
  atTop,
  onTake,
  onSend,
}: {
  readonly taken: boolean;
  /** It was taken in this window; another one keeps the focus where it is. */
  readonly tookHere: boolean;
  readonly atTop: boolean;
  readonly onTake: () => void;
  readonly onSend: (text: string) => void;
}) {
  const [text, setText] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (taken && tookHere) field.current?.focus();
    if (!taken) setText('');
  }, [taken, tookHere]);
  return (
    <section
      aria-label="Secret"
      // Nobody finds themselves typing into it who did not take the wheel.
      data-focus-when-asked
      className={`absolute inset-x-2 z-10 flex items-center gap-2 rounded-md border border-line bg-raised p-1.5 text-meta shadow-popover ${atTop ? 'top-2' : 'bottom-2'}`}
    >
      {taken ? (
        <form
          className="flex min-w-0 flex-1 items-center gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            onSend(text);
            setText('');
          }}
        >
          <input
            ref={field}
            type="password"
            autoComplete="off"
            aria-label="Secret for the program"
            placeholder="Only the program gets it"
            title="It goes neither to the model nor into the log."
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            className="h-6 min-w-0 flex-1 rounded-sm bg-transparent px-2 text-code"
          />
          <Button size="sm" type="submit">
            Send
          </Button>
        </form>
      ) : (
        <>
          <span role="status" className="min-w-0 flex-1 text-ink-2">
            <span className="text-waits">It asks for a secret.</span> Only you can type here.
          </span>
          <Button size="sm" icon={Hand} onClick={onTake}>
            Take the wheel
          </Button>
        </>
      )}
    </section>
  );
}
