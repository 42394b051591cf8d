import { Eraser, Hand, MessageSquareQuote, OctagonX, Search } from 'lucide-react';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import type { Keymap } from '../../shared/keymap';
import { type TerminalInfo, terminalLabel } from '../../shared/terminal';
import { useKeymap } from '../commands/use-keymap';
import type { Lathe } from '../store/lathe';
import { endFindIn, findIn, killTerminal, takeWheel } from '../store/terminals';
import { clipboardText, copyText } from '../store/toasts';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button, CopyButton, IconButton } from '../ui/Button';
import { focusHome } from '../ui/Dialog';
import { plural, quoted, tildePath } from '../ui/format';
import { shownTarget } from '../ui/link-target';
import { Spinner } from '../ui/Marks';
import { ContextArea, type MenuEntry } from '../ui/Menu';
import { Notice } from '../ui/Notice';
import { VisibleText } from '../ui/VisibleText';
import { FindBar } from './FindBar';
import type { LiveTerminal } from './live-terminal';
import { TERMINAL_FONT } from './look';
import { PasteQuestion } from './PasteQuestion';
import { SecretLine } from './SecretLine';
import { endText, hasEnded } from './visible-terminals';

/** One terminal with its bar. Commands of the agent are read-only until the user takes the wheel. */
export function TerminalPane({
  terminal,
  live,
}: {
  readonly terminal: TerminalInfo;
  readonly live: LiveTerminal;
}) {
  const lathe = useLathe();
  const state = useSyncExternalStore(live.state.subscribe, live.state.get);
  const finding = useScreen((s) => s.finding);
  const find = () => findIn(lathe, terminal.id);
  const tookHere = useScreen((s) => s.wheels.includes(terminal.id));
  const take = (taken: boolean) => void takeWheel(lathe, terminal.id, taken);
  const ended = hasEnded(terminal) || state.exit !== null;
  const wheel = terminal.wheel === true && !ended;
  const inputAllowed = !ended && (terminal.kind === 'shell' || wheel);
  const keymap = useKeymap();
  const entries = () => terminalEntries(lathe, live, inputAllowed, find, keymap);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <TerminalBar
        terminal={terminal}
        ended={ended}
        wheel={wheel}
        tookHere={tookHere}
        onWheel={(taken) => {
          take(taken);
          if (taken) live.focus();
        }}
        onFind={find}
        onClear={() => live.clear()}
        selected={state.selected}
        onQuote={() => quote(lathe, live)}
        text={() => live.text()}
        onKill={() => killTerminal(lathe, terminal.id)}
      />
      <div className="relative min-h-0 flex-1 bg-[var(--term-background)]">
        <ContextArea entries={entries}>
          <div className="absolute inset-0">
            <TerminalScreen
              live={live}
              label={`Terminal ${terminalLabel(terminal)}`}
              inputAllowed={inputAllowed}
            />
          </div>
        </ContextArea>
        {terminal.secret === true && !ended ? (
          <SecretLine
            taken={wheel}
            tookHere={tookHere}
            atTop={state.cursorIsLow}
            onTake={() => take(true)}
            onSend={(text) => live.sendSecret(text)}
          />
        ) : null}
        {finding?.terminalId === terminal.id ? (
          <FindBar
            live={live}
            wishes={finding.wishes}
            matches={state.matches}
            onClose={() => {
              endFindIn(lathe, terminal.id);
              live.focus();
            }}
            onGone={() => endFindIn(lathe, terminal.id)}
          />
        ) : null}
        {state.refused === null || (terminal.lost === true && state.drawn) ? null : (
          <div className="absolute inset-x-3 top-3">
            <Notice level="warning" title="This terminal cannot be shown">
              {state.refused}
            </Notice>
          </div>
        )}
        {state.phase === 'live' || state.refused !== null ? null : (
          <PaneOverlay>
            <Spinner size={12} />
            {state.phase === 'lost' ? 'reconnecting… the program goes on' : 'loading'}
          </PaneOverlay>
        )}
        {state.leftOut === 0 ? null : (
          <PaneOverlay atTop={state.cursorIsLow}>
            {plural(state.leftOut, 'control character')} left out of the paste
          </PaneOverlay>
        )}
        {state.link === null ? null : <LinkOverlay target={state.link} />}
      </div>
      {ended ? (
        <p className="shrink-0 border-t border-line bg-side px-3 py-1 text-meta text-ink-3">
          {endText({ ...terminal, ...state.exit })}
        </p>
      ) : null}
      {state.paste === null ? null : (
        <PasteQuestion
          plan={state.paste}
          inputAllowed={inputAllowed}
          onAnswer={(send) => live.answerPaste(send)}
        />
      )}
    </div>
  );
}

