import type { Project } from '../../shared/settings';
import { CostDialog } from '../costs/CostDialog';
import { HealthDialog } from '../health/HealthDialog';
import { RestoreDialog } from '../rewind/RestoreDialog';
import { OtherLogDialog } from '../sessions/OtherLogDialog';
import { TrashDialog } from '../sessions/TrashDialog';
import { RememberDialog } from '../settings/RememberDialog';
import { SettingsDialog } from '../settings/SettingsDialog';
import type { OpenDialog } from '../store/screen';
import { FileViewer } from '../viewer/FileViewer';

/** The dialogs that no first screen needs: a part of the page of their own, loaded after it. */
export function RareDialogs({
  dialog,
  project,
  onClose,
}: {
  readonly dialog: OpenDialog;
  readonly project: Project;
  readonly onClose: () => void;
}) {
  switch (dialog.kind) {
    case 'settings':
      return <SettingsDialog project={project} page={dialog.page} onClose={onClose} />;
    case 'file':
      return <FileViewer {...dialog} onClose={onClose} />;
    case 'costs':
      return <CostDialog project={project} onClose={onClose} />;
    case 'health':
      return <HealthDialog project={project} onClose={onClose} />;
    case 'trash':
      return <TrashDialog project={project.path} onClose={onClose} />;
    case 'restore':
      return <RestoreDialog {...dialog} onClose={onClose} />;
    case 'otherLog':
      return <OtherLogDialog hit={dialog.hit} onClose={onClose} />;
    case 'remember':
      return <RememberDialog project={project} text={dialog.text} onClose={onClose} />;
    default:
      return null;
  }
}
