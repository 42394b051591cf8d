import { Activity, Square, SquareTerminal } from 'lucide-react';
import { useRef } from 'react';
import { looksLikeQuestion } from '../../shared/looks-like-question';
import { isSettled, type Task } from '../../shared/task';
import { IconButton } from '../ui/Button';
import { duration, elapsed } from '../ui/format';
import { StateGlyph, taskState } from '../ui/Marks';
import { EmptyState } from '../ui/Notice';
import { useNow } from '../ui/use-now';

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

/** What one line of the task list can do. */
export interface TaskActs {
  onStop(task: Task): void;
  onShowTerminal(terminalId: string): void;
}

/** One task: state, title, elapsed time, last line, stop. A press opens its terminal. */
function TaskRow({
  task,
  now,
  acts,
}: {
  readonly task: Task;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly acts: TaskActs;
}) {
  const waits = waitsForInput(task, useSilence(task, now));
  const settled = isSettled(task.status);
  const note = waits ? `waits for input · ${task.lastLine.trim()}` : taskNote(task);
  const { terminalId } = task;
  const time = settled
    ? duration((task.endedAt ?? task.startedAt) - task.startedAt)
    : elapsed(now - task.startedAt);
  return (
    <li className="group relative rounded-md hover:bg-hover">
      <button
        type="button"
        disabled={terminalId === undefined}
        onClick={() => terminalId !== undefined && acts.onShowTerminal(terminalId)}
        className="flex w-full items-start gap-2 rounded-md px-2 py-1.5 text-left"
      >
        <span className="mt-0.5">
          <StateGlyph state={waits ? 'waits' : taskState(task.status)} />
        </span>
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline gap-2">
            <span className="min-w-0 flex-1 truncate text-code text-ink" title={task.command}>
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

/** SPEC G5: this long without output, and a question as the last line, means it waits for input. Milliseconds. */
const SILENT_MS = 45_000;

/** Running tasks first, each part newest first. */
const tasksInOrder = (tasks: readonly Task[]): readonly Task[] =>
  [...tasks].sort(
    (a, b) =>
      Number(isSettled(a.status)) - Number(isSettled(b.status)) || b.startedAt - a.startedAt,
  );

/** Whether a task seems to wait for someone to type. `silentMs` is how long its output has not grown. */
const waitsForInput = (task: Task, silentMs: number): boolean =>
  task.status === 'running' && silentMs >= SILENT_MS && looksLikeQuestion(task.lastLine);

/** One line under a task's title: how it ended or what it said last. */
function taskNote(task: Task): string {
  const exit =
    task.exitCode === undefined || task.exitCode === null || task.exitCode === 0
      ? ''
      : `exit ${task.exitCode}`;
  const end = task.status === 'killed' ? (task.note ?? 'stopped') : (task.note ?? exit);
  return [isSettled(task.status) ? end : '', task.lastLine.trim()].filter(Boolean).join(' · ');
}

/** How long a task's output has not grown, in milliseconds, as far as this window has seen. */
function useSilence(task: Task, now: number): number {
  const seen = useRef({ bytes: task.outputBytes, at: now });
  if (seen.current.bytes !== task.outputBytes) {
    seen.current = { bytes: task.outputBytes, at: now };
  }
  return now - seen.current.at;
}
