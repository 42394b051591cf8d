import { useEffect, useRef } from 'react';
import { cx } from '../ui/css';
import type { SlashChoice, SlashMenu } from './slash-menu';

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
