import { useState } from 'react';
import type { Project, Theme } from '../../shared/settings';
import { ZOOM_STEPS } from '../../shared/zoom';
import type { SettingsPage } from '../store/screen';
import { setPreferences } from '../store/settings';
import { useLathe, useScreen } from '../store/use-lathe';
import { Dialog } from '../ui/Dialog';
import { Row, Segmented } from '../ui/Fields';
import { Picker } from '../ui/Menu';
import { Tabs } from '../ui/Tabs';
import { ConnectionPanel } from './ConnectionPanel';
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
