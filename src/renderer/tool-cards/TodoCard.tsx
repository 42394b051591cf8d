import type { TodoItem, ToolView } from '../../shared/tool-call';
import { cx } from '../ui/cx';
import { StateGlyph, type WorkState } from '../ui/StateGlyph';

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

/** The plan as a list of steps. */
export function TodoCard({ view }: { readonly view: Extract<ToolView, { kind: 'todo' }> }) {
  if (view.items.length === 0) return <p className="text-meta text-ink-3">The list is empty.</p>;
  return (
    <ul className="flex flex-col gap-1 rounded-md border border-line px-3 py-2">
      {view.items.map((item, index) => (
        <li key={`${index}:${item.content}`} className="flex items-start gap-2 text-code">
          <span className="flex h-5 items-center">
            <StateGlyph state={STATES[item.status]} label={NAMES[item.status]} still />
          </span>
          <span
            className={cx(
              item.status === 'completed' && 'text-ink-3',
              item.status === 'pending' && 'text-ink-2',
              item.status === 'in_progress' && 'font-medium',
            )}
          >
            {item.status === 'in_progress' ? item.activeForm : item.content}
          </span>
        </li>
      ))}
    </ul>
  );
}
