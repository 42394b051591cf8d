import { Activity, Square, SquareTerminal } from 'lucide-react';
import { isSettled, type Task, type TaskResult } from '../../shared/task';
import { IconButton } from '../ui/Button';
import { duration, elapsed } from '../ui/format';
import { StateGlyph, taskState } from '../ui/Marks';
import { EmptyState } from '../ui/Notice';
import { type Stopwatch, useElapsed } from '../ui/use-now';

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
  const since = useElapsed(running > 0);
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
          <TaskRow key={task.id} task={task} since={since} acts={acts} />
        ))}
    </ul>
  );
}

/** The actions of one line of the task list. */
export interface TaskActs {
  onStop(task: Task): void;
  onShowTerminal(terminalId: string): void;
}

/** One task: state, title, elapsed time, last line, stop. A press opens its terminal. */
function TaskRow({
  task,
  since,
  acts,
}: {
  readonly task: Task;
  readonly since: Stopwatch;
  readonly acts: TaskActs;
}) {
  const waits = task.waitsForInput === true;
  const settled = isSettled(task.status);
  const note = waits ? `waits for input · ${task.lastLine.trim()}` : taskNote(task);
  const { terminalId } = task;
  const time = settled
    ? duration((task.endedAt ?? task.startedAt) - task.startedAt)
    : elapsed(since(task.startedAt));
  return (
    <li className="group relative rounded-md hover:bg-hover">
      <button
        type="button"
        disabled={terminalId === undefined}
        onClick={() => terminalId !== undefined && acts.onShowTerminal(terminalId)}
        className="flex w-full items-start gap-2 rounded-md px-2 py-1.5 text-left"
      >
        <span className="mt-0.5">
          <StateGlyph state={waits ? 'waits' : taskState(task.status)} still />
        </span>
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline gap-2">
            <span
              dir="auto"
              className="min-w-0 flex-1 truncate text-code text-ink"
              title={task.command}
            >
              {task.title}
            </span>
            <span className="shrink-0 text-meta tabular-nums text-ink-3 group-focus-within:invisible group-hover:invisible">
              {time}
            </span>
          </span>
          {note === '' ? null : (
            <span
              className="block truncate font-mono text-[11.5px] leading-4 text-ink-3"
              title={note}
            >
              {note}
            </span>
          )}
        </span>
      </button>
      <span className="absolute top-1 right-1 flex opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
        {terminalId === undefined ? null : (
          <IconButton
            icon={SquareTerminal}
            label={`Show the terminal of ${task.title}`}
            onClick={() => acts.onShowTerminal(terminalId)}
          />
        )}
        {settled ? null : (
          <IconButton
            icon={Square}
            label={`Stop ${task.title} with everything it started`}
            onClick={() => acts.onStop(task)}
          />
        )}
      </span>
    </li>
  );
}

/** Sorts tasks: running ones first, each part newest first. */
const tasksInOrder = (tasks: readonly Task[]): readonly Task[] =>
  [...tasks].sort(
    (a, b) =>
      Number(isSettled(a.status)) - Number(isSettled(b.status)) || b.startedAt - a.startedAt,
  );

/** Describes a task in one line: its end, or what is to be known of it while it runs, and its last line of output. */
function taskNote({ status, result, note, lastLine }: Task): string {
  const stopped = status === 'killed' ? 'stopped' : '';
  const state = note ?? (isSettled(status) ? stopped || endText(result) : '');
  return [state, lastLine.trim()].filter(Boolean).join(' · ');
}

function endText(result: TaskResult | undefined): string {
  if (result?.signal !== undefined && result.code === null) return `signal ${result.signal}`;
  return result?.code ? `exit ${result.code}` : '';
}
