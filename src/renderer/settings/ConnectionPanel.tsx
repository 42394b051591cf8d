import { useState } from 'react';
import type { Connection } from '../../shared/settings';
import { KeyForm } from '../first-run/ConnectStep';
import { type ConnectionChoice, setConnection } from '../store/projects';
import { addToast, reported } from '../store/toasts';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { Row } from '../ui/Fields';

/** The current connection to a model, and the form that changes it. */
export function ConnectionPanel() {
  const lathe = useLathe();
  const connection = useScreen((s) => s.app?.connection ?? null);
  const [entering, setEntering] = useState(false);
  if (connection === null) return null;
  const change = async (choice: ConnectionChoice) => {
    reported(lathe.store, await setConnection(lathe, choice));
  };
  return (
    <div className="flex flex-col gap-5">
      <Row title={describe(connection)} text={details(connection)}>
        {connection.kind === 'none' ? null : (
          <Button size="sm" onClick={() => change({ kind: 'none' })}>
            Disconnect
          </Button>
        )}
      </Row>
      {entering ? (
        <div className="rounded-lg border border-line p-4">
          <KeyForm
            onDone={() => {
              setEntering(false);
              addToast(lathe.store, { level: 'info', text: 'Connected with the new key.' });
            }}
          />
        </div>
      ) : (
        <Row title="API key" text="Use a key of yours, with the default or another endpoint.">
          <Button size="sm" onClick={() => setEntering(true)}>
            Enter a key…
          </Button>
        </Row>
      )}
      {connection.kind === 'demo' ? null : (
        <Row
          title="Offline demo"
          text="A scripted model for the sample project; no key, no network."
        >
          <Button size="sm" onClick={() => change({ kind: 'demo' })}>
            Use the demo
          </Button>
        </Row>
      )}
    </div>
  );
}

function describe(connection: Connection): string {
  switch (connection.kind) {
    case 'none':
      return 'Not connected to a model';
    case 'demo':
      return 'Offline demo';
    case 'apiKey':
      return 'Connected with an API key';
    case 'authToken':
      return 'Connected with a token';
  }
}

function details(connection: Connection): string {
  if (connection.kind === 'none') return 'Lathe asks for a key before it can work.';
  if (connection.kind === 'demo') return 'The model is scripted; everything else is real.';
  return [
    connection.from === undefined ? '' : `From ${connection.from}.`,
    connection.baseUrl === undefined ? '' : `Endpoint ${connection.baseUrl}.`,
  ]
    .filter(Boolean)
    .join(' ');
}
