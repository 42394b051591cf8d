import { type KeyboardEvent, type ReactNode, useId } from 'react';

/** One thin line of the conversation that opens: click, Enter or → opens it, ← closes it. */
export function FoldLine({
  id,
  open,
  onToggle,
  line,
  children,
}: {
  readonly id: string;
  readonly open: boolean;
  readonly onToggle: (id: string, open: boolean) => void;
  /** What the line itself shows. */
  readonly line: ReactNode;
  /** What is under it when it is open. */
  readonly children: ReactNode;
}) {
  const bodyId = useId();
  const onKeyDown = (key: KeyboardEvent) => {
    if (key.key !== 'ArrowRight' && key.key !== 'ArrowLeft') return;
    key.preventDefault();
    onToggle(id, key.key === 'ArrowRight');
  };
  return (
    <div>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? bodyId : undefined}
        onClick={() => onToggle(id, !open)}
        onKeyDown={onKeyDown}
        className="group flex h-7 w-full min-w-0 items-center gap-2 rounded-md px-2 text-left text-code text-ink-3 transition-colors duration-100 hover:bg-hover"
      >
        {line}
      </button>
      {open ? (
        <div id={bodyId} className="mt-1 mb-2 ml-8">
          {children}
        </div>
      ) : null}
    </div>
  );
}
