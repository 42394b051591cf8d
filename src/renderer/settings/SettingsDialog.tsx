import { useState } from 'react';
import type { Connection, Project } from '../../shared/settings';
import type { ToolServerState } from '../../shared/tool-server';
import { useKeymap } from '../commands/use-keymap';
import { KeyForm } from '../first-run/ConnectStep';
import { type ConnectionChoice, setConnection } from '../store/projects';
import type { SettingsPage } from '../store/screen';
import { addToast, reported } from '../store/toasts';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { Dialog } from '../ui/Dialog';
import { Row } from '../ui/Fields';
import { Tabs } from '../ui/Tabs';
import { HooksPanel } from './HooksPanel';
import { KeysPanel } from './KeysPanel';
import { MemoryPanel } from './MemoryPanel';
import { ModelsPanel } from './ModelsPanel';
import { PermissionsPanel } from './PermissionsPanel';
import { PluginsPanel } from './PluginsPanel';
import {
  DesktopPanel,
  LookPanel,
  NotificationsPanel,
  SearchPanel,
  TerminalPanel,
} from './PreferencePanels';
import { ProjectPanel } from './ProjectPanel';
import { ServersPanel } from './ServersPanel';

/** The settings: those of this window, of the agent, of the connection, and of this project. */
export function SettingsDialog({
  project,
  page,
  onClose,
}: {
  readonly project: Project;
  /** The page that is shown. */
  readonly page: SettingsPage;
  readonly onClose: () => void;
}) {
  const { store } = useLathe();
  const faults = useKeymap().problems.length;
  const waiting = useScreen(
    (s) => s.toolServers.filter(({ state }) => WANTS_YOU.has(state)).length,
  );
  const desktop = useScreen((s) => s.info?.host === 'electron');
  return (
    <Dialog open onOpenChange={onClose} title="Settings" size="lg" flush>
      <Tabs<SettingsPage>
        label="Settings"
        upright
        className="h-[min(576px,max(64vh,18rem))]"
        value={page}
        onChange={(next) => store.setState({ dialog: { kind: 'settings', page: next } })}
        tabs={[
          { id: 'look', label: 'Look' },
          { id: 'models', label: 'Models' },
          { id: 'terminal', label: 'Terminal' },
          { id: 'keys', label: 'Keys', count: faults },
          { id: 'notifications', label: 'Notifications' },
          { id: 'search', label: 'Search' },
          ...(desktop ? [{ id: 'desktop' as const, label: 'Desktop' }] : []),
          { id: 'connection', label: 'Connection' },
          { id: 'permissions', label: 'Permissions' },
          { id: 'memory', label: 'Memory' },
          { id: 'hooks', label: 'Hooks', count: project.hooks?.list.length ?? 0 },
          { id: 'plugins', label: 'Plugins' },
          { id: 'servers', label: 'Tool servers', count: waiting },
          { id: 'project', label: 'Project', count: project.problems.length },
        ]}
      >
        <div className="px-6 py-4 sm:pl-5">
          {page === 'look' ? <LookPanel /> : null}
          {page === 'models' ? <ModelsPanel project={project} /> : null}
          {page === 'terminal' ? <TerminalPanel /> : null}
          {page === 'keys' ? <KeysPanel /> : null}
          {page === 'notifications' ? <NotificationsPanel /> : null}
          {page === 'search' ? <SearchPanel /> : null}
          {page === 'desktop' ? <DesktopPanel /> : null}
          {page === 'connection' ? <ConnectionPanel /> : null}
          {page === 'permissions' ? <PermissionsPanel project={project} /> : null}
          {page === 'memory' ? <MemoryPanel project={project} /> : null}
          {page === 'hooks' ? <HooksPanel project={project} /> : null}
          {page === 'servers' ? <ServersPanel /> : null}
          {page === 'plugins' ? <PluginsPanel project={project} /> : null}
          {page === 'project' ? <ProjectPanel project={project} onClose={onClose} /> : null}
        </div>
      </Tabs>
    </Dialog>
  );
}

/** The states of tool servers that a user can mend. */
const WANTS_YOU: ReadonlySet<ToolServerState> = new Set(['failed', 'needs_sign_in']);

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
      <Row title={describe(connection)} text={connectionDetails(connection)}>
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

/** Returns where the key of a connection comes from, how far it counts, and where it leads. */
export function connectionDetails({ kind, from, baseUrl }: Connection): string {
  if (kind === 'none') return 'Lathe asks for a key before it can work.';
  if (kind === 'demo') return 'The model is scripted; everything else is real.';
  return [
    from === undefined ? '' : `From ${from}${isVariable(from) ? ENVIRONMENT_SCOPE : '.'}`,
    baseUrl === undefined ? '' : `Endpoint ${baseUrl}.`,
  ]
    .filter(Boolean)
    .join(' ');
}

const ENVIRONMENT_SCOPE =
  ' in the environment Lathe was started in. It counts in every project until a key is entered here.';

const isVariable = (name: string): boolean => /^[A-Z][A-Z0-9_]*$/.test(name);
