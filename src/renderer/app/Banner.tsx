import { ShieldAlert, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Project, SettingsProblem } from '../../shared/settings';
import { problemWords } from '../settings/problem-words';
import { reviewTrust } from '../store/projects';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { plural, tildePath } from '../ui/format';
import { VisibleText } from '../ui/VisibleText';

/** What is off or wrong in this folder's configuration, in one line over the conversation. */
export function Banner({ project }: { readonly project: Project }) {
  const lathe = useLathe();
  const home = useScreen((s) => s.info?.home ?? '');
  const [first, ...more] = project.problems;
  if (!project.trusted && project.findings.length > 0) {
    return (
      <Line icon="trust" action="Review…" onAction={() => reviewTrust(lathe, project.path)}>
        This folder is not trusted. What it configures is off (
        {plural(project.findings.length, 'entry', 'entries')}).
      </Line>
    );
  }
  if (first === undefined) return null;
  const others = more.length === 0 ? '' : ` And ${more.length} more.`;
  return (
    <Line
      icon="problem"
      action="Show"
      onAction={() => lathe.store.setState({ dialog: { kind: 'settings', page: 'project' } })}
    >
      <VisibleText text={`${problemText(first, home)}${others}`} />
    </Line>
  );
}

/** "~/app/.claude/settings.json:4: model: what is wrong". */
export const problemText = (problem: SettingsProblem, home: string): string =>
  [
    [tildePath(problem.file, home), problem.line].filter(Boolean).join(':'),
    problem.field ?? '',
    problemWords(problem),
  ]
    .filter((part) => part !== '')
    .join(': ');

function Line({
  icon,
  action,
  onAction,
  children,
}: {
  readonly icon: 'trust' | 'problem';
  readonly action: string;
  readonly onAction: () => void;
  readonly children: ReactNode;
}) {
  const Icon = icon === 'trust' ? ShieldAlert : TriangleAlert;
  return (
    <div className="flex shrink-0 items-center gap-2 border-b border-line bg-waits-tint py-1 pr-2 pl-4 text-meta">
      <Icon size={14} aria-hidden className="shrink-0 text-waits" />
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">{children}</span>
      <Button size="sm" variant="ghost" onClick={onAction}>
        {action}
      </Button>
    </div>
  );
}
