import { ShieldCheck } from 'lucide-react';
import { useRef, useState } from 'react';
import type { Fault } from '../../shared/result';
import type { Project, TrustFinding } from '../../shared/settings';
import { leaveProject, openUntrusted, trustProject } from '../store/projects';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { plural, relativePath, tildePath } from '../ui/format';
import { Badge } from '../ui/Marks';
import { Notice } from '../ui/Notice';
import { MoreBelow, useLinesBelow } from '../ui/ScrollArea';
import { VisibleText } from '../ui/VisibleText';
import { StepFrame } from './StepFrame';

const KINDS: Readonly<Record<TrustFinding['kind'], string>> = {
  hooks: 'Runs commands by itself',
  mcp: 'Starts a tool server',
  env: 'Sets environment variables',
  allow: 'Allows acts without asking',
  helper: 'Runs a helper program',
  baseUrl: 'Redirects where requests go',
  agents: 'Defines agents',
  skills: 'Defines skills',
  other: 'Changes how Lathe works',
};

const REMOVED = 'What it held when you trusted it is gone.';

/** Tells how a folder's entries changed since it was trusted. */
const changes = (added: number): string =>
  added === 0
    ? 'some entries are gone since you trusted it, none is new'
    : `${plural(added, 'entry is', 'entries are')} new or changed since you trusted it`;

/** Step two: whether the folder may configure and run anything, with everything that trust would turn on. */
export function TrustStep({ project }: { readonly project: Project }) {
  const lathe = useLathe();
  const home = useScreen((s) => s.info?.home ?? '');
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  const trust = async () => {
    setBusy(true);
    const trusted = await trustProject(lathe, project.path);
    setBusy(false);
    setFault(trusted.ok ? null : trusted.error);
  };
  return (
    <StepFrame
      step={1}
      title={
        project.changedSinceTrust
          ? `${project.name} changed. Do you still trust it?`
          : `Do you trust ${project.name}?`
      }
      text={
        <>
          <VisibleText text={tildePath(project.path, home)} />. If other people can change this
          folder, they can put things in it that act on your machine. Until you trust it, nothing in
          it configures Lathe or runs by itself.
        </>
      }
      onBack={() => {
        lathe.store.setState({ wantsDemo: false });
        leaveProject(lathe);
      }}
    >
      {fault === null ? null : (
        <div className="mb-4">
          <Notice level="error" title={fault.message}>
            {fault.fix}
          </Notice>
        </div>
      )}
      <Findings project={project} />
      <div className="mt-6 flex flex-wrap items-center gap-3">
        <Button variant="primary" size="lg" icon={ShieldCheck} busy={busy} onClick={trust}>
          Trust and open
        </Button>
        <Button size="lg" disabled={busy} onClick={() => openUntrusted(lathe, project.path)}>
          Open without trusting
        </Button>
      </div>
      <p className="mt-4 text-meta text-pretty text-ink-3">
        Either way Lathe asks before it changes files or runs commands. You can change your mind in
        the settings.
      </p>
    </StepFrame>
  );
}

function Findings({ project }: { readonly project: Project }) {
  const { findings, path: folder, changedSinceTrust = false } = project;
  const list = useRef<HTMLDivElement>(null);
  const reading = useLinesBelow(list, findings.length);
  const added = findings.filter(({ isNew }) => isNew).length;
  if (findings.length === 0) {
    return (
      <p className="rounded-lg border border-line bg-sunken px-4 py-3 text-code text-ink-2">
        This folder brings no hooks, tool servers, rules or environment of its own. If some are
        added later, you are asked again.{changedSinceTrust ? ` ${REMOVED}` : ''}
      </p>
    );
  }
  return (
    <section aria-label="What trust turns on">
      <h2 className="mb-1 text-meta font-medium text-ink-3">
        Trust turns on {plural(findings.length, 'entry', 'entries')}
        {changedSinceTrust ? ` · ${changes(added)}` : ''}
      </h2>
      <div className="overflow-hidden rounded-lg border border-line bg-raised">
        <div
          ref={list}
          {...(reading.scrolls ? { tabIndex: 0, role: 'group', 'aria-label': 'Entries' } : {})}
          className="max-h-[46vh] overflow-y-auto"
        >
          <ul>
            {findings.map((finding) => (
              <li
                key={`${finding.kind} ${finding.what} ${finding.file} ${finding.detail}`}
                className="border-line px-4 py-2.5 not-first:border-t"
              >
                <div className="flex flex-wrap items-baseline gap-x-3">
                  <span className="flex min-w-[min(100%,14rem)] flex-1 flex-wrap items-baseline gap-x-2 text-code">
                    <span>
                      <span className="font-medium">{KINDS[finding.kind]}</span>
                      <span className="text-ink-3"> · </span>
                      <span className="text-ink-2">
                        <VisibleText text={finding.what} />
                      </span>
                    </span>
                    {finding.isNew ? <Badge tone="waits">new or changed</Badge> : null}
                  </span>
                  <span className="max-w-full font-mono text-meta text-ink-3 [overflow-wrap:anywhere]">
                    <VisibleText text={relativePath(finding.file, folder)} />
                  </span>
                </div>
                {finding.detail === '' ? null : (
                  <code className="mt-1 block font-mono text-meta whitespace-pre-wrap text-ink-2 [overflow-wrap:anywhere]">
                    <VisibleText text={finding.detail} />
                  </code>
                )}
              </li>
            ))}
          </ul>
        </div>
        <MoreBelow
          lines={reading.below}
          onScroll={() => list.current?.scrollBy({ top: list.current.clientHeight * 0.85 })}
        />
      </div>
    </section>
  );
}
