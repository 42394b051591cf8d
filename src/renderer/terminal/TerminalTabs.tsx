import { Plus, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import type { TerminalInfo } from '../../shared/terminal';
import { cx } from '../ui/cx';
import { IconButton } from '../ui/IconButton';
import { StateGlyph, type WorkState } from '../ui/StateGlyph';
import { endText, hasEnded } from './visible-terminals';

/** The tabs of the terminals. ←→ move between them; × closes the one shown when it has ended, and ends a shell. */
export function TerminalTabs({
  terminals,
  shownId,
  onShow,
  onClose,
  onNew,
}: {
  readonly terminals: readonly TerminalInfo[];
  readonly shownId: string | null;
  readonly onShow: (terminalId: string) => void;
  readonly onClose: (terminal: TerminalInfo) => void;
  readonly onNew: () => void;
}) {
  const shown = terminals.find((terminal) => terminal.id === shownId);
  return (
    <div className="flex h-9 shrink-0 items-center gap-1 border-b border-line bg-side px-2">
      {terminals.length === 0 ? (
        <span className="flex-1 px-2 text-meta font-medium text-ink-3">Terminals</span>
      ) : (
        <div
          role="tablist"
          aria-label="Terminals"
          className="flex min-w-0 flex-1 items-center gap-1 overflow-x-auto [scrollbar-width:none]"
        >
          {terminals.map((terminal) => (
            <Tab
              key={terminal.id}
              terminal={terminal}
              shown={terminal === shown}
              onShow={() => onShow(terminal.id)}
            />
          ))}
        </div>
      )}
      {shown && (shown.kind === 'shell' || hasEnded(shown)) ? (
        <IconButton
          icon={X}
          label={hasEnded(shown) ? `Close ${shown.title}` : `End ${shown.title}`}
          onClick={() => onClose(shown)}
        />
      ) : null}
      <IconButton icon={Plus} label="New terminal" onClick={onNew} />
    </div>
  );
}

function Tab({
  terminal,
  shown,
  onShow,
}: {
  readonly terminal: TerminalInfo;
  readonly shown: boolean;
  readonly onShow: () => void;
}) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (shown) frame.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [shown]);
  return (
    <div
      ref={frame}
      className={cx(
        'flex h-6 max-w-44 min-w-0 shrink-0 items-center rounded-sm transition-colors duration-100',
        shown ? 'bg-selected text-ink' : 'text-ink-3 hover:text-ink',
      )}
    >
      <button
        type="button"
        role="tab"
        aria-selected={shown}
        tabIndex={shown ? 0 : -1}
        onClick={onShow}
        onKeyDown={moveBetweenTabs}
        className="flex h-full min-w-0 items-center gap-1.5 rounded-sm px-2 text-meta font-medium"
        title={terminal.command ?? terminal.title}
      >
        {terminal.kind === 'shell' && !hasEnded(terminal) ? null : (
          <StateGlyph
            state={stateOf(terminal)}
            {...(hasEnded(terminal) ? { label: endText(terminal.exitCode, terminal.signal) } : {})}
          />
        )}
        <span className="truncate">{terminal.title}</span>
      </button>
    </div>
  );
}

function stateOf(terminal: TerminalInfo): WorkState {
  if (!hasEnded(terminal)) return 'running';
  if (terminal.exitCode === 0) return 'done';
  return terminal.exitCode === null || terminal.exitCode === undefined ? 'stopped' : 'failed';
}

function moveBetweenTabs(event: KeyboardEvent<HTMLElement>) {
  const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  if (step === 0) return;
  const tabs = event.currentTarget
    .closest('[role=tablist]')
    ?.querySelectorAll<HTMLElement>('[role=tab]');
  const next = tabs?.[[...(tabs ?? [])].indexOf(event.currentTarget) + step];
  next?.focus();
  next?.click();
  event.preventDefault();
}
