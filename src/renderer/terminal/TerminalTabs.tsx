import { Bell, ChevronDown, Ellipsis, Minimize2, Pin, Plus, RotateCw, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { Keymap } from '../../shared/keymap';
import {
  hostNote,
  MAX_TERMINAL_NAME,
  type TerminalInfo,
  terminalLabel,
} from '../../shared/terminal';
import { useKeymap } from '../commands/use-keymap';
import { useScreen } from '../store/use-lathe';
import { IconButton } from '../ui/Button';
import { cx } from '../ui/css';
import { StateGlyph, type WorkState } from '../ui/Marks';
import { ContextArea, Menu, type MenuEntry } from '../ui/Menu';
import type { PaneSide } from './panes';
import { endText, hasEnded } from './visible-terminals';

/** The acts of a row of tabs. */
export interface TabActs {
  onShow(terminalId: string): void;
  /** Ends it first when it runs. */
  onClose(terminal: TerminalInfo): void;
  onRename(terminalId: string, name: string): void;
  onRerun(terminalId: string): void;
  /** Lets it go on when Lathe quits, or not. */
  onPin(terminalId: string, pinned: boolean): void;
  /** Puts a mention of the terminal into the prompt. */
  onMention(terminal: TerminalInfo): void;
  /** Moves a tab to a side of the pane. */
  onMove(terminalId: string, side: PaneSide): void;
  /** Opens a shell beside the pane. */
  onSplit(side: PaneSide): void;
  onMaximise(): void;
  /** A tab begins to be dragged. */
  onDrag(terminalId: string): void;
}

/** The tabs of terminals. ←→ move between them, F2 renames; × closes the one shown when it has ended, and ends a shell. */
export function TerminalTabs({
  terminals,
  shownId,
  maximised = false,
  acts,
  onNew,
}: {
  readonly terminals: readonly TerminalInfo[];
  readonly shownId: string | null;
  readonly maximised?: boolean;
  /** Left out where there are no tabs. */
  readonly acts?: TabActs;
  /** Opens the user's shell, or what a profile of this name says. */
  readonly onNew: (profile?: string) => void;
}) {
  const profiles = useScreen((s) => s.app?.preferences.profiles);
  const [renamed, setRenamed] = useState<string | null>(null);
  const keymap = useKeymap();
  const shown = terminals.find((terminal) => terminal.id === shownId);
  const entries = (target: Element): readonly MenuEntry[] => {
    const id = target.closest('[data-tab]')?.getAttribute('data-tab');
    const terminal = terminals.find((one) => one.id === id);
    return terminal === undefined || acts === undefined
      ? []
      : tabEntries(terminal, terminals.length, acts, () => setRenamed(terminal.id));
  };
  return (
    <div className="flex h-9 shrink-0 items-center gap-1 border-b border-line bg-side px-2">
      {acts === undefined ? (
        <span className="flex-1 px-2 text-meta font-medium text-ink-3">Terminals</span>
      ) : (
        <ContextArea entries={entries}>
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
                renaming={terminal.id === renamed}
                acts={acts}
                onRenaming={(starts) => setRenamed(starts ? terminal.id : null)}
              />
            ))}
          </div>
        </ContextArea>
      )}
      {shown && acts && hasEnded(shown) ? (
        <IconButton
          icon={RotateCw}
          label={`Run ${terminalLabel(shown)} again`}
          onClick={() => acts.onRerun(shown.id)}
        />
      ) : null}
      {shown && acts && (shown.kind === 'shell' || hasEnded(shown)) ? (
        <IconButton icon={X} label={closeLabel(shown)} onClick={() => acts.onClose(shown)} />
      ) : null}
      {acts && maximised ? (
        <IconButton
          icon={Minimize2}
          label="Back to its place"
          keys={keymap.keyOf('maximisePane')}
          onClick={acts.onMaximise}
        />
      ) : null}
      <IconButton icon={Plus} label="New terminal" onClick={() => onNew()} />
      {profiles === undefined || profiles.length === 0 ? null : (
        <Menu
          align="end"
          trigger={<IconButton icon={ChevronDown} label="New terminal with a profile" />}
          entries={profiles.map(({ name }) => item(name, name, () => onNew(name)))}
        />
      )}
      {acts === undefined ? null : (
        <Menu
          align="end"
          trigger={<IconButton icon={Ellipsis} label="More for this pane" />}
          entries={paneEntries(acts, maximised, keymap)}
        />
      )}
    </div>
  );
}

const closeLabel = (terminal: TerminalInfo): string =>
  `${hasEnded(terminal) ? 'Close' : 'End'} ${terminalLabel(terminal)}`;

const item = (
  id: string,
  label: string,
  onSelect: () => void,
  more: { readonly keys?: string; readonly disabled?: boolean; readonly danger?: boolean } = {},
): MenuEntry => ({ kind: 'item', id, label, onSelect, ...more });

/** Returns the entries of a pane's menu. */
const paneEntries = (
  acts: TabActs,
  maximised: boolean,
  { keyOf }: Keymap,
): readonly MenuEntry[] => [
  item('right', 'Split to the right', () => acts.onSplit('right'), { keys: keyOf('splitRight') }),
  item('down', 'Split below', () => acts.onSplit('bottom'), { keys: keyOf('splitDown') }),
  item('wide', maximised ? 'Back to its place' : 'Maximise', acts.onMaximise, {
    keys: keyOf('maximisePane'),
  }),
];

