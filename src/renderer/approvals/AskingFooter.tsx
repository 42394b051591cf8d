import type { ReactNode } from 'react';
import type { RuleSuggestion } from '../../shared/permission';
import type { Replay } from '../rules/use-replay';
import { Notice } from '../ui/Notice';
import { AllowAlways } from './AllowAlways';
import { AnswerButtons } from './AnswerButtons';
import { DenyReason } from './DenyReason';
import type { Asking } from './use-asking';

export interface AskingFooterProps {
  readonly asking: Asking;
  /** Why it asks. */
  readonly why: ReactNode;
  /** Rules that would have allowed it, narrowest first; without any none can be saved. */
  readonly suggestions: readonly RuleSuggestion[];
  readonly replay: Replay | undefined;
  /** The call a rule would be written for. */
  readonly callId: string | undefined;
  /** The end of what is asked was not in view yet. */
  readonly unseen: boolean;
  /** The dialog has the keyboard. */
  readonly focused: boolean;
  readonly onAllow: (remember?: RuleSuggestion) => unknown;
  /** Absent when there is nothing to edit. */
  readonly onEdit?: () => void;
}

/** Why it asks, and the answers or the field that is open in their place. */
export function AskingFooter(props: AskingFooterProps) {
  const { asking, suggestions, onAllow, onEdit } = props;
  const { panel, busy, guard } = asking;
  return (
    <>
      {props.why}
      {asking.problem === null ? null : (
        <div className="mt-2">
          <Notice level="error">{asking.problem}</Notice>
        </div>
      )}
      {panel === 'always' ? (
        <AllowAlways
          suggestions={suggestions}
          busy={busy || !guard.armed}
          replay={props.replay}
          callId={props.callId}
          onSave={onAllow}
          onCancel={asking.closePanel}
        />
      ) : null}
      {panel === 'reason' ? (
        <DenyReason busy={busy} onDeny={asking.deny} onCancel={asking.closePanel} />
      ) : null}
      {panel === 'none' ? (
        <AnswerButtons
          busy={busy}
          armed={guard.armed}
          unseen={props.unseen}
          showKeys={props.focused}
          onAllow={() => onAllow()}
          {...(suggestions.length > 0 ? { onAlways: () => asking.open('always') } : {})}
          {...(onEdit === undefined ? {} : { onEdit })}
          onDeny={() => asking.deny()}
          onReason={() => asking.open('reason')}
        />
      ) : null}
    </>
  );
}
