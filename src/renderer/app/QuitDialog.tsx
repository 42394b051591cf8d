import { quitQuestion, type WhatRuns } from '../../shared/what-runs';
import { quit } from '../store/quit';
import { dockAt } from '../store/screen';
import { useLathe } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { Dialog } from '../ui/Dialog';
import { VisibleText } from '../ui/VisibleText';

/** Asks before Lathe ends, and names what would end with it. */
export function QuitDialog({
  running,
  onClose,
}: {
  readonly running: WhatRuns;
  readonly onClose: () => void;
}) {
  const lathe = useLathe();
  const question = quitQuestion(running);
  const end = (keepTerminals: boolean) => {
    onClose();
    void quit(lathe, keepTerminals);
  };
  const choose = () => {
    lathe.store.setState({ dialog: null });
    lathe.store.setState(dockAt('processes'));
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size={question === null ? 'sm' : 'lg'}
      title={question?.title ?? 'Quit Lathe?'}
      description="This page does nothing until Lathe is started again."
      footer={
        <>
          <Button onClick={onClose} autoFocus>
            Cancel
          </Button>
          {question === null ? null : (
            <>
              <Button onClick={choose}>Choose what goes on…</Button>
              <Button onClick={() => end(true)}>Quit and keep terminals</Button>
            </>
          )}
          <Button variant={question === null ? 'primary' : 'danger'} onClick={() => end(false)}>
            {question === null ? 'Quit' : 'End everything and quit'}
          </Button>
        </>
      }
    >
      {question?.detail.map((part) => (
        <p key={part} className="mb-2 text-code whitespace-pre-line [overflow-wrap:anywhere]">
          <VisibleText text={part} />
        </p>
      ))}
    </Dialog>
  );
}
