import { ListTodo } from 'lucide-react';
import { useMemo } from 'react';
import type { TodoItem } from '../../shared/tool-call';
import type { Transcript } from '../../shared/transcript';
import { cx } from '../ui/cx';
import { EmptyState } from '../ui/EmptyState';
import { StateGlyph, type WorkState } from '../ui/StateGlyph';
import { latestTodos } from './session-views';

const STATES: Readonly<Record<TodoItem['status'], WorkState>> = {
  pending: 'stopped',
  in_progress: 'running',
  completed: 'done',
};

const NAMES: Readonly<Record<TodoItem['status'], string>> = {
  pending: 'to do',
  in_progress: 'in progress',
  completed: 'done',
};

/** The newest plan of the session: what is done, what it does now, what comes. */
export function PlanPanel({ transcript }: { readonly transcript: Transcript | null }) {
  const committed = transcript?.committed;
  const active = transcript?.active;
  const before = useMemo(() => latestTodos(committed ?? []), [committed]);
  const now = useMemo(() => latestTodos(active ?? []), [active]);
  const todos = now ?? before;
  if (todos === null || todos.length === 0) {
    return (
      <EmptyState
        icon={ListTodo}
        title="No plan yet"
        text="For longer work Lathe keeps a list of its steps here."
      />
    );
  }
  const working = transcript?.running !== null;
  const done = todos.filter((todo) => todo.status === 'completed').length;
  return (
    <div className="px-3 py-2">
      <p className="pb-1.5 text-meta text-ink-3">
        {done} of {todos.length} done
      </p>
      <ol className="flex flex-col gap-1.5">
        {todos.map((todo, at) => (
          <li key={at} className="flex items-start gap-2 text-code">
            <span className="mt-0.5">
              <StateGlyph
                state={todo.status === 'in_progress' && !working ? 'waiting' : STATES[todo.status]}
                label={NAMES[todo.status]}
              />
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
