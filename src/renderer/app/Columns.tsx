import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import {
  Group,
  Panel,
  type PanelImperativeHandle,
  Separator,
  useGroupRef,
  usePanelRef,
} from 'react-resizable-panels';
import { useLathe, useScreen } from '../store/use-lathe';
import { cx } from '../ui/css';
import { FocusBack, focusedOverlay } from '../ui/Dialog';
import { CENTRE_MIN_PX, DOCK_MIN_PX, type Layout, type Shares, SIDE_MIN_PX } from './layout';
import { useWantedWidths } from './use-wanted-widths';

/** The content of the three columns and their initial sizes. */
interface ColumnsProps {
  /** There is room for one column only. */
  readonly narrow: boolean;
  readonly side: ReactNode;
  readonly centre: ReactNode;
  readonly dock: ReactNode;
  readonly initial: Layout;
  readonly onLayout: (patch: Partial<Layout>) => void;
}

/**
 * Three columns beside each other, of which the outer ones keep their width when the window grows; in a narrow window they lie
 * over the middle one. That one is the same in both, so that what is open and read in it stays.
 */
export function Columns({ narrow, side, centre, dock, initial, onLayout }: ColumnsProps) {
  const { store } = useLathe();
  const sideOpen = useScreen((s) => s.sideOpen);
  const dockOpen = useScreen((s) => s.dockOpen);
  const drawn = useRef<Pick<Layout, 'sideOpen' | 'dockOpen'> | null>(null);
  useEffect(() => {
    const before = drawn.current;
    drawn.current = narrow ? null : { sideOpen, dockOpen };
    // As it is first drawn, it is not as anybody wants it: the layout comes after that.
    if (narrow || before === null) return;
    if (before.sideOpen === sideOpen && before.dockOpen === dockOpen) return;
    onLayout({ sideOpen, dockOpen });
  }, [onLayout, narrow, sideOpen, dockOpen]);
  const group = useGroupRef();
  const frame = useRef<HTMLDivElement>(null);
  const takeWidths = useWantedWidths(group, frame, {
    ...{ initial, narrow },
    opened: { sideOpen, dockOpen },
  });
  const remember = useCallback(
    (sizes: Shares, meta: { isUserInteraction: boolean }) => {
      takeWidths(sizes, meta.isUserInteraction);
      if (!meta.isUserInteraction) return;
      const sideSize = sizes['side'] ?? 0;
      const dockSize = sizes['dock'] ?? 0;
      store.setState({ sideOpen: sideSize > 0, dockOpen: dockSize > 0 });
      onLayout({
        ...(sideSize > 0 ? { side: sideSize } : {}),
        ...(dockSize > 0 ? { dock: dockSize } : {}),
      });
    },
    [store, onLayout, takeWidths],
  );
  return (
    <div ref={frame} className="relative flex min-h-0 flex-1">
      <Group className="min-w-0 flex-1" groupRef={group} onLayoutChanged={remember}>
        <OuterPanel
          id="side"
          isOpen={!narrow && sideOpen}
          percent={initial.side}
          min={SIDE_MIN_PX}
          max="40%"
        >
          {side}
        </OuterPanel>
        <Divider
          orientation="vertical"
          label="Between sessions and conversation"
          isHidden={narrow}
          onCollapse={() => store.setState((s) => ({ sideOpen: !s.sideOpen }))}
        />
        <Panel id="centre" minSize={narrow ? 0 : CENTRE_MIN_PX}>
          {centre}
        </Panel>
        <Divider
          orientation="vertical"
          label="Between conversation and dock"
          isHidden={narrow}
          onCollapse={() => store.setState((s) => ({ dockOpen: !s.dockOpen }))}
        />
        <OuterPanel
          id="dock"
          isOpen={!narrow && dockOpen}
          percent={initial.dock}
          min={DOCK_MIN_PX}
          max="65%"
        >
          {dock}
        </OuterPanel>
      </Group>
      {narrow ? <Sheets side={side} dock={dock} /> : null}
    </div>
  );
}

interface OuterPanelProps {
  readonly id: string;
  readonly isOpen: boolean;
  /** Its share of the width when it opens for the first time. */
  readonly percent: number;
  readonly min: number;
  readonly max: string;
  readonly children: ReactNode;
}

