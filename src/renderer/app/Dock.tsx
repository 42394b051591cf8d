import { ListTodo } from 'lucide-react';
import { type FocusEvent, useCallback, useEffect, useMemo, useRef } from 'react';
import { Group, Panel, type PanelImperativeHandle, usePanelRef } from 'react-resizable-panels';
import type { Project } from '../../shared/settings';
import { isSettled } from '../../shared/task';
import type { TodoItem } from '../../shared/tool-call';
import type { Item, Transcript } from '../../shared/transcript';
import { AgentsPanel } from '../agents/AgentsPanel';
import { PlanText } from '../approvals/PlanCard';
import { ChangesPanel } from '../changes/ChangesPanel';
import { currentTranscript, type DockTab } from '../store/screen';
import { showTerminal, stopTask } from '../store/terminals';
import { useLathe, useScreen } from '../store/use-lathe';
import { ProcessPanel } from '../tasks/ProcessPanel';
import { type TaskActs, TaskList } from '../tasks/TaskList';
import { TerminalDock } from '../terminal/TerminalDock';
import { visibleTerminals } from '../terminal/visible-terminals';
import { PlanState, TodoGlyph } from '../tool-cards/PlanningCards';
import { cx } from '../ui/css';
import { EmptyState } from '../ui/Notice';
import { Tabs } from '../ui/Tabs';
import { Divider } from './Columns';
import { FileLinks } from './FileLinks';
import { type Layout, useNarrow } from './layout';
import { latestPlan, latestTodos } from './session-views';

/** The share of the upper half while files are compared and no terminal wants the room. Percent. */
const ROOM_FOR_CHANGES = 72;

/** The right column: tasks, changes and plan above, terminals below. */
export function Dock({
  project,
  panels,
  onPanels,
}: {
  readonly project: Project;
  /** The upper half's share in percent. */
  readonly panels: number;
  readonly onPanels: (patch: Partial<Layout>) => void;
}) {
  const upper = usePanelRef();
  const lower = usePanelRef();
  const chosen = useRef(panels);
  const remember = useCallback(
    (sizes: Readonly<Record<string, number>>, meta: { isUserInteraction: boolean }) => {
      const top = sizes['panels'];
      if (!meta.isUserInteraction || top === undefined || top <= 0) return;
      chosen.current = top;
      onPanels({ panels: top });
    },
    [onPanels],
  );
  const isRoomy = useScreen(
    ({ app, dockTab, sessionId, terminalId }) =>
      dockTab === 'changes' &&
      visibleTerminals(app?.terminals ?? [], project.path, sessionId, terminalId).length === 0,
  );
  useEffect(() => {
    if (upper.current === null || upper.current.isCollapsed()) return;
    const share = isRoomy ? Math.max(chosen.current, ROOM_FOR_CHANGES) : chosen.current;
    upper.current.resize(`${share}%`);
  }, [isRoomy, upper]);
  const wishes = useScreen((s) => s.dockWishes);
  useEffect(() => {
    if (wishes > 0 && upper.current?.isCollapsed()) upper.current.expand();
  }, [wishes, upper]);
  const narrow = useNarrow();
  return (
    <div className="flex h-full flex-col bg-side">
      {narrow ? null : <div data-title-row="own end" className="border-b border-line" />}
      <Group
        orientation="vertical"
        className="min-h-0 flex-1"
        defaultLayout={{ panels, terminals: 100 - panels }}
        onLayoutChanged={remember}
      >
        <Panel
          id="panels"
          panelRef={upper}
          minSize={90}
          collapsible
          collapsedSize={36}
          onFocus={(event) => uncover(upper.current, event)}
        >
          <DockPanels />
        </Panel>
        <Divider
          orientation="horizontal"
          label="Between panels and terminals"
          onCollapse={() =>
            upper.current?.isCollapsed() ? upper.current.expand() : upper.current?.collapse()
          }
        />
        <Panel
          id="terminals"
          panelRef={lower}
          minSize={120}
          collapsible
          collapsedSize={36}
          onFocus={(event) => uncover(lower.current, event)}
        >
          <TerminalDock project={project.path} />
        </Panel>
      </Group>
    </div>
  );
}

