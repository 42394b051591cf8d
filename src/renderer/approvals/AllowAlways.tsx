import { useState } from 'react';
import type { RuleSuggestion } from '../../shared/permission';
import { type Replay, RuleReplay } from '../rules/RuleReplay';
import { Button } from '../ui/Button';
import { TextField } from '../ui/Fields';
import { Notice } from '../ui/Notice';
import { ruleBreadth, ruleProblem, scopesFor } from './rule-draft';

/** Allows this now and saves a rule for later: the narrowest one offered, to be edited, and where it goes. */
export function AllowAlways({
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
      <TextField
        label="From now on, do not ask for"
        value={rule}
        onChange={setRule}
        mono
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
      <div className="flex justify-end gap-2">
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
        <button
          key={rule}
          type="button"
          className="rounded-sm font-mono text-accent hover:underline"
          onClick={() => onPick(rule)}
        >
          {rule}
        </button>
      ))}
    </span>
  );
}
