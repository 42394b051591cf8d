import { useState } from 'react';
import { titleOf } from '../sessions/group-sessions';
import { configureSession, removeSession, renameSession } from '../store/sessions';
import { reported } from '../store/toasts';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { Dialog } from '../ui/Dialog';
import { TextField } from '../ui/TextField';

interface SessionDialogProps {
  readonly sessionId: string;
  readonly onClose: () => void;
}

/** Gives a session another title. */
export function RenameDialog({ sessionId, onClose }: SessionDialogProps) {
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

/** Asks before a session is deleted: there is no way back. */
export function RemoveDialog({ sessionId, onClose }: SessionDialogProps) {
  const lathe = useLathe();
  const session = useScreen((s) => s.app?.sessions.find((x) => x.id === sessionId) ?? null);
  const remove = async () => {
    onClose();
    reported(lathe.store, await removeSession(lathe, sessionId));
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="sm"
      title="Delete this session?"
      description="The conversation and the output of its tasks are deleted. Files in the project stay as they are."
      footer={
        <>
          <Button onClick={onClose} autoFocus>
            Keep it
          </Button>
          <Button variant="danger" onClick={remove}>
            Delete
          </Button>
        </>
      }
    >
      <p className="text-code font-medium">{titleOf(session ?? { title: '' })}</p>
    </Dialog>
  );
}

/** Asks before nothing is asked any more. */
export function BypassDialog({ onClose }: { readonly onClose: () => void }) {
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
