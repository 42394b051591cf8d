import { type ReactNode, useState } from 'react';
import type { RuleSuggestion } from '../../shared/permission';
import { useKeymap } from '../commands/use-keymap';
import { type Replay, RuleReplay } from '../rules/RuleReplay';
import { useKeptText } from '../store/use-lathe';
import { Button, LinkButton } from '../ui/Button';
import { TextField, WrappedField } from '../ui/Fields';
import { onApple, withKeys } from '../ui/keys';
import { Notice } from '../ui/Notice';
import { KeyCap } from './DialogFrame';
import { ruleBreadth, ruleProblem, scopesFor } from './rule-draft';
import type { Asking } from './use-asking';

interface AskingFooterProps {
  readonly asking: Asking;
  /** The reason it asks. */
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

/** The buttons of a field, which stay in view when the dialog has no room for all of it; an edge says that more is under them. */
const STAYS =
  'sticky -bottom-3 -mx-4 -mb-3 flex justify-end gap-2 border-t border-transparent bg-raised px-4 pt-1 pb-3 group-data-[more=true]/foot:border-line group-data-[more=true]/foot:pt-2';

/** The reason, and below it the answer buttons or the field that is open instead of them. */
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
        <DenyReason
          about={asking.about}
          busy={busy}
          onDeny={asking.deny}
          onCancel={asking.closePanel}
        />
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

/** The answers. Allowing is held back until the guard is over; nothing here has the focus by itself. */
function AnswerButtons({
  busy,
  armed,
  unseen,
  showKeys,
  onAllow,
  onAlways,
  onEdit,
  onDeny,
  onReason,
}: {
  readonly busy: boolean;
  readonly armed: boolean;
  /** The end of what would run was not in view yet: the first press shows it. */
  readonly unseen: boolean;
  /** The dialog has the keyboard. */
  readonly showKeys: boolean;
  readonly onAllow: () => void;
  /** Absent when no rule could have allowed it. */
  readonly onAlways?: () => void;
  /** Absent when there is nothing to edit. */
  readonly onEdit?: () => void;
  readonly onDeny: () => void;
  readonly onReason: () => void;
}) {
  const { keyOf } = useKeymap();
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-1.5 gap-y-2">
      <Button
        variant="primary"
        busy={busy}
        aria-disabled={!armed}
        aria-keyshortcuts="Enter"
        onClick={onAllow}
      >
        {unseen ? 'Show the rest' : 'Allow once'}
        <KeyCap keys={keyOf('allow')} shown={showKeys} onFill />
      </Button>
      {onAlways === undefined ? null : (
        <Button
          onClick={onAlways}
          disabled={busy}
          aria-keyshortcuts="Shift+Enter"
          title={withKeys('Allow always', keyOf('always'), onApple())}
        >
          Allow always…
        </Button>
      )}
      {onEdit === undefined ? null : (
        <Button
          onClick={onEdit}
          disabled={busy}
          aria-keyshortcuts="Control+E"
          title={withKeys('Edit before allowing', keyOf('edit'), onApple())}
        >
          Edit…
        </Button>
      )}
      <span className="ml-auto flex flex-wrap justify-end gap-x-1.5 gap-y-2">
        <Button
          variant="ghost"
          className="px-2"
          onClick={onReason}
          disabled={busy}
          aria-keyshortcuts="Tab"
        >
          Deny and say why
          <KeyCap keys={keyOf('giveReason')} shown={showKeys} />
        </Button>
        <Button onClick={onDeny} disabled={busy} aria-keyshortcuts="Escape">
          Deny
          <KeyCap keys={keyOf('deny')} shown={showKeys} />
        </Button>
      </span>
    </div>
  );
}

