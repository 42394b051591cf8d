import { useCallback } from 'react';
import { Group, Panel, usePanelRef } from 'react-resizable-panels';
import type { Project } from '../../shared/settings';
import { isSettled } from '../../shared/task';
import { currentTranscript, type DockTab } from '../store/screen';
import { showTerminal, stopTask } from '../store/terminals';
import { useLathe, useScreen } from '../store/use-lathe';
import { TaskList } from '../tasks/TaskList';
import type { TaskActs } from '../tasks/TaskRow';
import { TerminalDock } from '../terminal/TerminalDock';
import { Tabs } from '../ui/Tabs';
import { ChangesPanel } from './ChangesPanel';
import { Divider } from './Divider';
import type { Layout } from './layout';
import { PlanPanel } from './PlanPanel';

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
        { id: 'changes', label: 'Changes' },
        { id: 'plan', label: 'Plan' },
      ]}
    >
      {tab === 'tasks' ? <TaskList tasks={tasks} acts={acts} /> : null}
      {tab === 'changes' ? <ChangesPanel transcript={transcript} /> : null}
      {tab === 'plan' ? <PlanPanel transcript={transcript} /> : null}
    </Tabs>
  );
}
