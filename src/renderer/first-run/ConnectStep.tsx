import { Play } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Fault } from '../../shared/result';
import type { Project } from '../../shared/settings';
import { leaveProject, reviewTrust, setConnection } from '../store/projects';
import { useLathe, useScreen } from '../store/use-lathe';
import { Notice } from '../ui/Notice';
import { ChoiceCard } from './ChoiceCard';
import { KeyForm } from './KeyForm';
import { StepFrame } from './StepFrame';

/** Step three: how to reach a model. Who asked for the demo before only passes through. */
export function ConnectStep({ project }: { readonly project: Project }) {
  const lathe = useLathe();
  const demoFirst = useScreen((s) => s.info?.demoFirst ?? false);
  const wantsDemo = useScreen((s) => s.wantsDemo);
  const { busy, fault, start } = useDemoConnection();
  const asked = useRef(false);
  useEffect(() => {
    if (!wantsDemo || asked.current) return;
    asked.current = true;
    void start();
  }, [wantsDemo, start]);
  const back = () => {
    lathe.store.setState({ wantsDemo: false });
    if (project.trusted) leaveProject(lathe);
    else reviewTrust(lathe, project.path);
  };
  const demo = (
    <ChoiceCard
      icon={Play}
      title="Try the offline demo"
      text="A scripted model, no key and no network. Everything else is real."
      primary={demoFirst}
      busy={busy}
      onChoose={start}
    />
  );
  return (
    <StepFrame
      step={2}
      title="Connect to a model"
      text="Your key goes to the endpoint you name and nowhere else. Lathe sends nothing home."
      onBack={back}
    >
      <div className="flex flex-col gap-6">
        {fault === null ? null : (
          <Notice level="error" title={fault.message}>
            {fault.fix}
          </Notice>
        )}
        {demoFirst ? demo : null}
        <div className="rounded-lg border border-line bg-raised p-4">
          <KeyForm />
        </div>
        {demoFirst ? null : demo}
      </div>
    </StepFrame>
  );
}

/** Switches to the offline demo; a failure leaves the person free to choose otherwise. */
function useDemoConnection() {
  const lathe = useLathe();
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  const start = useCallback(async () => {
    setBusy(true);
    const set = await setConnection(lathe, { kind: 'demo' });
    setBusy(false);
    setFault(set.ok ? null : set.error);
    if (set.ok) lathe.store.setState({ wantsDemo: false });
  }, [lathe]);
  return { busy, fault, start };
}
