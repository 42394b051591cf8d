import type { Project } from '../../shared/settings';
import { FolderChooser } from '../first-run/FolderChooser';
import { Palette } from '../palette/Palette';
import { SettingsDialog } from '../settings/SettingsDialog';
import { useLathe, useScreen } from '../store/use-lathe';
import { Dialog } from '../ui/Dialog';
import { KeyHelp } from './KeyHelp';
import type { CommandId } from './keys';
import { BypassDialog, RemoveDialog, RenameDialog } from './SessionDialogs';

/** The one dialog that is open over the workbench, if any. */
export function Dialogs({
  project,
  onCommand,
}: {
  readonly project: Project;
  readonly onCommand: (id: CommandId) => void;
}) {
  const { store } = useLathe();
  const dialog = useScreen((s) => s.dialog);
  const close = () => store.setState({ dialog: null });
  switch (dialog?.kind) {
    case undefined:
      return null;
    case 'palette':
      return <Palette key={dialog.page} page={dialog.page} onCommand={onCommand} onClose={close} />;
    case 'settings':
      return <SettingsDialog project={project} start={dialog.page} onClose={close} />;
    case 'keys':
      return <KeyHelp onClose={close} />;
    case 'folder':
      return (
        <Dialog open onOpenChange={close} title="Open a folder" size="lg">
          <FolderChooser onOpened={close} />
        </Dialog>
      );
    case 'rename':
      return <RenameDialog sessionId={dialog.sessionId} onClose={close} />;
    case 'remove':
      return <RemoveDialog sessionId={dialog.sessionId} onClose={close} />;
    case 'bypass':
      return <BypassDialog onClose={close} />;
  }
}
