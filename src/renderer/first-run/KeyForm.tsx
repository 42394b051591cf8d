import { useState } from 'react';
import type { Fault } from '../../shared/result';
import { setConnection } from '../store/projects';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { Notice } from '../ui/Notice';
import { TextField } from '../ui/TextField';
import { baseUrlProblem, isUnencrypted } from './base-url';

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
