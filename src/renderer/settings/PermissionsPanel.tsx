import { Plus, ShieldCheck } from 'lucide-react';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { type PermissionRule, RuleSuggestion } from '../../shared/permission';
import type { Fault, Result } from '../../shared/result';
import type { ListedRule, RuleDraft, RulesOverview } from '../../shared/rules-overview';
import type { Project } from '../../shared/settings';
import { modeLabel } from '../status/modes';
import { addRule, listRules, removeRule } from '../store/settings';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { Row, TextField } from '../ui/Fields';
import { plural } from '../ui/format';
import { Spinner } from '../ui/Marks';
import { EmptyState, Notice } from '../ui/Notice';
import { VisibleText } from '../ui/VisibleText';
import { ProblemList } from './ProjectPanel';
import { RuleForm, RuleList } from './RuleList';
import { groupRules } from './rule-groups';

/** The mode, every rule in force with its file, and the files that could not be read. */
export function PermissionsPanel({ project }: { readonly project: Project }) {
  const home = useScreen((s) => s.info?.home ?? '');
  const rules = useRules(project);
  const [filter, setFilter] = useState('');
  const [adding, setAdding] = useState(false);
  const [left, setLeft] = useState(false);
  const { overview } = rules;
  if (overview === null) return rules.fault === null ? <Loading /> : <Failed rules={rules} />;
  if (adding)
    return (
      <RuleForm
        inSession={rules.inSession}
        onAdd={rules.add}
        onClose={() => {
          setAdding(false);
          setLeft(true);
        }}
      />
    );
  const { groups, left: others } = groupRules(overview.rules, filter, home);
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
          <ProblemList problems={overview.problems} home={home} />
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
        <Button icon={Plus} autoFocus={left} onClick={() => setAdding(true)}>
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
      {others === 0 ? null : (
        <p className="text-meta text-ink-3">
          {plural(others, 'more rule')} not shown; filter to find them.
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

/** The rules in force on screen, and what can be done about them. */
interface Rules {
  /** Null until they were read. */
  readonly overview: RulesOverview | null;
  /** The last failure. */
  readonly fault: Fault | null;
  readonly inSession: boolean;
  /** The rule that was removed last, to be put back. */
  readonly removed: PermissionRule | null;
  reload(): Promise<void>;
  /** Gives what went wrong, or null. */
  add(draft: RuleDraft): Promise<Fault | null>;
  remove(rule: PermissionRule): Promise<void>;
  putBack(): Promise<void>;
}

/** Reads the rules of a project and of the session on screen; again whenever the project may have changed. */
function useRules(project: Project): Rules {
  const lathe = useLathe();
  const sessionId = useScreen((s) => s.sessionId);
  const [overview, setOverview] = useState<RulesOverview | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const [removed, setRemoved] = useState<PermissionRule | null>(null);
  const scope = useMemo(
    () => ({ project: project.path, ...(sessionId === null ? {} : { sessionId }) }),
    [project.path, sessionId],
  );

  const reload = useCallback(async () => {
    const listed = await listRules(lathe, scope);
    if (listed.ok) setOverview(listed.value);
    setFault(listed.ok ? null : listed.error);
  }, [lathe, scope]);

  // A project that was read again may have other rules.
  useEffect(() => {
    void reload();
  }, [reload, project]);

  const settle = async (changed: Result<null>): Promise<Fault | null> => {
    await reload();
    if (changed.ok) return null;
    return changed.error;
  };

  return {
    overview,
    fault,
    inSession: sessionId !== null,
    removed,
    reload,
    add: async (draft) => {
      setRemoved(null);
      return settle(await addRule(lathe, scope, draft));
    },
    remove: async (rule) => {
      const { behavior, text, source } = rule;
      const failed = await settle(await removeRule(lathe, scope, { behavior, rule: text, source }));
      setRemoved(failed ? null : rule);
      setFault(failed);
    },
    putBack: async () => {
      const destination = RuleSuggestion.shape.destination.safeParse(removed?.source);
      if (removed === null || !destination.success) return;
      const draft = {
        behavior: removed.behavior,
        rule: removed.text,
        destination: destination.data,
      };
      const failed = await settle(await addRule(lathe, scope, draft));
      if (!failed) setRemoved(null);
      setFault(failed);
    },
  };
}
