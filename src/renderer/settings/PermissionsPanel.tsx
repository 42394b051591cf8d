import { Plus, ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import type { ListedRule } from '../../shared/rules-overview';
import type { Project } from '../../shared/settings';
import { modeLabel } from '../status/modes';
import { useScreen } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { EmptyState } from '../ui/EmptyState';
import { plural } from '../ui/format';
import { Notice } from '../ui/Notice';
import { Spinner } from '../ui/Spinner';
import { TextField } from '../ui/TextField';
import { VisibleText } from '../ui/VisibleText';
import { Problem } from './ProjectPanel';
import { Row } from './Row';
import { RuleForm } from './RuleForm';
import { RuleList } from './RuleList';
import { groupRules } from './rule-groups';
import { useRules } from './use-rules';

/** What decides on calls here: the mode, every rule in force with its place, and what could not be read. */
export function PermissionsPanel({ project }: { readonly project: Project }) {
  const home = useScreen((s) => s.info?.home ?? '');
  const rules = useRules(project);
  const [filter, setFilter] = useState('');
  const [adding, setAdding] = useState(false);
  const { overview } = rules;
  if (overview === null) return rules.fault === null ? <Loading /> : <Failed rules={rules} />;
  if (adding)
    return (
      <RuleForm inSession={rules.inSession} onAdd={rules.add} onClose={() => setAdding(false)} />
    );
  const { groups, left } = groupRules(overview.rules, filter, home);
  return (
    <div className="flex flex-col gap-4">
      <Row title={`Mode: ${modeLabel(overview.mode)}`} text={overview.modeWhy}>
        {null}
      </Row>
      {project.trusted ? null : (
        <Notice level="info">
          This folder is not trusted: the allow rules in its files are off. Its deny and ask rules
          count.
        </Notice>
      )}
      {overview.problems.length === 0 ? null : (
        <section aria-label="Rules that cannot be read">
          <h3 className="mb-1 text-meta font-medium text-ink-3">
            {plural(overview.problems.length, 'entry', 'entries')} could not be used as written
          </h3>
          <ul className="flex flex-col gap-2">
            {overview.problems.map((problem) => (
              <Problem key={`${problem.line} ${problem.message}`} problem={problem} home={home} />
            ))}
          </ul>
        </section>
      )}
      <div className="flex items-center gap-3">
        <div className="min-w-0 flex-1">
          <TextField
            label="Filter rules"
            hideLabel
            placeholder="Filter by rule or file"
            value={filter}
            onChange={setFilter}
          />
        </div>
        <Button icon={Plus} onClick={() => setAdding(true)}>
          Add a rule…
        </Button>
      </div>
      {rules.fault === null ? null : (
        <Notice level="error" title={rules.fault.message}>
          {rules.fault.fix}
        </Notice>
      )}
      {rules.removed === null ? null : (
        <Notice
          key={`${rules.removed.behavior} ${rules.removed.text}`}
          level="info"
          action={
            <Button size="sm" autoFocus onClick={rules.putBack}>
              Put back
            </Button>
          }
        >
          Removed{' '}
          <code className="text-[12px]">
            <VisibleText text={rules.removed.text} />
          </code>
          . It no longer counts.
        </Notice>
      )}
      {groups.length === 0 ? (
        <NoRules all={overview.rules} />
      ) : (
        <RuleList groups={groups} onRemove={rules.remove} />
      )}
      {left === 0 ? null : (
        <p className="text-meta text-ink-3">
          {plural(left, 'more rule')} not shown; filter to find them.
        </p>
      )}
    </div>
  );
}

const Loading = () => (
  <p role="status" className="flex items-center gap-2 text-code text-ink-3">
    <Spinner /> Reading the rules…
  </p>
);

const Failed = ({ rules: { fault, reload } }: { readonly rules: ReturnType<typeof useRules> }) => (
  <Notice
    level="error"
    title={fault?.message ?? ''}
    action={
      <Button size="sm" onClick={reload}>
        Try again
      </Button>
    }
  >
    {fault?.fix}
  </Notice>
);

function NoRules({ all }: { readonly all: readonly ListedRule[] }) {
  return all.length === 0 ? (
    <EmptyState
      icon={ShieldCheck}
      title="No rules yet"
      text="The mode alone decides. Add a rule, or choose “Allow always…” when Lathe asks."
    />
  ) : (
    <EmptyState title="No rule fits the filter" />
  );
}
