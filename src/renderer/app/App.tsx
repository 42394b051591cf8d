import { useEffect, useRef } from 'react';
import { ConnectStep } from '../first-run/ConnectStep';
import { FolderStep } from '../first-run/FolderStep';
import { TrustStep } from '../first-run/TrustStep';
import { useLathe, useScreen } from '../store/use-lathe';
import { phaseOf } from './phase';
import { restorePlace } from './restore-place';
import { Refused, Starting } from './Starting';
import { Toasts } from './Toasts';
import { useAppearance } from './use-appearance';
import { Workbench } from './Workbench';

/** The window: whatever the moment calls for, and messages over it. */
export function App() {
  useAppearance();
  useRestoredPlace();
  useWindowTitle();
  return (
    <>
      <CurrentPhase />
      <Toasts />
    </>
  );
}

function CurrentPhase() {
  const phase = useScreen(phaseOf);
  switch (phase.kind) {
    case 'starting':
      return <Starting trouble={phase.trouble} />;
    case 'refused':
      return <Refused fault={phase.fault} />;
    case 'folder':
      return <FolderStep />;
    case 'trust':
      return <TrustStep key={phase.project.path} project={phase.project} />;
    case 'connect':
      return <ConnectStep project={phase.project} />;
    case 'workbench':
      return <Workbench key={phase.project.path} project={phase.project} />;
  }
}

/** Goes back to where this window was, once, as soon as the engine has spoken. */
function useRestoredPlace(): void {
  const lathe = useLathe();
  const ready = useScreen((s) => s.app !== null && s.info !== null);
  const done = useRef(false);
  useEffect(() => {
    if (!ready || done.current) return;
    done.current = true;
    void restorePlace(lathe);
  }, [lathe, ready]);
}

function useWindowTitle(): void {
  const project = useScreen((s) => s.opened?.name ?? null);
  const needsAnswer = useScreen((s) => s.app?.sessions.some((x) => x.needsAnswer) ?? false);
  useEffect(() => {
    document.title = [needsAnswer ? '●' : '', project === null ? 'Lathe' : `${project} · Lathe`]
      .filter(Boolean)
      .join(' ');
  }, [project, needsAnswer]);
}
