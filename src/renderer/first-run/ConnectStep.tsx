import { Play } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Fault } from '../../shared/result';
import type { EnteredKey, Project } from '../../shared/settings';
import { checkConnection, leaveProject, reviewTrust, setConnection } from '../store/projects';
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

/**
 * Takes an API key and, when wanted, another endpoint, and tries them before they are kept. The key leaves the page
 * for the host alone and is not kept in it.
 */
export function KeyForm({ onDone }: { readonly onDone?: () => void }) {
  const keyStorage = useScreen((s) => s.info?.keyStorage ?? '');
  const [key, setKey] = useState('');
  const [other, setOther] = useState(false);
  const [baseUrl, setBaseUrl] = useState('');
  const { state, connect, keep, cancel, change } = useConnecting(() => {
    setKey('');
    onDone?.();
  });
  const urlProblem = other ? baseUrlProblem(baseUrl) : null;
  const url = other ? baseUrl.trim() : '';
  const entered = { key: key.trim(), ...(url === '' ? {} : { baseUrl: url }) };
  const ready = entered.key !== '' && urlProblem === null;
  const busy = state.step === 'checking' || state.step === 'keeping';
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready && !busy) void connect(entered);
      }}
    >
      {state.step === 'failed' ? (
        <Notice level="error" title={state.fault.message}>
          {state.fault.fix}
        </Notice>
      ) : null}
      <TextField
        label="API key"
        type="password"
        mono
        value={key}
        onChange={(value) => {
          setKey(value);
          change();
        }}
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
          onChange={(value) => {
            setBaseUrl(value);
            change();
          }}
          placeholder="https://gateway.example.com"
          hint={
            isUnencrypted(baseUrl)
              ? 'This address is not encrypted: the key could be read on the way.'
              : 'Any server that speaks the Messages API.'
          }
          {...(urlProblem === null || baseUrl === '' ? {} : { error: urlProblem })}
        />
      ) : null}
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" variant="primary" size="lg" busy={busy} disabled={!ready}>
          {state.step === 'failed' ? 'Try again' : 'Connect'}
        </Button>
        {state.step === 'failed' && state.usable ? (
          <Button variant="ghost" size="lg" onClick={() => void keep(entered)}>
            Use anyway
          </Button>
        ) : null}
        {state.step === 'checking' ? (
          <>
            <Button variant="ghost" size="lg" onClick={cancel}>
              Cancel
            </Button>
            <p role="status" className="text-ink-2">
              Trying the connection…
            </p>
          </>
        ) : null}
        {other || busy ? null : (
          <Button variant="ghost" size="lg" onClick={() => setOther(true)}>
            Use another endpoint
          </Button>
        )}
      </div>
    </form>
  );
}

/** Progress of an entered key. `usable`: the user may keep it although the check failed. */
type Connecting =
  | { readonly step: 'entering' | 'checking' | 'keeping' }
  | { readonly step: 'failed'; readonly fault: Fault; readonly usable: boolean };

/** Faults of what was entered itself, which the host would refuse to keep. */
const UNUSABLE: ReadonlySet<string> = new Set(['bad_endpoint']);

/** Tries what was entered and keeps it when that went well. A change of what was entered takes an error away. */
function useConnecting(onDone: () => void) {
  const lathe = useLathe();
  const [state, setState] = useState<Connecting>({ step: 'entering' });
  const check = useRef<AbortController | null>(null);
  useEffect(() => () => check.current?.abort(), []);
  const keep = async (entered: EnteredKey) => {
    setState({ step: 'keeping' });
    const kept = await setConnection(lathe, { kind: 'apiKey', ...entered });
    setState(kept.ok ? { step: 'entering' } : { step: 'failed', fault: kept.error, usable: false });
    if (kept.ok) onDone();
  };
  const connect = async (entered: EnteredKey) => {
    const own = new AbortController();
    check.current = own;
    setState({ step: 'checking' });
    const checked = await checkConnection(lathe, entered, own.signal);
    if (own.signal.aborted) return;
    if (checked.ok) return keep(entered);
    const usable = !UNUSABLE.has(checked.error.code);
    setState({ step: 'failed', fault: checked.error, usable });
  };
  const change = () => {
    check.current?.abort();
    setState({ step: 'entering' });
  };
  return { state, connect, keep, cancel: change, change };
}
