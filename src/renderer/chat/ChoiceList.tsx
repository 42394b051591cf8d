import { type ReactNode, useEffect, useRef, useState } from 'react';
import { cx } from '../ui/css';

/** One line of a list over the composer. `id` is unique in the window. */
export interface Choice {
  readonly id: string;
}

/** A list over the composer: which line is marked, and whether it is open at all. */
export interface ChoiceMenu<T extends Choice> {
  readonly choices: readonly T[];
  /** Place of the marked choice. */
  readonly at: number;
  readonly marked: T | undefined;
  move(by: 1 | -1): void;
  mark(at: number): void;
  /** Away with it until what was typed changes. */
  close(): void;
  readonly closed: boolean;
}

/** Follows what is typed: the mark goes back to the first choice, and a closed list opens, when that changes. */
export function useChoiceMenu<T extends Choice>(
  typed: string,
  offered: readonly T[],
): ChoiceMenu<T> {
  const [state, setState] = useState({ typed, at: 0, closed: false });
  const current = state.typed === typed ? state : { typed, at: 0, closed: false };
  const choices = current.closed ? [] : offered;
  const at = Math.min(current.at, Math.max(0, choices.length - 1));
  return {
    choices,
    at,
    marked: choices[at],
    move: (by) => setState({ ...current, at: (at + by + choices.length) % choices.length }),
    mark: (to) => setState({ ...current, at: to }),
    close: () => setState({ ...current, closed: true }),
    closed: current.closed,
  };
}

/** The choices that fit what is being typed, over the composer. The text field keeps the focus. */
export function ChoiceList<T extends Choice>({
  id,
  label,
  menu,
  line,
  onPick,
  footer,
}: {
  readonly id: string;
  readonly label: string;
  readonly menu: ChoiceMenu<T>;
  /** Draws the content of a line. */
  readonly line: (choice: T) => ReactNode;
  readonly onPick: (choice: T) => void;
  /** A remark under the choices. */
  readonly footer?: ReactNode;
}) {
  const marked = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Newer browsers give a promise, which is nothing to clean up with.
    void marked.current?.scrollIntoView({ block: 'nearest' });
  }, [menu.at]);
  return (
    <div className="absolute inset-x-0 bottom-full z-20 mb-1.5 animate-appear overflow-hidden rounded-md border border-line bg-raised shadow-popover">
      <div
        role="listbox"
        id={id}
        aria-label={label}
        tabIndex={-1}
        className="max-h-[min(20rem,60cqh-7rem)] overflow-y-auto p-1 empty:hidden"
      >
        {menu.choices.map((choice, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the text field has the keys
          <div
            key={choice.id}
            ref={at === menu.at ? marked : null}
            id={choice.id}
            role="option"
            aria-selected={at === menu.at}
            tabIndex={-1}
            onPointerMove={() => at !== menu.at && menu.mark(at)}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => onPick(choice)}
            className={cx(
              'flex min-h-7 cursor-default items-baseline gap-2 rounded-sm px-2 py-1 text-code',
              at === menu.at && 'bg-selected',
            )}
          >
            {line(choice)}
          </div>
        ))}
      </div>
      {footer === undefined || footer === null ? null : (
        <p role="status" className="px-3 py-1.5 text-meta text-ink-3">
          {footer}
        </p>
      )}
    </div>
  );
}
