import { TriangleAlert } from 'lucide-react';
import type { Decision, PermissionRule } from '../../shared/permission';
import { cx } from '../ui/css';
import { capital, tildePath, tildeText } from '../ui/format';
import { VisibleText } from '../ui/VisibleText';

/** One sentence: why it asks, by which rule, written where. */
export function WhyLine({
  id,
  decision,
  home,
  small = false,
}: {
  readonly id?: string;
  readonly decision: Decision;
  readonly home: string;
  /** Beside other facts. */
  readonly small?: boolean;
}) {
  const { reason, rule, location } = whyItAsks(decision);
  return (
    <p
      id={id}
      className={cx('text-ink-2 [overflow-wrap:anywhere]', small ? 'text-meta' : 'text-code')}
    >
      <VisibleText text={tildeText(reason, home)} />
      {rule === null ? null : (
        <>
          {' '}
          (rule{' '}
          <code className="rounded-sm border border-line bg-sunken px-1 text-[12px] text-ink">
            <VisibleText text={rule} />
          </code>{' '}
          in {tildePath(location ?? '', home)})
        </>
      )}
      .
    </p>
  );
}

const PLACES: Readonly<Record<PermissionRule['source'], string>> = {
  managed: 'the managed policy',
  commandLine: 'the command line',
  session: 'this session',
  localSettings: '.claude/settings.local.json',
  projectSettings: '.claude/settings.json',
  userSettings: 'your own settings',
};

/** The reason a call asks and, when a rule decided, that rule and its file. */
export interface Why {
  readonly reason: string;
  readonly rule: string | null;
  readonly location: string | null;
}

/** Capitalises a sentence and drops its full stop. */
const sentence = (reason: string): string => capital(reason.trim().replace(/\.$/, ''));

/** Returns the parts of the one sentence that says why it asks. */
export function whyItAsks(decision: Decision): Why {
  const reason = sentence(decision.reason);
  const { rule } = decision;
  if (rule === undefined) return { reason, rule: null, location: null };
  const file = rule.file ?? PLACES[rule.source];
  const location = rule.line === undefined ? file : `${file}, line ${rule.line}`;
  return { reason, rule: rule.text, location };
}

/** The risks, in a few words each. */
export function RiskLine({ risks }: { readonly risks: readonly string[] }) {
  if (risks.length === 0) return null;
  return (
    <ul aria-label="Risks" className="mt-2 flex flex-wrap gap-1.5">
      {risks.map((risk) => (
        <li
          key={risk}
          className="flex items-center gap-1 rounded-sm bg-waits-tint px-1.5 py-0.5 text-meta font-medium text-waits"
        >
          <TriangleAlert size={12} aria-hidden className="shrink-0" />
          {risk}
        </li>
      ))}
    </ul>
  );
}
