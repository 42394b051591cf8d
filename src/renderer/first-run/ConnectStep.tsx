import { Play } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Fault } from '../../shared/result';
import type { Project } from '../../shared/settings';
import { leaveProject, reviewTrust, setConnection } from '../store/projects';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { TextField } from '../ui/Fields';
import { Notice } from '../ui/Notice';
import { baseUrlProblem, isUnencrypted } from './paths';
import { ChoiceCard, StepFrame } from './StepFrame';

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

/** Switches to the offline demo; a failure leaves the user free to choose otherwise. */
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

/** Takes an API key and, when wanted, another endpoint. The key leaves the page once and is not kept in it. */
export function KeyForm({ onDone }: { readonly onDone?: () => void }) {
  const lathe = useLathe();
  const keyStorage = useScreen((s) => s.info?.keyStorage ?? '');
  const [key, setKey] = useState('');
  const [other, setOther] = useState(false);
  const [baseUrl, setBaseUrl] = useState('');
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  const urlProblem = other ? baseUrlProblem(baseUrl) : null;
  const save = async () => {
    setBusy(true);
    const url = other ? baseUrl.trim() : '';
    const saved = await setConnection(lathe, {
      kind: 'apiKey',
      key: key.trim(),
      ...(url === '' ? {} : { baseUrl: url }),
    });
    setBusy(false);
    setFault(saved.ok ? null : saved.error);
    if (!saved.ok) return;
    setKey('');
    onDone?.();
  };
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (key.trim() !== '' && urlProblem === null && !busy) void save();
      }}
    >
      {fault === null ? null : (
        <Notice level="error" title={fault.message}>
          {fault.fix}
        </Notice>
      )}
      <TextField
        label="API key"
        type="password"
        mono
        value={key}
        onChange={setKey}
        placeholder="sk-ant-…"
        autoComplete="off"
        hint={keyStorage === '' ? undefined : `Kept in ${keyStorage}.`}
      />
      {other ? (
        <TextField
          label="Endpoint"
          mono
          autoFocus
          value={baseUrl}
          onChange={setBaseUrl}
          placeholder="https://gateway.example.com"
          hint={
            isUnencrypted(baseUrl)
              ? 'This address is not encrypted: the key could be read on the way.'
              : 'Any server that speaks the Messages API.'
          }
          {...(urlProblem === null || baseUrl === '' ? {} : { error: urlProblem })}
        />
      ) : null}
      <div className="flex items-center gap-3">
        <Button
          type="submit"
          variant="primary"
          size="lg"
          busy={busy}
          disabled={key.trim() === '' || urlProblem !== null}
        >
          Connect
        </Button>
        {other ? null : (
          <Button variant="ghost" size="lg" onClick={() => setOther(true)}>
            Use another endpoint
          </Button>
        )}
      </div>
    </form>
  );
}
