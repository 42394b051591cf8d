import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import {
  Group,
  Panel,
  type PanelImperativeHandle,
  Separator,
  usePanelRef,
} from 'react-resizable-panels';
import { useLathe, useScreen } from '../store/use-lathe';
import { cx } from '../ui/css';
import { CENTRE_MIN_PX, DOCK_MIN_PX, type Layout, SIDE_MIN_PX } from './layout';

/** The content of the three columns and their initial sizes. */
interface ColumnsProps {
  readonly side: ReactNode;
  readonly centre: ReactNode;
  readonly dock: ReactNode;
  readonly initial: Layout;
  readonly onLayout: (patch: Partial<Layout>) => void;
}

/** Three columns beside each other. The outer ones keep their width when the window grows. */
export function WideColumns({ side, centre, dock, initial, onLayout }: ColumnsProps) {
  const { store } = useLathe();
  const sideRef = usePanelRef();
  const dockRef = usePanelRef();
  const sideOpen = useScreen((s) => s.sideOpen);
  const dockOpen = useScreen((s) => s.dockOpen);
  useEffect(() => open(sideRef.current, sideOpen, initial.side), [sideRef, sideOpen, initial]);
  useEffect(() => open(dockRef.current, dockOpen, initial.dock), [dockRef, dockOpen, initial]);
  const drawn = useRef({ sideOpen, dockOpen });
  useEffect(() => {
    // As it is first drawn, it is not as anybody wants it: the layout comes after that.
    if (drawn.current.sideOpen === sideOpen && drawn.current.dockOpen === dockOpen) return;
    drawn.current = { sideOpen, dockOpen };
    onLayout({ sideOpen, dockOpen });
  }, [onLayout, sideOpen, dockOpen]);
  const remember = useCallback(
    (sizes: Readonly<Record<string, number>>, meta: { isUserInteraction: boolean }) => {
      if (!meta.isUserInteraction) return;
      const sideSize = sizes['side'] ?? 0;
      const dockSize = sizes['dock'] ?? 0;
      store.setState({ sideOpen: sideSize > 0, dockOpen: dockSize > 0 });
      onLayout({
        ...(sideSize > 0 ? { side: sideSize } : {}),
        ...(dockSize > 0 ? { dock: dockSize } : {}),
      });
    },
    [store, onLayout],
  );
  return (
    <Group className="min-h-0 flex-1" onLayoutChanged={remember}>
      <Panel
        id="side"
        panelRef={sideRef}
        defaultSize={`${sideOpen ? initial.side : 0}%`}
        minSize={SIDE_MIN_PX}
        maxSize="40%"
        collapsible
        groupResizeBehavior="preserve-pixel-size"
      >
        {sideOpen ? side : null}
      </Panel>
      <Divider
        orientation="vertical"
        label="Between sessions and conversation"
        onCollapse={() => store.setState((s) => ({ sideOpen: !s.sideOpen }))}
      />
      <Panel id="centre" minSize={CENTRE_MIN_PX}>
        {centre}
      </Panel>
      <Divider
        orientation="vertical"
        label="Between conversation and dock"
        onCollapse={() => store.setState((s) => ({ dockOpen: !s.dockOpen }))}
      />
      <Panel
        id="dock"
        panelRef={dockRef}
        defaultSize={`${dockOpen ? initial.dock : 0}%`}
        minSize={DOCK_MIN_PX}
        maxSize="65%"
        collapsible
        groupResizeBehavior="preserve-pixel-size"
      >
        {dockOpen ? dock : null}
      </Panel>
    </Group>
  );
}

function open(panel: PanelImperativeHandle | null, wanted: boolean, percent: number): void {
  if (panel === null || panel.isCollapsed() === !wanted) return;
  if (wanted) {
    panel.expand();
    if (panel.isCollapsed()) panel.resize(`${percent}%`);
  } else panel.collapse();
}

/** One column; the outer ones lie over it while they are open, one at a time. */
export function NarrowColumns({ side, centre, dock }: Omit<ColumnsProps, 'initial' | 'onLayout'>) {
  const { store } = useLathe();
  const sideOpen = useScreen((s) => s.sideOpen);
  const dockOpen = useScreen((s) => s.dockOpen);
  const close = useCallback(() => store.setState({ sideOpen: false, dockOpen: false }), [store]);
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
  return (
    <div className="relative min-h-0 flex-1">
      {centre}
      {sideOpen || dockOpen ? (
        <button
          type="button"
          aria-label="Close"
          onClick={close}
          className="absolute inset-x-0 top-11 bottom-0 z-20 bg-scrim"
        />
      ) : null}
      {sideOpen ? (
        <div className="absolute top-11 bottom-0 left-0 z-20 w-[min(300px,85%)] border-r border-line shadow-dialog">
          {side}
        </div>
      ) : null}
      {dockOpen ? (
        <div className="absolute top-11 right-0 bottom-0 z-20 w-[min(560px,92%)] border-l border-line bg-canvas shadow-dialog">
          {dock}
        </div>
      ) : null}
    </div>
  );
}

/** The line between two panes: drags, moves with the arrow keys, and collapses a pane by double click or Enter. */
export function Divider({
  orientation,
  label,
  onCollapse,
}: {
  /** The direction of the line itself. */
  readonly orientation: 'horizontal' | 'vertical';
  readonly label: string;
  readonly onCollapse: () => void;
}) {
  return (
    <Separator
      aria-label={label}
      disableDoubleClick
      onDoubleClick={onCollapse}
      className={cx(
        'relative z-10 shrink-0 bg-line outline-none transition-colors duration-100 after:absolute',
        'data-[separator=active]:bg-accent data-[separator=hover]:bg-accent focus-visible:bg-focus',
        orientation === 'vertical'
          ? 'w-px after:inset-y-0 after:-left-1 after:w-2.25'
          : 'h-px after:inset-x-0 after:-top-1 after:h-2.25',
      )}
    />
  );
}
