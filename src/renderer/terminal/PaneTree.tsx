import {
  type DragEvent,
  Fragment,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react';
import { Group, Panel } from 'react-resizable-panels';
import { mentionText } from '../../shared/project-file';
import { type TerminalInfo, terminalMentions } from '../../shared/terminal';
import type { PaneNode, PaneSplit, PaneTabs } from '../../shared/terminal-panes';
import { Divider } from '../app/Columns';
import { changePanes } from '../store/panes';
import {
  dismissTerminal,
  killTerminal,
  openShell,
  pinTerminal,
  renameTerminal,
  rerunTerminal,
  showTerminal,
} from '../store/terminals';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { cx } from '../ui/css';
import { focusHome } from '../ui/Dialog';
import { Spinner } from '../ui/Marks';
import { Notice } from '../ui/Notice';
import { moved, type PaneSide, resized, withPlaces } from './panes';
import { PaneOverlay, TerminalPane } from './TerminalPane';
import { type TabActs, TerminalTabs } from './TerminalTabs';
import { hasEnded, shownTerminal } from './visible-terminals';

/** The terminals in their panes. A tab can be dragged into another pane, or to a side of one. */
export function PaneTree({
  panes,
  terminals,
}: {
  readonly panes: PaneNode;
  readonly terminals: readonly TerminalInfo[];
}) {
  const [dragged, setDragged] = useState<string | null>(null);
  const parts = useMemo(() => ({ terminals, dragged, setDragged }), [terminals, dragged]);
  return (
    // A drag that is given up or ends elsewhere.
    // biome-ignore lint/a11y/noStaticElementInteractions: it only hears of the end of a drag; the tabs have keys.
    <div className="min-h-0 flex-1" onDragEnd={() => setDragged(null)}>
      <Node node={panes} parts={parts} />
    </div>
  );
}

interface TreeParts {
  readonly terminals: readonly TerminalInfo[];
  /** The terminal whose tab is being dragged. */
  readonly dragged: string | null;
  readonly setDragged: (terminalId: string | null) => void;
}

const Node = ({ node, parts }: { readonly node: PaneNode; readonly parts: TreeParts }) =>
  node.kind === 'tabs' ? <Pane pane={node} parts={parts} /> : <Split split={node} parts={parts} />;

/** Fewer pixels show nothing. */
const MIN_PX = { row: 120, column: 96 } as const;

function Split({ split, parts }: { readonly split: PaneSplit; readonly parts: TreeParts }) {
  const lathe = useLathe();
  const { direction, children } = split;
  const total = children.reduce((sum, { size }) => sum + size, 0);
  const layout = Object.fromEntries(children.map(({ id, size }) => [id, (size / total) * 100]));
  const equalise = () =>
    changePanes(lathe, (panes) =>
      resized(panes, split.id, Object.fromEntries(children.map(({ id }) => [id, 1]))),
    );
  return (
    <Group
      // Sizes count when it is first drawn; other children or equal shares are another one.
      key={children.map(({ id }) => id).join()}
      orientation={direction === 'row' ? 'horizontal' : 'vertical'}
      className="h-full"
      defaultLayout={layout}
      onLayoutChanged={(sizes, meta) => {
        if (meta.isUserInteraction) changePanes(lathe, (panes) => resized(panes, split.id, sizes));
      }}
    >
      {children.map((child, at) => (
        <Fragment key={child.id}>
          {at === 0 ? null : (
            <Divider
              orientation={direction === 'row' ? 'vertical' : 'horizontal'}
              label="Between terminals"
              onCollapse={equalise}
            />
          )}
          <Panel id={child.id} minSize={MIN_PX[direction]}>
            <Node node={child} parts={parts} />
          </Panel>
        </Fragment>
      ))}
    </Group>
  );
}

/** One pane: its tabs, and the terminal in front. */
function Pane({ pane, parts }: { readonly pane: PaneTabs; readonly parts: TreeParts }) {
  const lathe = useLathe();
  const maximised = useScreen((s) => s.paneMaximised);
  const inUse = useScreen((s) => s.paneId === pane.id);
  const own = pane.terminals
    .map((id) => parts.terminals.find((terminal) => terminal.id === id))
    .filter((terminal) => terminal !== undefined);
  const shown = shownTerminal(own, pane.shown);
  const use = () => {
    const screen = lathe.store.getState();
    const { terminalId, paneId, app } = screen;
    // One that was just opened here and is not listed yet is wanted still: a menu that closes gives the focus back.
    // One that is listed and has no tab is another session's.
    const comes =
      paneId === pane.id &&
      terminalId !== null &&
      app?.terminals.some((t) => t.id === terminalId) !== true;
    if (shown !== null && terminalId !== shown.id && !comes) showTerminal(lathe, shown.id);
    if (paneId !== pane.id) lathe.store.setState({ paneId: pane.id });
  };
  const acts: TabActs = {
    onShow: (id) => showTerminal(lathe, id),
    onClose: async (terminal) => {
      if (!hasEnded(terminal)) await killTerminal(lathe, terminal.id);
      await dismissTerminal(lathe, terminal.id);
    },
    onRename: (id, name) => void renameTerminal(lathe, id, name),
    onPin: (id, pinned) => void pinTerminal(lathe, id, pinned),
    onMention: (terminal) => {
      const path = terminalMentions(parts.terminals).get(terminal.id) ?? '';
      lathe.current.addToDraft(`${mentionText(path)} `);
      focusHome();
    },
    onRerun: (id) => void rerunTerminal(lathe, id),
    onMove: (id, side) => move(id, side),
    onSplit: (side) => void openShell(lathe, { pane: pane.id, side }),
    onMaximise: () => {
      use();
      lathe.store.setState({ paneMaximised: !maximised });
    },
    onDrag: parts.setDragged,
  };
  const move = (terminalId: string, side: PaneSide) => {
    const ids = parts.terminals.map(({ id }) => id);
    changePanes(lathe, (panes) =>
      moved(withPlaces(panes, ids, pane.id), terminalId, { pane: pane.id, side }),
    );
    showTerminal(lathe, terminalId);
    lathe.terminals.focus(terminalId);
  };
  const { dragged } = parts;
  const isOnlyOne = own.length === 1 && own[0]?.id === dragged;
  return (
    <section
      aria-label={`Pane ${pane.id.slice(1)}`}
      data-in-use={inUse}
      className="relative flex h-full min-h-0 flex-col"
      onFocusCapture={use}
    >
      <TerminalTabs
        terminals={own}
        shownId={shown?.id ?? null}
        maximised={maximised}
        acts={acts}
        onNew={(profile) => {
          lathe.store.setState({ paneId: pane.id });
          void openShell(lathe, undefined, profile);
        }}
      />
      <div className="min-h-0 flex-1">
        {shown === null ? null : <LoadedPane key={shown.id} terminal={shown} />}
      </div>
      {dragged === null || isOnlyOne ? null : (
        <DropArea
          onDrop={(side) => {
            parts.setDragged(null);
            move(dragged, side);
          }}
        />
      )}
    </section>
  );
}

/** One terminal, once the emulator is loaded. */
function LoadedPane({ terminal }: { readonly terminal: TerminalInfo }) {
  const { terminals } = useLathe();
  const { phase } = useSyncExternalStore(terminals.emulator.subscribe, terminals.emulator.get);
  useEffect(() => void terminals.load(), [terminals]);
  const live = terminals.get(terminal.id);
  if (live !== null) return <TerminalPane terminal={terminal} live={live} />;
  return (
    <div className="flex h-full flex-col">
      <div className="h-8 shrink-0 border-b border-line bg-side" />
      <div className="relative min-h-0 flex-1 bg-[var(--term-background)] p-3">
        {phase === 'failed' ? (
          <Notice
            level="error"
            title="Terminals could not be loaded"
            action={
              <Button size="sm" onClick={() => window.location.reload()}>
                Reload
              </Button>
            }
          >
            The program goes on. Reload the window to see it.
          </Notice>
        ) : (
          <PaneOverlay>
            <Spinner size={12} />
            loading
          </PaneOverlay>
        )}
      </div>
    </div>
  );
}

/** The share of a pane near a side in which a drop makes a pane there. */
const EDGE = 0.28;

/** Returns the place in a box that a pointer is over; both count from 0 to 1. */
function sideAt(x: number, y: number): PaneSide {
  const distances: readonly (readonly [PaneSide, number])[] = [
    ['left', x],
    ['right', 1 - x],
    ['top', y],
    ['bottom', 1 - y],
  ];
  const [side, distance] = distances.reduce((near, one) => (one[1] < near[1] ? one : near));
  return distance < EDGE ? side : 'middle';
}

const DROP_PLACES: Readonly<Record<PaneSide, string>> = {
  middle: 'inset-0',
  left: 'inset-y-0 left-0 w-1/2',
  right: 'inset-y-0 right-0 w-1/2',
  top: 'inset-x-0 top-0 h-1/2',
  bottom: 'inset-x-0 bottom-0 h-1/2',
};

/** Lies over a pane while a tab is dragged, and shows the room that the tab would take. */
function DropArea({ onDrop }: { readonly onDrop: (side: PaneSide) => void }) {
  const [side, setSide] = useState<PaneSide | null>(null);
  const sideOf = (event: DragEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    return sideAt((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the menu of a tab and its keys do the same.
    <div
      data-drop={side ?? ''}
      className="absolute inset-0 z-20"
      onDragOver={(event) => {
        event.preventDefault();
        event.dataTransfer.dropEffect = 'move';
        setSide(sideOf(event));
      }}
      onDragLeave={() => setSide(null)}
      onDrop={(event) => {
        event.preventDefault();
        onDrop(sideOf(event));
      }}
    >
      {side === null ? null : (
        <div
          className={cx(
            'pointer-events-none absolute border-2 border-accent bg-accent/15',
            DROP_PLACES[side],
          )}
        />
      )}
    </div>
  );
}