/** Refuses with words that go to the model. */
export function DenyReason({
  about,
  busy,
  label = 'What should Lathe do instead?',
  action = 'Deny',
  onDeny,
  onCancel,
}: {
  /** Names what is asked about. */
  readonly about: string;
  readonly busy: boolean;
  readonly label?: string;
  readonly action?: string;
  readonly onDeny: (message: string) => unknown;
  readonly onCancel: () => void;
}) {
  const [message, setMessage] = useKeptText(`reason ${about}`);
  return (
    <form
      aria-label="Say why"
      className="mt-3 flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        onDeny(message);
      }}
    >
      <TextField
        label={label}
        value={message}
        onChange={setMessage}
        autoFocus
        placeholder="Lathe reads this and goes on from there"
      />
      <div className={STAYS}>
        <Button onClick={onCancel}>Back</Button>
        <Button type="submit" variant="primary" disabled={busy}>
          {message.trim() === '' ? action : `${action} and tell`}
        </Button>
      </div>
    </form>
  );
}

/** Says that a question was asked before about something else. */
export function ChangedNotice() {
  return (
    <div className="mb-2">
      <Notice level="warning">
        This changed while the question stood. It is shown as it is now.
      </Notice>
    </div>
  );
}

/** Allows this now and saves a rule for later: the narrowest one offered, to be edited, and where it goes. */
function AllowAlways({
  suggestions,
  busy,
  replay,
  callId,
  onSave,
  onCancel,
}: {
  /** Narrowest first; at least one. */
  readonly suggestions: readonly RuleSuggestion[];
  readonly busy: boolean;
  /** Tries a rule on past calls, where there is somebody to ask. */
  readonly replay?: Replay | undefined;
  /** The call that is asked about. */
  readonly callId?: string | undefined;
  readonly onSave: (rule: RuleSuggestion) => void;
  readonly onCancel: () => void;
}) {
  const offered = suggestions[0];
  const [rule, setRule] = useState(offered?.rule ?? '');
  const [destination, setDestination] = useState(offered?.destination ?? 'session');
  const problem = ruleProblem(rule);
  const breadth = problem === null ? ruleBreadth(rule) : null;
  const others = suggestions.filter((s) => s.rule !== rule);
  return (
    <form
      aria-label="Allow always"
      className="mt-3 flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (problem === null) onSave({ rule: rule.trim(), destination });
      }}
    >
      <WrappedField
        label="From now on, do not ask for"
        value={rule}
        onChange={setRule}
        autoFocus
        {...(problem === null ? {} : { error: problem })}
        {...(others.length === 0 ? {} : { hint: <Others rules={others} onPick={setRule} /> })}
      />
      {breadth === null ? null : <Notice level="warning">{breadth}</Notice>}
      {replay === undefined ? null : (
        <RuleReplay
          replay={replay}
          draft={{ behavior: 'allow', rule, destination }}
          ready={problem === null}
          callId={callId}
        />
      )}
      <fieldset className="flex flex-wrap gap-x-6 gap-y-2">
        <legend className="mb-1 text-meta font-medium text-ink-2">Valid for</legend>
        {scopesFor(offered?.destination ?? 'session').map((scope) => (
          <label key={scope.destination} className="flex items-start gap-2 text-code">
            <input
              type="radio"
              name="scope"
              className="mt-1 accent-accent-fill"
              checked={destination === scope.destination}
              onChange={() => setDestination(scope.destination)}
            />
            <span>
              {scope.label}
              <span className="block text-meta text-ink-3">{scope.detail}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <div className={STAYS}>
        <Button onClick={onCancel}>Back</Button>
        <Button type="submit" variant="primary" disabled={busy || problem !== null}>
          Save rule and allow
        </Button>
      </div>
    </form>
  );
}

function Others({
  rules,
  onPick,
}: {
  readonly rules: readonly RuleSuggestion[];
  readonly onPick: (rule: string) => void;
}) {
  return (
    <span className="flex flex-wrap items-center gap-2">
      Or:
      {rules.map(({ rule }) => (
        <LinkButton key={rule} className="font-mono" onClick={() => onPick(rule)}>
          {rule}
        </LinkButton>
      ))}
    </span>
  );
}
