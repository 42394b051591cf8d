import { CircleAlert, TriangleAlert } from 'lucide-react';
import type { Project, SettingsProblem } from '../../shared/settings';
import { distrustProject, openUntrusted, reviewTrust } from '../store/projects';
import { reported } from '../store/toasts';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { Row } from '../ui/Fields';
import { capital, plural, tildePath, tildeText } from '../ui/format';
import { VisibleText } from '../ui/VisibleText';
import { problemWords } from './hook-groups';

/** Trust, the configuration this folder turns on, and problems in it. */
export function ProjectPanel({
  project,
  onClose,
}: {
  readonly project: Project;
  readonly onClose: () => void;
}) {
  const lathe = useLathe();
  const home = useScreen((s) => s.info?.home ?? '');
  const takeBack = async () => {
    openUntrusted(lathe, project.path);
    reported(lathe.store, await distrustProject(lathe, project.path));
  };
  const review = () => {
    onClose();
    reviewTrust(lathe, project.path);
  };
  return (
    <div className="flex flex-col gap-6">
      <Row
        title={project.trusted ? 'This folder is trusted' : 'This folder is not trusted'}
        text={
          <>
            <VisibleText text={tildePath(project.path, home)} />
            {project.trusted ? '' : ' · its hooks, rules, servers and environment are off'}
          </>
        }
      >
        {project.trusted ? (
          <Button size="sm" onClick={takeBack}>
            Take trust back
          </Button>
        ) : (
          <Button size="sm" onClick={review}>
            Review…
          </Button>
        )}
      </Row>
      <Rules project={project} />
      <Problems problems={project.problems} home={home} />
    </div>
  );
}

function Rules({ project }: { readonly project: Project }) {
  const { findings } = project;
  return (
    <section aria-label="What this folder brings">
      <h3 className="mb-1 text-meta font-medium text-ink-3">
        Rules and configuration from this folder {project.trusted ? '' : '(off)'}
      </h3>
      {findings.length === 0 ? (
        <p className="text-code text-ink-3">None.</p>
      ) : (
        <ul className="rounded-md border border-line">
          {findings.map((finding) => (
            <li
              key={`${finding.kind} ${finding.what} ${finding.detail} ${finding.file}`}
              className="border-line px-3 py-1.5 not-first:border-t"
            >
              <span className="text-code">
                <VisibleText text={finding.what} />
              </span>
              <span className="block font-mono text-meta text-ink-3 [overflow-wrap:anywhere]">
                <VisibleText text={[finding.detail, finding.file].filter(Boolean).join(' · ')} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Problems({
  problems,
  home,
}: {
  readonly problems: readonly SettingsProblem[];
  readonly home: string;
}) {
  return (
    <section aria-label="Configuration problems">
      <h3 className="mb-1 text-meta font-medium text-ink-3">Configuration problems</h3>
      {problems.length === 0 ? (
        <p className="text-code text-ink-3">None. Every configuration file could be read.</p>
      ) : (
        <>
          <p className="mb-2 text-meta text-ink-3">
            {plural(problems.length, 'entry', 'entries')} could not be used; the rest of each file
            still counts.
          </p>
          <ProblemList problems={problems} home={home} />
        </>
      )}
    </section>
  );
}

/** The entries of settings files that could not be used, each with its file and its fault. */
export function ProblemList({
  problems,
  home,
}: {
  readonly problems: readonly SettingsProblem[];
  readonly home: string;
}) {
  return (
    <ul className="flex flex-col gap-2">
      {problems.map((problem) => (
        <Problem
          key={`${problem.file} ${problem.line} ${problem.field} ${problem.message}`}
          problem={problem}
          home={home}
        />
      ))}
    </ul>
  );
}

/** One thing in a file that could not be used as written, and its place. */
function Problem({ problem, home }: { readonly problem: SettingsProblem; readonly home: string }) {
  const Icon = problem.level === 'error' ? CircleAlert : TriangleAlert;
  const place = [tildePath(problem.file, home), problem.line].filter(Boolean).join(':');
  return (
    <li className="flex items-start gap-2 text-code">
      <Icon
        size={14}
        aria-label={problem.level}
        className={`mt-1 shrink-0 ${problem.level === 'error' ? 'text-failed' : 'text-waits'}`}
      />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        <VisibleText text={capital(tildeText(problemWords(problem), home))} />
        <span className="block font-mono text-meta text-ink-3">
          <VisibleText text={[place, problem.field].filter(Boolean).join(' · ')} />
        </span>
      </span>
    </li>
  );
}
