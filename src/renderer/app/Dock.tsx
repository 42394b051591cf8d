import { ChevronRight, FileDiff as FileDiffIcon, ListTodo } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { Group, Panel, usePanelRef } from 'react-resizable-panels';
import type { Project } from '../../shared/settings';
import { isSettled } from '../../shared/task';
import type { TodoItem } from '../../shared/tool-call';
import type { Item, Transcript } from '../../shared/transcript';
import { PlanText } from '../approvals/PlanCard';
import { ChangeCount, DiffView } from '../diff/DiffView';
import { currentTranscript, type DockTab } from '../store/screen';
import { showTerminal, stopTask } from '../store/terminals';
import { useLathe, useScreen } from '../store/use-lathe';
import { ProcessPanel } from '../tasks/ProcessPanel';
import { type TaskActs, TaskList } from '../tasks/TaskList';
import { TerminalDock } from '../terminal/TerminalDock';
import { PlanState, TodoGlyph } from '../tool-cards/PlanningCards';
import { cx } from '../ui/css';
import { plural, relativePath } from '../ui/format';
import { Badge } from '../ui/Marks';
import { EmptyState } from '../ui/Notice';
import { Tabs } from '../ui/Tabs';
import { VisibleText } from '../ui/VisibleText';
import { Divider } from './Columns';
import type { Layout } from './layout';
import { byFile, type ChangedFile, changesIn, latestPlan, latestTodos } from './session-views';

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
  const remember = useCallback(
    (sizes: Readonly<Record<string, number>>, meta: { isUserInteraction: boolean }) => {
      const top = sizes['panels'];
      if (meta.isUserInteraction && top !== undefined && top > 0) onPanels({ panels: top });
    },
    [onPanels],
  );
  return (
    <Group
      orientation="vertical"
      className="h-full"
      defaultLayout={{ panels, terminals: 100 - panels }}
      onLayoutChanged={remember}
    >
      <Panel id="panels" panelRef={upper} minSize={90} collapsible collapsedSize={36}>
        <DockPanels />
      </Panel>
      <Divider
        orientation="horizontal"
        label="Between panels and terminals"
        onCollapse={() =>
          upper.current?.isCollapsed() ? upper.current.expand() : upper.current?.collapse()
        }
      />
      <Panel id="terminals" minSize={120} collapsible collapsedSize={36}>
        <TerminalDock project={project.path} />
      </Panel>
    </Group>
  );
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
        { id: 'processes', label: 'Processes' },
        { id: 'changes', label: 'Changes' },
        { id: 'plan', label: 'Plan' },
      ]}
    >
      {tab === 'tasks' ? <TaskList tasks={tasks} acts={acts} /> : null}
      {tab === 'processes' ? <ProcessPanel /> : null}
      {tab === 'changes' ? <ChangesPanel transcript={transcript} /> : null}
      {tab === 'plan' ? <PlanPanel transcript={transcript} /> : null}
    </Tabs>
  );
}

/** Every file the session changed, with each change in the order it happened. */
function ChangesPanel({ transcript }: { readonly transcript: Transcript | null }) {
  const committed = transcript?.committed;
  const active = transcript?.active;
  const before = useMemo(() => changesIn(committed ?? []), [committed]);
  const now = useMemo(() => changesIn(active ?? []), [active]);
  const files = useMemo(() => byFile([...before, ...now]), [before, now]);
  if (files.length === 0) {
    return (
      <EmptyState
        icon={FileDiffIcon}
        title="No changes yet"
        text="Files this session edits are listed here with their differences."
      />
    );
  }
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  return (
    <div>
      <p className="flex items-center gap-2 px-3 pt-2 pb-1 text-meta text-ink-3">
        {plural(files.length, 'file')}
        <ChangeCount added={added} removed={removed} />
      </p>
      <ul className="pb-2">
        {files.map((file) => (
          <FileEntry key={file.path} file={file} cwd={transcript?.cwd ?? ''} />
        ))}
      </ul>
    </div>
  );
}

function FileEntry({ file, cwd }: { readonly file: ChangedFile; readonly cwd: string }) {
  const [open, setOpen] = useState(false);
  const path = relativePath(file.path, cwd);
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex w-full items-center gap-2 px-3 py-1 text-left hover:bg-hover"
      >
        <ChevronRight
          size={13}
          aria-hidden
          className={cx(
            'shrink-0 text-ink-3 transition-transform duration-100',
            open && 'rotate-90',
          )}
        />
        <span className="min-w-0 flex-1 truncate font-mono text-[12.5px]" title={file.path}>
          <VisibleText text={path} />
        </span>
        {file.created ? <Badge>new</Badge> : null}
        <ChangeCount added={file.added} removed={file.removed} />
      </button>
      {open ? (
        <div className="my-1 border-y border-line bg-canvas">
          {file.changes.map((change) => (
            <DiffView key={change.callId} path={file.path} hunks={change.hunks} limit={200} />
          ))}
        </div>
      ) : null}
    </li>
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
          <PlanText plan={plan.plan} />
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
