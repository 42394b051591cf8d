import { Button } from '../ui/Button';
import { Dialog } from '../ui/Dialog';
import { plural } from '../ui/format';
import { VisibleText } from '../ui/VisibleText';
import type { PastePlan } from './paste';

/** How much of a paste is shown before it is sent, in characters. */
const SHOWN_CHARS = 2000;

/** Asks before a paste of several lines goes to a program that would run each line as it arrives. */
export function PasteQuestion({
  plan,
  onAnswer,
}: {
  readonly plan: PastePlan;
  readonly onAnswer: (send: boolean) => void;
}) {
  const text = plan.text.replaceAll('\r', '\n');
  return (
    <Dialog
      open
      onOpenChange={() => onAnswer(false)}
      title={`Paste ${plural(plan.lines, 'line')}?`}
      description="The program would act on each line as soon as it arrives."
      footer={
        <>
          <Button onClick={() => onAnswer(false)}>Cancel</Button>
          <Button variant="primary" onClick={() => onAnswer(true)}>
            Paste
          </Button>
        </>
      }
    >
      <pre className="max-h-60 overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-code whitespace-pre-wrap [overflow-wrap:anywhere]">
        <VisibleText text={text.slice(0, SHOWN_CHARS)} />
        {text.length > SHOWN_CHARS ? '\n…' : ''}
      </pre>
      {plan.removed > 0 ? (
        <p className="mt-2 text-meta text-ink-3">
          {plural(plan.removed, 'control character')} left out.
        </p>
      ) : null}
    </Dialog>
  );
}
