import { useState } from 'react';
import type { Connection, Project, Theme } from '../../shared/settings';
import { ZOOM_STEPS } from '../../shared/zoom';
import { KeyForm } from '../first-run/ConnectStep';
import { type ConnectionChoice, setConnection } from '../store/projects';
import type { SettingsPage } from '../store/screen';
import { setPreferences } from '../store/settings';
import { addToast, reported } from '../store/toasts';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { Dialog } from '../ui/Dialog';
import { Row, Segmented } from '../ui/Fields';
import { Picker } from '../ui/Menu';
import { Tabs } from '../ui/Tabs';
import { HooksPanel } from './HooksPanel';
import { PermissionsPanel } from './PermissionsPanel';
import { ProjectPanel } from './ProjectPanel';

const THEMES: readonly { readonly value: Theme; readonly label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

/** The settings: appearance, connection, permissions, hooks and this project. */
export function SettingsDialog({
  project,
  start,
  onClose,
}: {
  readonly project: Project;
  /** The page it opens with. */
  readonly start: SettingsPage;
  readonly onClose: () => void;
}) {
  const [page, setPage] = useState(start);
  return (
    <Dialog open onOpenChange={onClose} title="Settings" size="lg">
      <Tabs<SettingsPage>
        label="Settings"
        className="-mx-2 h-[min(560px,62vh)]"
        value={page}
        onChange={setPage}
        tabs={[
          { id: 'look', label: 'Look' },
          { id: 'connection', label: 'Connection' },
          { id: 'permissions', label: 'Permissions' },
          { id: 'hooks', label: 'Hooks', count: project.hooks?.list.length ?? 0 },
          { id: 'project', label: 'Project', count: project.problems.length },
        ]}
      >
        <div className="px-2 py-4">
          {page === 'look' ? <LookPanel /> : null}
          {page === 'connection' ? <ConnectionPanel /> : null}
          {page === 'permissions' ? <PermissionsPanel project={project} /> : null}
          {page === 'hooks' ? <HooksPanel project={project} /> : null}
          {page === 'project' ? <ProjectPanel project={project} onClose={onClose} /> : null}
        </div>
      </Tabs>
    </Dialog>
  );
}

function LookPanel() {
  const lathe = useLathe();
  const theme = useScreen((s) => s.app?.preferences.theme ?? 'system');
  const zoom = useScreen((s) => s.app?.preferences.zoom ?? 1);
  const version = useScreen((s) => s.info?.version ?? '');
  const percent = ZOOM_STEPS.find((step) => step === Math.round(zoom * 100)) ?? 100;
  return (
    <div className="flex flex-col gap-5">
      <Row title="Theme" text="System follows the light or dark side of your desktop.">
        <Segmented
          label="Theme"
          value={theme}
          options={THEMES}
          onChange={(next) => setPreferences(lathe, { theme: next })}
        />
      </Row>
      <Row title="Zoom" text="The size of everything on this screen.">
        <Picker
          label="Zoom"
          value={String(percent)}
          options={ZOOM_STEPS.map((step) => ({ value: String(step), label: `${step} %` }))}
          onChange={(next) => setPreferences(lathe, { zoom: Number(next) / 100 })}
          className="w-28"
        />
      </Row>
      <p className="text-meta text-ink-3">Lathe {version}</p>
    </div>
  );
}

/** The current connection to a model, and the form that changes it. */
function ConnectionPanel() {
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
