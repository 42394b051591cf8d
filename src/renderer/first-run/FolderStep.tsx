import { Play } from 'lucide-react';
import { useState } from 'react';
import type { Fault } from '../../shared/result';
import { openDemoProject } from '../store/projects';
import { useLathe, useScreen } from '../store/use-lathe';
import { Notice } from '../ui/Notice';
import { ChoiceCard } from './ChoiceCard';
import { FolderChooser } from './FolderChooser';
import { StepFrame } from './StepFrame';

/** Step one: which folder. The offline demo is offered here too, and first when it was asked for. */
export function FolderStep() {
  const lathe = useLathe();
  const demoFirst = useScreen((s) => s.info?.demoFirst ?? false);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  const startDemo = async () => {
    setBusy(true);
    const opened = await openDemoProject(lathe);
    setBusy(false);
    setFault(opened.ok ? null : opened.error);
    if (opened.ok) lathe.store.setState({ wantsDemo: true });
  };
  const demo = (
    <div className="flex flex-col gap-3">
      {fault === null ? null : (
        <Notice level="error" title={fault.message}>
          {fault.fix}
        </Notice>
      )}
      <ChoiceCard
        icon={Play}
        title="Try the offline demo"
        text="A scripted model fixes a bug in a small sample project. No key, no network."
        primary={demoFirst}
        busy={busy}
        onChoose={startDemo}
      />
    </div>
  );
  return (
    <StepFrame
      step={0}
      title="Which folder shall we work in?"
      text="Lathe reads, changes and runs things in one folder at a time. Nothing runs until you say so."
    >
      <div className="flex flex-col gap-6">
        {demoFirst ? demo : null}
        <FolderChooser />
        {demoFirst ? null : demo}
      </div>
    </StepFrame>
  );
}