/** Returns the entries of a terminal's context menu. */
function terminalEntries(
  lathe: Lathe,
  live: LiveTerminal,
  inputAllowed: boolean,
  onFind: () => void,
  { keyOf }: Keymap,
): readonly MenuEntry[] {
  const { store } = lathe;
  const selection = live.selection();
  const none = selection === '';
  const paste = async () => {
    const text = await clipboardText(lathe);
    if (text !== null) live.paste(text);
  };
  const item = (
    id: string,
    label: string,
    onSelect: () => unknown,
    more: { readonly keys?: string; readonly disabled?: boolean } = {},
  ): MenuEntry => ({ kind: 'item', id, label, onSelect: () => void onSelect(), ...more });
  return [
    item('copy', 'Copy', () => copyText(store, selection), {
      keys: keyOf('copySelection'),
      disabled: none,
    }),
    item('paste', 'Paste', paste, { keys: keyOf('pasteText'), disabled: !inputAllowed }),
    item('all', 'Select all', () => live.selectAll()),
    item('add', 'Add to prompt', () => quote(lathe, live), {
      keys: keyOf('quoteSelection'),
      disabled: none,
    }),
    { kind: 'separator', id: 'line' },
    item('find', 'Find…', onFind, { keys: keyOf('findInTerminal') }),
    item('clear', 'Clear the screen', () => live.clear()),
  ];
}

/** Adds what is selected to the prompt. */
function quote({ current }: Lathe, live: LiveTerminal): void {
  current.addToDraft(quoted(live.selection()));
  focusHome();
}

/** A line in a corner of a terminal, over its screen. */
export function PaneOverlay({
  atTop = false,
  children,
}: {
  readonly atTop?: boolean;
  readonly children: ReactNode;
}) {
  const place = atTop ? 'top-1.5' : 'bottom-1.5';
  return (
    <span role="status" className={`${OVERLAY} ${place} flex items-center gap-1.5 truncate`}>
      {children}
    </span>
  );
}

const OVERLAY =
  'absolute left-2 max-w-[90%] rounded-sm border border-line bg-raised px-2 py-0.5 text-meta text-ink-2';

/** The target of the link under the pointer, its whole host in sight. */
function LinkOverlay({ target }: { readonly target: string }) {
  return (
    <span
      role="status"
      className={`${OVERLAY} bottom-1.5 line-clamp-6 font-mono [overflow-wrap:anywhere]`}
    >
      <VisibleText text={shownTarget(target)} />
    </span>
  );
}

/** The bar of a terminal: search, copy all, clear, take control, kill. */
function TerminalBar({
  terminal,
  ended,
  wheel,
  tookHere,
  selected,
  onWheel,
  onFind,
  onClear,
  onQuote,
  text,
  onKill,
}: {
  readonly terminal: TerminalInfo;
  readonly ended: boolean;
  readonly wheel: boolean;
  readonly tookHere: boolean;
  readonly selected: boolean;
  readonly onWheel: (taken: boolean) => void;
  readonly onFind: () => void;
  readonly onClear: () => void;
  readonly onQuote: () => void;
  readonly text: () => string;
  readonly onKill: () => void;
}) {
  const home = useScreen((s) => s.info?.home ?? '');
  const { keyOf } = useKeymap();
  const wheelLabel = wheel ? 'Hand back' : 'Take the wheel';
  return (
    <div className="@container flex h-8 shrink-0 items-center gap-1 border-b border-line bg-side pr-2 pl-3">
      <span
        className="min-w-0 flex-1 truncate font-mono text-[11.5px] text-ink-3"
        title={terminal.command ?? terminal.cwd}
      >
        {terminal.command ?? tildePath(terminal.cwd, home)}
      </span>
      {wheel ? (
        <span role="status" className="shrink-0 text-meta text-ink-2 @max-[380px]:sr-only">
          {tookHere ? 'You are typing' : 'Another window is typing'}
        </span>
      ) : null}
      {terminal.kind === 'command' && !ended ? (
        <Button
          size="sm"
          variant={wheel ? 'primary' : 'ghost'}
          icon={Hand}
          aria-pressed={wheel}
          title={wheelLabel}
          onClick={() => onWheel(!wheel)}
        >
          <span className="@max-[320px]:sr-only">{wheelLabel}</span>
        </Button>
      ) : null}
      {selected ? (
        <IconButton
          icon={MessageSquareQuote}
          label="Add the selection to the prompt"
          onClick={onQuote}
        />
      ) : null}
      <IconButton
        icon={Search}
        label="Find in this terminal"
        keys={keyOf('findInTerminal')}
        onClick={onFind}
      />
      <CopyButton text={text} label="Copy everything" />
      <IconButton icon={Eraser} label="Clear the screen" onClick={onClear} />
      {ended ? null : (
        <IconButton
          icon={OctagonX}
          label="Kill with everything it started"
          onClick={onKill}
          className="hover:text-failed"
        />
      )}
    </div>
  );
}

/** The place where a terminal's screen is drawn. xterm owns everything inside; React never looks in. */
function TerminalScreen({
  live,
  label,
  inputAllowed,
}: {
  readonly live: LiveTerminal;
  readonly label: string;
  readonly inputAllowed: boolean;
}) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return;
    let unmount: (() => void) | null = null;
    let wanted = true;
    // xterm measures its font once; measuring the fallback would misplace every cell.
    void document.fonts.load(`13px ${TERMINAL_FONT}`).finally(() => {
      if (wanted) unmount = live.mount(element);
    });
    const observer = new ResizeObserver(() => live.fit());
    observer.observe(element);
    return () => {
      wanted = false;
      observer.disconnect();
      unmount?.();
    };
  }, [live]);
  useEffect(() => live.setInput(inputAllowed), [live, inputAllowed]);
  return (
    <section
      ref={place}
      aria-label={label}
      data-terminal
      className="absolute inset-0 overflow-hidden pt-1.5 pl-2.5 contain-strict"
    />
  );
}