/** Returns the entries of a tab's context menu. */
function tabEntries(
  terminal: TerminalInfo,
  siblings: number,
  acts: TabActs,
  onRename: () => void,
): readonly MenuEntry[] {
  const ended = hasEnded(terminal);
  const { id } = terminal;
  const alone = { disabled: siblings < 2 };
  return [
    item('rename', 'Rename…', onRename, { keys: 'f2' }),
    item('mention', 'Mention in the prompt', () => acts.onMention(terminal)),
    item(
      'pin',
      terminal.pinned === true ? 'End when Lathe quits' : 'Keep when Lathe quits',
      () => acts.onPin(id, terminal.pinned !== true),
      { disabled: ended },
    ),
    item('rerun', 'Run again', () => acts.onRerun(id), { disabled: !ended }),
    { kind: 'separator', id: 'line' },
    item('left', 'Move to the left', () => acts.onMove(id, 'left'), alone),
    item('right', 'Move to the right', () => acts.onMove(id, 'right'), alone),
    item('up', 'Move above', () => acts.onMove(id, 'top'), alone),
    item('down', 'Move below', () => acts.onMove(id, 'bottom'), alone),
    { kind: 'separator', id: 'line2' },
    item('close', ended ? 'Close' : 'End', () => acts.onClose(terminal), { danger: !ended }),
  ];
}

function Tab({
  terminal,
  shown,
  renaming,
  acts,
  onRenaming,
}: {
  readonly terminal: TerminalInfo;
  readonly shown: boolean;
  readonly renaming: boolean;
  readonly acts: TabActs;
  readonly onRenaming: (starts: boolean) => void;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const label = terminalLabel(terminal);
  useEffect(() => {
    const tab = frame.current;
    if (!shown || tab === null) return;
    // Now, and whenever the row gets another width.
    const sizes = new ResizeObserver(() =>
      tab.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    );
    sizes.observe(tab.parentElement ?? tab);
    return () => sizes.disconnect();
  }, [shown]);
  const endRename = (name: string | null) => {
    onRenaming(false);
    if (name !== null && name !== label) acts.onRename(terminal.id, name);
    requestAnimationFrame(() => frame.current?.querySelector('button')?.focus());
  };
  return (
    <div
      ref={frame}
      data-tab={terminal.id}
      className={cx(
        'flex h-6 max-w-44 min-w-28 items-center rounded-sm transition-colors duration-100',
        shown ? 'bg-selected text-ink' : 'text-ink-3 hover:text-ink',
        !shown && terminal.unread === true && 'text-ink',
      )}
    >
      {renaming ? (
        <NameField name={label} onDone={endRename} />
      ) : (
        <button
          type="button"
          role="tab"
          aria-selected={shown}
          tabIndex={shown ? 0 : -1}
          draggable
          onDragStart={(event) => {
            event.dataTransfer.effectAllowed = 'move';
            event.dataTransfer.setData('application/x-lathe-terminal', terminal.id);
            // Changes of the page while a drag begins end it.
            setTimeout(() => acts.onDrag(terminal.id));
          }}
          onClick={() => acts.onShow(terminal.id)}
          onDoubleClick={() => onRenaming(true)}
          onKeyDown={(event) => {
            if (event.key === 'F2') onRenaming(true);
            else return moveBetweenTabs(event);
            event.preventDefault();
          }}
          className="flex h-full min-w-0 items-center gap-1.5 rounded-sm px-2 text-meta font-medium"
          title={[terminal.command ?? label, hostNote(terminal)].join('\n').trim()}
        >
          {terminal.kind === 'shell' && !hasEnded(terminal) ? null : (
            <StateGlyph
              state={stateOf(terminal)}
              still
              {...(hasEnded(terminal) ? { label: endText(terminal) } : {})}
            />
          )}
          <span className="truncate">{label}</span>
          {terminal.pinned === true && !hasEnded(terminal) ? (
            <span role="img" aria-label="goes on when Lathe quits" className="shrink-0">
              <Pin size={11} aria-hidden />
            </span>
          ) : null}
          <News terminal={terminal} />
        </button>
      )}
    </div>
  );
}

/** A mark for what happened while nobody looked: it rang, or it has printed. */
function News({ terminal: { bell, unread } }: { readonly terminal: TerminalInfo }) {
  if (bell === true)
    return (
      <span role="img" aria-label="rang" className="shrink-0 text-waits">
        <Bell size={12} strokeWidth={2.25} aria-hidden />
      </span>
    );
  return unread === true ? (
    <span
      role="img"
      aria-label="has new output"
      data-drawn
      className="size-1.5 shrink-0 rounded-full bg-accent"
    />
  ) : null;
}

/** The field in which a tab is renamed. Enter and leaving it keep the name, Esc does not; an empty one is the program's. */
function NameField({
  name,
  onDone,
}: {
  readonly name: string;
  readonly onDone: (name: string | null) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  const done = (value: string | null) => {
    if (isDone.current) return;
    isDone.current = true;
    onDone(value);
  };
  useEffect(() => {
    // A menu that closes gives the focus back first.
    const frame = requestAnimationFrame(() => field.current?.select());
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <input
      ref={field}
      aria-label="Name of the terminal"
      defaultValue={name}
      maxLength={MAX_TERMINAL_NAME}
      onBlur={(event) => done(event.currentTarget.value)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Enter') done(event.currentTarget.value);
        else if (event.key === 'Escape') done(null);
        else return;
        event.preventDefault();
      }}
      className="h-5 w-36 rounded-sm bg-canvas px-1.5 text-meta text-ink"
    />
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