/** Opens a half of which only the tabs are seen when what is below them gets the focus. */
function uncover(half: PanelImperativeHandle | null, { currentTarget, target }: FocusEvent): void {
  const isBelow = () =>
    target.getBoundingClientRect().top >= currentTarget.getBoundingClientRect().bottom - 1;
  if (half?.isCollapsed() === true && isBelow()) half.expand();
}

function DockPanels() {
  const lathe = useLathe();
  const tab = useScreen((s) => s.dockTab);
  const transcript = useScreen(currentTranscript);
  const tasks = transcript?.tasks ?? [];
  const acts: TaskActs = {
    onStop: (task) => stopTask(lathe, task.sessionId, task.id),
    onShowTerminal: (terminalId) => showTerminal(lathe, terminalId),
  };
  return (
    <Tabs<DockTab>
      label="Dock"
      className="h-full bg-side"
      value={tab}
      onChange={(dockTab) => lathe.store.setState({ dockTab })}
      tabs={[
        {
          id: 'tasks',
          label: 'Tasks',
          count: tasks.filter((task) => !isSettled(task.status)).length,
        },
        {
          id: 'agents',
          label: 'Agents',
          count: transcript?.agents.filter(({ status }) => status === 'running').length ?? 0,
        },
        { id: 'processes', label: 'Processes' },
        { id: 'changes', label: 'Changes' },
        { id: 'plan', label: 'Plan' },
      ]}
    >
      {tab === 'tasks' ? <TaskList tasks={tasks} acts={acts} /> : null}
      {tab === 'agents' ? <AgentsPanel transcript={transcript} /> : null}
      {tab === 'processes' ? <ProcessPanel /> : null}
      {tab === 'changes' ? <ChangesPanel transcript={transcript} /> : null}
      {tab === 'plan' ? <PlanPanel transcript={transcript} /> : null}
    </Tabs>
  );
}

/** The plan the user approved or is asked about, and the list of steps the model keeps. */
function PlanPanel({ transcript }: { readonly transcript: Transcript | null }) {
  const committed = transcript?.committed ?? NONE;
  const active = transcript?.active ?? NONE;
  const before = useMemo(() => picturesIn(committed), [committed]);
  const now = useMemo(() => picturesIn(active), [active]);
  const todos = now.todos ?? before.todos ?? [];
  const plan = now.plan ?? before.plan;
  if (todos.length === 0 && plan === null) {
    return (
      <EmptyState
        icon={ListTodo}
        title="No plan yet"
        text="For longer work Lathe keeps a list of its steps here."
      />
    );
  }
  return (
    <div className="flex flex-col gap-3 px-3 py-2">
      {todos.length === 0 ? null : <Steps todos={todos} working={transcript?.running !== null} />}
      {plan === null ? null : (
        <section aria-label="Plan">
          <p className="pb-1.5">
            <PlanState view={plan} />
          </p>
          <FileLinks>
            <PlanText plan={plan.plan} />
          </FileLinks>
        </section>
      )}
    </div>
  );
}

const NONE: readonly Item[] = [];

const picturesIn = (items: readonly Item[]) => ({
  todos: latestTodos(items),
  plan: latestPlan(items),
});

function Steps({
  todos,
  working,
}: {
  readonly todos: readonly TodoItem[];
  /** A query runs; otherwise what is in progress stands still. */
  readonly working: boolean;
}) {
  const done = todos.filter((todo) => todo.status === 'completed').length;
  return (
    <div>
      <p className="pb-1.5 text-meta text-ink-3">
        {done} of {todos.length} done
      </p>
      <ol className="flex flex-col gap-1.5">
        {todos.map((todo, at) => (
          <li key={at} className="flex items-start gap-2 text-code">
            <span className="mt-0.5">
              <TodoGlyph status={todo.status} paused={!working} />
            </span>
            <span
              className={cx(
                'min-w-0 [overflow-wrap:anywhere]',
                todo.status === 'completed' && 'text-ink-3',
                todo.status === 'in_progress' && 'font-medium',
              )}
            >
              {todo.status === 'in_progress' ? todo.activeForm : todo.content}
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}
