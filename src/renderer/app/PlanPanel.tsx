import { ListTodo } from 'lucide-react';
import { useMemo } from 'react';
import type { TodoItem } from '../../shared/tool-call';
import type { Item, Transcript } from '../../shared/transcript';
import { PlanText } from '../approvals/PlanCard';
import { PlanState } from '../tool-cards/PlanCard';
import { cx } from '../ui/cx';
import { EmptyState } from '../ui/EmptyState';
import { StateGlyph, type WorkState } from '../ui/StateGlyph';
import { latestPlan, latestTodos } from './session-views';

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

/** The plan the person approved or is asked about, and the list of steps the model keeps. */
export function PlanPanel({ transcript }: { readonly transcript: Transcript | null }) {
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
