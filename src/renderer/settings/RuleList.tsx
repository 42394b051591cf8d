import { Lock, Trash2, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import type { PermissionRule, RuleBehavior } from '../../shared/permission';
import type { Fault } from '../../shared/result';
import type { ListedRule, RuleDraft } from '../../shared/rules-overview';
import { ruleBreadth, ruleProblem, scopesFor } from '../approvals/rule-draft';
import { RuleReplay, useRuleReplay } from '../rules/RuleReplay';
import { Button, IconButton } from '../ui/Button';
import { leftByEsc } from '../ui/Dialog';
import { Segmented, TextField } from '../ui/Fields';
import { Picker } from '../ui/Menu';
import { Notice } from '../ui/Notice';
import { VisibleText } from '../ui/VisibleText';
import type { BehaviorGroup, SourceGroup } from './rule-groups';

type OnRemove = (rule: PermissionRule) => void;

/** Every rule in force: by what it does, then by where it stands. */
export function RuleList({
  groups,
  onRemove,
}: {
  readonly groups: readonly BehaviorGroup[];
  readonly onRemove: OnRemove;
}) {
  return (
    <>
      {groups.map((group) => (
        <section key={group.behavior} aria-label={HEADS[group.behavior].title}>
          <h3 className="mb-1.5 text-code font-medium">
            {HEADS[group.behavior].title}{' '}
            <span className="text-meta font-normal text-ink-3">
              {group.count} · {HEADS[group.behavior].text}
            </span>
          </h3>
          <div className="flex flex-col gap-2">
            {group.sources.map((source) => (
              <Source key={`${source.source} ${source.place}`} group={source} onRemove={onRemove} />
            ))}
          </div>
        </section>
      ))}
    </>
  );
}

const HEADS: Readonly<Record<RuleBehavior, { readonly title: string; readonly text: string }>> = {
  deny: { title: 'Denied', text: 'refused in every mode, before anything else' },
  ask: { title: 'Asked', text: 'asked every time, whatever allows it' },
  allow: { title: 'Allowed', text: 'not asked, unless a rule above or a fixed check says so' },
};

function Source({ group, onRemove }: { readonly group: SourceGroup; readonly onRemove: OnRemove }) {
  return (
    <div className="rounded-md border border-line">
      <p className="flex items-center gap-2 rounded-t-md border-b border-line bg-sunken px-3 py-1 text-meta text-ink-2">
        <span className="min-w-0 flex-1 truncate font-mono" title={group.place}>
          <VisibleText text={group.place} />
        </span>
        {group.locked === null ? null : (
          <span className="inline-flex shrink-0 items-center gap-1 text-ink-3">
            <Lock size={12} aria-hidden />
            {group.locked}
          </span>
        )}
      </p>
      <ul>
        {group.rules.map((listed) => (
          <Rule
            key={`${listed.rule.text} ${listed.rule.line}`}
            listed={listed}
            place={group.place}
            onRemove={onRemove}
          />
        ))}
      </ul>
    </div>
  );
}

function Rule({
  listed: { rule, problem, locked },
  place,
  onRemove,
}: {
  readonly listed: ListedRule;
  readonly place: string;
  readonly onRemove: OnRemove;
}) {
  return (
    <li className="flex min-h-8 items-center gap-3 border-line px-3 py-1 not-first:border-t">
      <span className="min-w-0 flex-1">
        <code className="text-[12.5px] [overflow-wrap:anywhere]">
          <VisibleText text={rule.text} />
        </code>
        {problem === undefined ? null : (
          <span className="flex items-start gap-1 text-meta text-waits">
            <TriangleAlert size={13} aria-hidden className="mt-0.5 shrink-0" />
            <VisibleText text={problem} />
          </span>
        )}
      </span>
      {rule.line === undefined ? null : (
        <span className="shrink-0 text-meta text-ink-3 tabular-nums">line {rule.line}</span>
      )}
      {locked === undefined ? (
        <IconButton
          icon={Trash2}
          size="xs"
          label={`Remove ${rule.text} from ${place}`}
          onClick={() => onRemove(rule)}
        />
      ) : null}
    </li>
  );
}

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
  /** There is a session the rule could hold for. */
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
      {...leftByEsc(onClose)}
    >
      <div className="flex flex-wrap items-end gap-3">
        <Segmented
          label="What it does"
          value={behavior}
          options={BEHAVIORS}
          onChange={setBehavior}
        />
        <div className="min-w-44 flex-1">
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
