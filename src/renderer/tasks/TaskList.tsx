import { Activity } from 'lucide-react';
import { isSettled, type Task } from '../../shared/task';
import { EmptyState } from '../ui/EmptyState';
import { useNow } from '../ui/use-now';
import { type TaskActs, TaskRow } from './TaskRow';
import { tasksInOrder } from './task-view';

/** At most this many ended tasks are listed; their output stays with the session. */
const SHOWN_ENDED = 100;

/** The session's background work, live. */
export function TaskList({
  tasks,
  acts,
}: {
  readonly tasks: readonly Task[];
  readonly acts: TaskActs;
}) {
  const running = tasks.filter((task) => !isSettled(task.status)).length;
  const now = useNow(running > 0);
  if (tasks.length === 0) {
    return (
      <EmptyState
        icon={Activity}
        title="No tasks"
        text="Commands that go on in the background, such as servers and test runs, appear here with their terminal."
      />
    );
  }
  return (
    <ul aria-label="Tasks" className="p-1.5">
      {tasksInOrder(tasks)
        .slice(0, running + SHOWN_ENDED)
        .map((task) => (
          <TaskRow key={task.id} task={task} now={now} acts={acts} />
        ))}
    </ul>
  );
}
