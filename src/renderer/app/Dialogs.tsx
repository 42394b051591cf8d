import { useState } from 'react';
import type { Project } from '../../shared/settings';
import { COMMANDS, GROUPS } from '../../shared/window-commands';
import type { RunCommand } from '../commands/table';
import { useKeymap } from '../commands/use-keymap';
import { SummaryDialog } from '../context/SummaryDialog';
import { FolderChooser } from '../first-run/FolderStep';
import { Palette } from '../palette/Palette';
import { ContentsPicker, PromptSearch, RewindPicker } from '../palette/PromptPickers';
import { configureSession, renameSession } from '../store/sessions';
import { reported } from '../store/toasts';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button, Kbd } from '../ui/Button';
import { Dialog } from '../ui/Dialog';
import { TextField } from '../ui/Fields';
import { ScrollArea } from '../ui/ScrollArea';
import { FilePicker } from '../viewer/FilePicker';
import { QuitDialog } from './QuitDialog';
import { useRareDialogs } from './use-rare-dialogs';

/** The one dialog that is open over the workbench, if any. */
export function Dialogs({
  project,
  onCommand,
}: {
  readonly project: Project;
  readonly onCommand: RunCommand;
}) {
  const { store } = useLathe();
  const dialog = useScreen((s) => s.dialog);
  const close = () => store.setState({ dialog: null });
  const Rare = useRareDialogs(dialog !== null);
  if (dialog === null) return null;
  switch (dialog.kind) {
    case 'palette':
      return <Palette key={dialog.page} page={dialog.page} onCommand={onCommand} onClose={close} />;
    case 'keys':
      return <KeyHelp onClose={close} />;
    case 'files':
      return <FilePicker onClose={close} />;
    case 'prompts':
      return <PromptSearch onClose={close} />;
    case 'summary':
      return <SummaryDialog until={dialog.until} onClose={close} />;
    case 'contents':
      return <ContentsPicker onClose={close} />;
    case 'rewind':
      return <RewindPicker onClose={close} />;
    case 'folder':
      return (
        <Dialog open onOpenChange={close} title="Open a folder" size="lg">
          <FolderChooser onOpened={close} />
        </Dialog>
      );
    case 'rename':
      return <RenameDialog sessionId={dialog.sessionId} onClose={close} />;
    case 'quit':
      return <QuitDialog running={dialog.running} onClose={close} />;
    case 'bypass':
      return <BypassDialog onClose={close} />;
    default:
      return Rare === null ? null : <Rare dialog={dialog} project={project} onClose={close} />;
  }
}

interface SessionDialogProps {
  readonly sessionId: string;
  readonly onClose: () => void;
}

/** Gives a session another title. */
function RenameDialog({ sessionId, onClose }: SessionDialogProps) {
  const lathe = useLathe();
  const before = useScreen((s) => s.app?.sessions.find((x) => x.id === sessionId)?.title ?? '');
  const [title, setTitle] = useState(before);
  const save = async () => {
    if (title.trim() === '') return;
    onClose();
    if (title.trim() === before) return;
    reported(lathe.store, await renameSession(lathe, sessionId, title.trim()));
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="sm"
      title="Rename the session"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={title.trim() === ''} onClick={save}>
            Rename
          </Button>
        </>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <TextField
          label="Title"
          hideLabel
          value={title}
          onChange={setTitle}
          maxLength={200}
          autoFocus
          onFocus={(event) => event.currentTarget.select()}
        />
      </form>
    </Dialog>
  );
}

/** Asks before nothing is asked any more. */
function BypassDialog({ onClose }: { readonly onClose: () => void }) {
  const lathe = useLathe();
  const allow = () => {
    onClose();
    void configureSession(lathe, { mode: 'bypassPermissions' });
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="sm"
      title="Allow everything in this session?"
      description="Lathe will run commands and change files without asking. Only your deny and ask rules still hold. Use it where nothing can be lost, such as a container."
      footer={
        <>
          <Button onClick={onClose} autoFocus>
            Cancel
          </Button>
          <Button variant="danger" onClick={allow}>
            Allow everything
          </Button>
        </>
      }
    />
  );
}

interface KeyLine {
  readonly title: string;
  readonly keys: readonly string[];
}

/** Every key of the table, by group. */
function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  const { keysOf } = useKeymap();
  const listed = COMMANDS.map((command) => ({ ...command, keys: keysOf(command.id) })).filter(
    ({ id, keys }) =>
      keys.length > 0 && !(/^session[2-9]$/.test(id) && keys[0] === `mod+${id.at(-1)}`),
  );
  return (
    <Dialog open onOpenChange={onClose} title="Keys" size="lg">
      <ScrollArea label="Keys" className="-mx-2 max-h-[calc(76vh-90px)] px-2">
        <div className="columns-1 gap-10 sm:columns-2">
          {GROUPS.map((group) => (
            <KeyGroup
              key={group}
              heading={group}
              lines={listed
                .filter((command) => command.group === group)
                .map(({ id, title, keys }) =>
                  id === 'session1' && keys[0] === 'mod+1'
                    ? { title: 'Session 1 … 9 of the list', keys: ['mod+1…9'] }
                    : { title, keys },
                )}
            />
          ))}
        </div>
      </ScrollArea>
    </Dialog>
  );
}

function KeyGroup({
  heading,
  lines,
}: {
  readonly heading: string;
  readonly lines: readonly KeyLine[];
}) {
  return (
    <section className="mb-5 break-inside-avoid">
      <h3 className="mb-1 text-meta font-medium text-ink-3">{heading}</h3>
      <dl>
        {lines.map(({ title, keys }) => (
          <div key={title} className="flex min-h-7 items-center gap-3 text-code">
            <dt className="min-w-0 flex-1 text-ink-2">{title}</dt>
            <dd className="flex items-center gap-1.5">
              {keys.map((key) => (
                <Kbd key={key} keys={key} />
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
