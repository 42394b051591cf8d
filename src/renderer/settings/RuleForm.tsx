import { useState } from 'react';
import type { RuleBehavior } from '../../shared/permission';
import type { Fault } from '../../shared/result';
import type { RuleDraft } from '../../shared/rules-overview';
import { ruleBreadth, ruleProblem, scopesFor } from '../approvals/rule-draft';
import { RuleReplay } from '../rules/RuleReplay';
import { useRuleReplay } from '../rules/use-rule-replay';
import { Button } from '../ui/Button';
import { Notice } from '../ui/Notice';
import { Picker } from '../ui/Picker';
import { Segmented } from '../ui/Segmented';
import { TextField } from '../ui/TextField';

const BEHAVIORS: readonly { readonly value: RuleBehavior; readonly label: string }[] = [
  { value: 'allow', label: 'Allow' },
  { value: 'ask', label: 'Ask' },
  { value: 'deny', label: 'Deny' },
];

/** Writes a rule: what it does, its text, where it goes, and what it would have changed. */
export function RuleForm({
  inSession,
  onAdd,
  onClose,
}: {
  /** Whether there is a session that the rule could hold for. */
  readonly inSession: boolean;
  /** Gives what went wrong, or null. */
  readonly onAdd: (draft: RuleDraft) => Promise<Fault | null>;
  readonly onClose: () => void;
}) {
  const replay = useRuleReplay();
  const [behavior, setBehavior] = useState<RuleBehavior>('allow');
  const [rule, setRule] = useState('');
  const [destination, setDestination] = useState<RuleDraft['destination']>('localSettings');
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  const problem = ruleProblem(rule);
  const breadth = problem === null && behavior === 'allow' ? ruleBreadth(rule) : null;
  const scopes = scopesFor('projectSettings').filter(
    (scope) => inSession || scope.destination !== 'session',
  );
  const add = async () => {
    setBusy(true);
    const failed = await onAdd({ behavior, rule: rule.trim(), destination });
    setBusy(false);
    setFault(failed);
    if (failed === null) onClose();
  };
  return (
    <form
      aria-label="Add a rule"
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (problem === null && !busy) void add();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // Esc leaves the form, not the settings.
        event.preventDefault();
        event.stopPropagation();
        onClose();
      }}
    >
      <div className="flex items-end gap-3">
        <Segmented
          label="What it does"
          value={behavior}
          options={BEHAVIORS}
          onChange={setBehavior}
        />
        <div className="min-w-0 flex-1">
          <Picker
            label="Valid for"
            value={destination}
            options={scopes.map(({ destination: value, label, detail }) => ({
              value,
              label,
              description: detail,
            }))}
            onChange={setDestination}
          />
        </div>
      </div>
      <TextField
        label="Rule"
        value={rule}
        onChange={setRule}
        mono
        autoFocus
        placeholder="Bash(npm run test:*)"
        {...(problem !== null && rule.trim() !== '' ? { error: problem } : { hint: EXAMPLES })}
      />
      {breadth === null ? null : <Notice level="warning">{breadth}</Notice>}
      <RuleReplay
        replay={replay}
        draft={{ behavior, rule, destination }}
        ready={problem === null}
      />
      {fault === null ? null : (
        <Notice level="error" title={fault.message}>
          {fault.fix}
        </Notice>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" busy={busy} disabled={problem !== null}>
          Add rule
        </Button>
      </div>
    </form>
  );
}

const EXAMPLES =
  'Tool or Tool(what): Bash(git push:*), Edit(/src/**), Read(~/notes/**), WebFetch(domain:example.com)';
