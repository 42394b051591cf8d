import { Square, SquareTerminal } from 'lucide-react';
import { isSettled, type Task } from '../../shared/task';
import { duration, elapsed } from '../ui/format';
import { IconButton } from '../ui/IconButton';
import { StateGlyph, taskState } from '../ui/StateGlyph';
import { taskNote, waitsForInput } from './task-view';
import { useSilence } from './use-silence';

/** What one line of the task list can do. */
export interface TaskActs {
  onStop(task: Task): void;
  onShowTerminal(terminalId: string): void;
}

/** One task: state, title, elapsed time, last line, stop. A press opens its terminal. */
export function TaskRow({
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
