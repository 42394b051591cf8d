import type { TodoItem, ToolView } from '../../shared/tool-call';
import { PlanText } from '../approvals/PlanCard';
import { cx } from '../ui/css';
import { Badge, StateGlyph, type WorkState } from '../ui/Marks';
import { VisibleProse } from '../ui/VisibleText';
import { CardFrame } from './CardFrame';

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

/** The mark of one step. `paused`: nobody works, so what is in progress stands still. */
export function TodoGlyph({
  status,
  paused = false,
  still = false,
}: {
  readonly status: TodoItem['status'];
  readonly paused?: boolean;
  readonly still?: boolean;
}) {
  const state = status === 'in_progress' && paused ? 'waiting' : STATES[status];
  return <StateGlyph state={state} label={NAMES[status]} still={still} />;
}

/** The plan as a list of steps. */
export function TodoCard({ view }: { readonly view: Extract<ToolView, { kind: 'todo' }> }) {
  if (view.items.length === 0) return <p className="text-meta text-ink-3">The list is empty.</p>;
  return (
    <ul className="flex flex-col gap-1 rounded-md border border-line px-3 py-2">
      {view.items.map((item, index) => (
        <li key={`${index}:${item.content}`} className="flex items-start gap-2 text-code">
          <span className="flex h-5 items-center">
            <TodoGlyph status={item.status} still />
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

type PlanView = Extract<ToolView, { kind: 'plan' }>;

/** A plan as it stands now, and what became of it. */
export function PlanCard({ view }: { readonly view: PlanView }) {
  return (
    <CardFrame label="Plan" header={<PlanState view={view} />}>
      <div className="px-3 py-2">
        <PlanText plan={view.plan} />
        {view.feedback === undefined ? null : (
          <p className="mt-2 border-t border-line pt-2 text-code text-ink-2 [overflow-wrap:anywhere]">
            You said: {view.feedback}
          </p>
        )}
      </div>
    </CardFrame>
  );
}

/** The state of a plan, in a word or two. */
export function PlanState({ view }: { readonly view: PlanView }) {
  switch (view.state) {
    case 'approved':
      return <Badge tone="done">{view.edited ? 'approved with your changes' : 'approved'}</Badge>;
    case 'rejected':
      return <Badge>not approved</Badge>;
    case 'proposed':
      return <Badge tone="waits">waits for you</Badge>;
  }
}

/** Questions the model asked, and what the user answered. */
export function QuestionCard({ view }: { readonly view: Extract<ToolView, { kind: 'question' }> }) {
  return (
    <dl className="flex flex-col gap-2 rounded-md border border-line px-3 py-2 text-code">
      {view.questions.map((question, at) => {
        const answer = view.answers?.[at];
        const given = [...(answer?.chosen ?? []), ...(answer?.other ? [`“${answer.other}”`] : [])];
        return (
          <div key={`${at}:${question.question}`} className="[overflow-wrap:anywhere]">
            <dt className="text-ink-2">
              <VisibleProse text={question.question} />
            </dt>
            <dd className={given.length === 0 ? 'text-ink-3' : 'font-medium'}>
              <VisibleProse text={given.length === 0 ? noAnswer(view.answers) : given.join(', ')} />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

const noAnswer = (answers: unknown): string =>
  answers === null ? 'You did not answer.' : 'Waits for your answer.';
