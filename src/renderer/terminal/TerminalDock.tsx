import { Plus, SquareTerminal, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { TerminalInfo } from '../../shared/terminal';
import {
  dismissTerminal,
  killTerminal,
  openShell,
  restartTerminalHost,
  showTerminal,
} from '../store/terminals';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button, IconButton } from '../ui/Button';
import { cx } from '../ui/css';
import { StateGlyph, type WorkState } from '../ui/Marks';
import { EmptyState, Notice } from '../ui/Notice';
import { TerminalPane } from './TerminalPane';
import {
  endText,
  hasEnded,
  shownTerminal,
  takesTheFront,
  visibleTerminals,
} from './visible-terminals';

/** The dock's lower half: the terminals of the project and the session, one of them on screen. */
export function TerminalDock({ project }: { readonly project: string }) {
  const lathe = useLathe();
  const all = useScreen((s) => s.app?.terminals);
  const sessionId = useScreen((s) => s.sessionId);
  const chosen = useScreen((s) => s.terminalId);
  const visible = visibleTerminals(all ?? [], project, sessionId, chosen);
  const shown = shownTerminal(visible, chosen);
  useNewcomers(visible, shown, (id) => showTerminal(lathe, id));
  useEffect(() => {
    if (all) lathe.terminals.keepOnly(new Set(all.map((terminal) => terminal.id)));
  }, [lathe, all]);
  const close = async (terminal: TerminalInfo) => {
    if (!hasEnded(terminal)) await killTerminal(lathe, terminal.id);
    await dismissTerminal(lathe, terminal.id);
  };
  return (
    <section aria-label="Terminals" className="flex h-full min-h-0 flex-col bg-side">
      <TerminalTabs
        terminals={visible}
        shownId={shown?.id ?? null}
        onShow={(id) => showTerminal(lathe, id)}
        onClose={close}
        onNew={() => openShell(lathe)}
      />
      <HostNotice />
      <div className="min-h-0 flex-1">
        {shown === null ? (
          <EmptyState
            icon={SquareTerminal}
            title="No terminal open"
            text="Commands Lathe runs appear here live. You can also open a shell of your own."
            action={
              <Button size="sm" onClick={() => openShell(lathe)}>
                Open a shell
              </Button>
            }
          />
        ) : (
          <TerminalPane key={shown.id} terminal={shown} live={lathe.terminals.get(shown.id)} />
        )}
      </div>
    </section>
  );
}

/** The state of a terminal host that hangs or was lost, with the way out. */
function HostNotice() {
  const lathe = useLathe();
  const state = useScreen((s) => s.app?.terminalHost);
  const [busy, setBusy] = useState(false);
  if (state !== 'hung' && state !== 'lost') return null;
  const restart = async () => {
    setBusy(true);
    await restartTerminalHost(lathe).finally(() => setBusy(false));
  };
  return (
    <section aria-label="Terminal host" className="shrink-0 border-b border-line p-2">
      <Notice
        level={state === 'hung' ? 'warning' : 'error'}
        title={
          state === 'hung' ? 'The terminal host does not answer.' : 'The terminal host is gone.'
        }
      >
        {state === 'hung'
          ? 'What runs in it goes on, and Stop still ends a task. A restart ends everything that runs in it.'
          : 'What ran in it has ended; what was seen of it stays until you close it. The next command starts another one, too.'}
        <p className="mt-2">
          <Button size="sm" disabled={busy} onClick={() => void restart()}>
            Restart the terminal host
          </Button>
        </p>
      </Notice>
    </section>
  );
}

/** Brings a terminal that has just appeared to the front, unless the user works in a shell. */
function useNewcomers(
  visible: readonly TerminalInfo[],
  shown: TerminalInfo | null,
  show: (id: string) => void,
) {
  const known = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    const before = known.current;
    known.current = new Set(visible.map((terminal) => terminal.id));
    const newcomer = visible.findLast((t) => before !== null && !before.has(t.id) && !hasEnded(t));
    if (newcomer && takesTheFront(shown)) show(newcomer.id);
  });
}

/** The tabs of the terminals. ←→ move between them; × closes the one shown when it has ended, and ends a shell. */
function TerminalTabs({
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
            {...(hasEnded(terminal) ? { label: endText(terminal) } : {})}
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
