import { useEffect, useRef, useState } from 'react';
import type { SlashChoice } from '../commands/slash';
import { cx } from '../ui/css';

/** The list of commands over the composer: which is marked, and whether it is open at all. */
export interface SlashMenu {
  readonly choices: readonly SlashChoice[];
  /** Place of the marked choice. */
  readonly at: number;
  readonly marked: SlashChoice | undefined;
  move(by: 1 | -1): void;
  mark(at: number): void;
  /** Away with it until the draft changes. */
  close(): void;
}

/** Follows a draft: the mark goes back to the first choice, and a closed menu opens, when the draft changes. */
export function useSlashMenu(draft: string, offered: readonly SlashChoice[]): SlashMenu {
  const [state, setState] = useState({ draft, at: 0, closed: false });
  const current = state.draft === draft ? state : { draft, at: 0, closed: false };
  const choices = current.closed ? [] : offered;
  const at = Math.min(current.at, Math.max(0, choices.length - 1));
  return {
    choices,
    at,
    marked: choices[at],
    move: (by) => setState({ ...current, at: (at + by + choices.length) % choices.length }),
    mark: (to) => setState({ ...current, at: to }),
    close: () => setState({ ...current, closed: true }),
  };
}

/** Returns the id of one line, for `aria-activedescendant`. */
export const slashLineId = ({ name }: SlashChoice): string => `slash-${name}`;

/** The commands that fit what is being typed, over the composer. The text field keeps the focus. */
export function SlashList({
  menu,
  onPick,
}: {
  readonly menu: SlashMenu;
  readonly onPick: (choice: SlashChoice) => void;
}) {
  const marked = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Newer browsers give a promise, which is nothing to clean up with.
    void marked.current?.scrollIntoView({ block: 'nearest' });
  }, [menu.at]);
  return (
    <div
      role="listbox"
      id="slash-commands"
      aria-label="Commands"
      tabIndex={-1}
      className="mb-1.5 max-h-80 animate-appear overflow-y-auto rounded-md border border-line bg-raised p-1 shadow-popover"
    >
      {menu.choices.map((choice, at) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the text field has the keys
        <div
          key={choice.name}
          ref={at === menu.at ? marked : null}
          id={slashLineId(choice)}
          role="option"
          aria-selected={at === menu.at}
          tabIndex={-1}
          onPointerMove={() => at !== menu.at && menu.mark(at)}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onPick(choice)}
          className={cx(
            'flex min-h-7 cursor-default items-baseline gap-2 rounded-sm px-2 py-1 text-code',
            at === menu.at && 'bg-hover',
          )}
        >
          <span className="shrink-0 font-mono text-ink">/{choice.name}</span>
          {choice.argument === undefined ? null : (
            <span className="shrink-0 text-meta text-ink-3">[{choice.argument}]</span>
          )}
          <span className="min-w-0 flex-1 truncate text-right text-ink-2">{choice.title}</span>
        </div>
      ))}
    </div>
  );
}
