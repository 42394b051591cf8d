import { Fragment } from 'react';
import { Button } from '../ui/Button';
import { Dialog } from '../ui/Dialog';
import { plural } from '../ui/format';
import { VisibleText } from '../ui/VisibleText';
import { type PastePlan, withoutBrackets } from './guards';
import { pasteExcerpts } from './paste-excerpts';

/** Asks before a paste goes to a program that would run each of its lines, or of which something does not show. */
export function PasteQuestion({
  plan,
  inputAllowed,
  onAnswer,
}: {
  readonly plan: PastePlan;
  readonly inputAllowed: boolean;
  readonly onAnswer: (send: boolean) => void;
}) {
  const text = withoutBrackets(plan.text).replaceAll('\r', '\n');
  const hidden = plan.hides ? 'It holds characters that do not show; they are marked here.' : '';
  const runs = plan.runsLines ? 'The program would act on each line as soon as it arrives.' : '';
  return (
    <Dialog
      open
      onOpenChange={() => onAnswer(false)}
      title={`Paste ${plural(plan.lines, 'line')}?`}
      description={[runs, hidden].filter((words) => words !== '').join(' ')}
      footer={
        <>
          <Button onClick={() => onAnswer(false)}>Cancel</Button>
          <Button variant="primary" disabled={!inputAllowed} onClick={() => onAnswer(true)}>
            Paste
          </Button>
        </>
      }
    >
      <pre className="max-h-60 overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-code whitespace-pre-wrap [overflow-wrap:anywhere]">
        {pasteExcerpts(text).map((excerpt, at) => (
          <Fragment key={at}>
            {at === 0 ? '' : '\n…\n'}
            <VisibleText text={excerpt} />
          </Fragment>
        ))}
      </pre>
      {inputAllowed ? null : (
        <p role="alert" className="mt-2 text-meta text-ink">
          This terminal takes no input any more, so nothing of it can be pasted here.
        </p>
      )}
      {plan.removed > 0 ? (
        <p className="mt-2 text-meta text-ink-3">
          {plural(plan.removed, 'control character')} left out.
        </p>
      ) : null}
    </Dialog>
  );
}
