import type { ToolView } from '../../shared/tool-call';
import { VisibleText } from '../ui/VisibleText';

/** Questions the model asked, and what the person answered. */
export function QuestionCard({ view }: { readonly view: Extract<ToolView, { kind: 'question' }> }) {
  return (
    <dl className="flex flex-col gap-2 rounded-md border border-line px-3 py-2 text-code">
      {view.questions.map((question, at) => {
        const answer = view.answers?.[at];
        const given = [...(answer?.chosen ?? []), ...(answer?.other ? [`“${answer.other}”`] : [])];
        return (
          <div key={`${at}:${question.question}`} className="[overflow-wrap:anywhere]">
            <dt className="text-ink-2">
              <VisibleText text={question.question} />
            </dt>
            <dd className={given.length === 0 ? 'text-ink-3' : 'font-medium'}>
              <VisibleText text={given.length === 0 ? noAnswer(view.answers) : given.join(', ')} />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

const noAnswer = (answers: unknown): string =>
  answers === null ? 'You did not answer.' : 'Waits for your answer.';