function OuterPanel({ id, isOpen, percent, min, max, children }: OuterPanelProps) {
  const panel = usePanelRef();
  useEffect(() => open(panel.current, isOpen, percent), [panel, isOpen, percent]);
  return (
    <Panel
      id={id}
      panelRef={panel}
      defaultSize={`${isOpen ? percent : 0}%`}
      minSize={min}
      maxSize={max}
      collapsible
      groupResizeBehavior="preserve-pixel-size"
    >
      {isOpen ? (
        <>
          <FocusBack />
          {children}
        </>
      ) : null}
    </Panel>
  );
}

function open(panel: PanelImperativeHandle | null, wanted: boolean, percent: number): void {
  if (panel === null || panel.isCollapsed() === !wanted) return;
  if (wanted) {
    panel.expand();
    if (panel.isCollapsed()) panel.resize(`${percent}%`);
  } else panel.collapse();
}

/** The outer columns over the middle one while they are open, one at a time. */
function Sheets({ side, dock }: Pick<ColumnsProps, 'side' | 'dock'>) {
  const { store } = useLathe();
  const sideOpen = useScreen((s) => s.sideOpen);
  const dockOpen = useScreen((s) => s.dockOpen);
  const close = useCallback(() => store.setState({ sideOpen: false, dockOpen: false }), [store]);
  // Columns that were open beside the conversation are closed with the first paint of a narrow window: drawn before, they
  // would take the keyboard from what is being typed.
  const [isSettled, setSettled] = useState(false);
  useEffect(() => setSettled(true), []);
  // The last one opened wins: two sheets over one column would hide each other. It ends before the window, wide again,
  // opens both.
  useLayoutEffect(() => {
    return store.subscribe((now, before) => {
      if (now.sideOpen && now.dockOpen)
        store.setState({ sideOpen: !before.sideOpen, dockOpen: before.sideOpen });
    });
  }, [store]);
  useEffect(() => {
    const onEscape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      const { sideOpen: s, dockOpen: d } = store.getState();
      if (!s && !d) return;
      event.preventDefault();
      close();
    };
    window.addEventListener('keydown', onEscape, { capture: true });
    return () => window.removeEventListener('keydown', onEscape, { capture: true });
  }, [close, store]);
  if (!isSettled) return null;
  return (
    <>
      {sideOpen || dockOpen ? (
        <button
          type="button"
          aria-label="Close"
          onClick={close}
          className="absolute inset-x-0 top-11 bottom-0 z-20 bg-scrim"
        />
      ) : null}
      {sideOpen ? <Sheet className="left-0 w-[min(300px,85%)] border-r">{side}</Sheet> : null}
      {dockOpen ? (
        <Sheet className="right-0 w-[min(560px,92%)] border-l bg-canvas">{dock}</Sheet>
      ) : null}
    </>
  );
}

/** A column over the conversation. It or something in it has the focus, which goes back to where it was. */
function Sheet({
  className,
  children,
}: {
  readonly className: string;
  readonly children: ReactNode;
}) {
  const sheet = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // What it was opened for may have the focus already: a terminal, or the field of a search.
    const hasFocus = sheet.current?.contains(document.activeElement) === true;
    if (!hasFocus && focusedOverlay() === null) sheet.current?.focus();
  }, []);
  return (
    <div
      ref={sheet}
      tabIndex={-1}
      className={cx(
        'absolute top-11 bottom-0 z-20 border-line shadow-dialog outline-none',
        className,
      )}
    >
      <FocusBack />
      {children}
    </div>
  );
}

/** The line between two panes: drags, moves with the arrow keys, and collapses a pane by double click or Enter. */
export function Divider({
  orientation,
  label,
  isHidden = false,
  onCollapse,
}: {
  /** The direction of the line itself. */
  readonly orientation: 'horizontal' | 'vertical';
  readonly label: string;
  readonly isHidden?: boolean;
  readonly onCollapse: () => void;
}) {
  return (
    <Separator
      aria-label={label}
      disableDoubleClick
      hidden={isHidden}
      onDoubleClick={onCollapse}
      className={cx(
        'relative z-10 shrink-0 bg-line transition-colors duration-100 after:absolute',
        'data-[separator=active]:bg-accent data-[separator=hover]:bg-accent',
        orientation === 'vertical'
          ? 'w-px after:inset-y-0 after:-left-1 after:w-2.25'
          : 'h-px after:inset-x-0 after:-top-1 after:h-2.25',
      )}
    />
  );
}
