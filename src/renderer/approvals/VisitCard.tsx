import { ExternalLink } from 'lucide-react';
import { useId } from 'react';
import type { Approval } from '../../shared/permission';
import { VisibleProse, VisibleText } from '../ui/VisibleText';
import { AnswerFooter } from './AnswerFooter';
import type { CardProps } from './ApprovalCard';
import { DialogFrame } from './DialogFrame';
import { useAsking } from './use-asking';

/** An address that a tool server wants the user to open. Nothing is opened before they say so. */
export function VisitCard({
  approval,
  message,
  url,
  queue,
  onAnswer,
  onOpen,
}: CardProps & {
  readonly approval: Approval;
  readonly message: string;
  readonly url: string;
}) {
  const hintId = useId();
  const asking = useAsking([approval], onAnswer);
  const unseen = asking.reading.below > 0;
  const open = () => {
    if (!asking.ready(!unseen)) return;
    onOpen?.(url);
    asking.answer({ behavior: 'allow' }).catch(() => {});
  };
  return (
    <DialogFrame
      asking={asking}
      queue={queue}
      icon={ExternalLink}
      title={approval.title}
      agent={approval.agent}
      describedBy={hintId}
      onIntent={(intent) => {
        if (intent === 'deny') return asking.deny();
        if (intent === 'allow') return open();
        return undefined;
      }}
      footer={(focused) => (
        <AnswerFooter
          asking={asking}
          focused={focused}
          hintId={hintId}
          hint={
            <>
              It opens in your browser, at <VisibleText text={hostOf(url)} />.
            </>
          }
          decline="Decline"
          send={unseen ? 'Show the rest' : 'Open'}
          onSend={open}
        />
      )}
    >
      <p className="mb-3 text-code whitespace-pre-wrap text-ink-2 [overflow-wrap:anywhere]">
        <VisibleProse text={message} />
      </p>
      <pre className="rounded-md border border-line bg-sunken px-3 py-2 text-code whitespace-pre-wrap text-ink [overflow-wrap:anywhere]">
        <VisibleText text={url} padding />
      </pre>
    </DialogFrame>
  );
}

/** Returns the host that would really be asked, international names in their encoded form. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);
