import { useEffect, useState } from 'react';
import type { RestorePoint, RestorePreview } from '../../shared/checkpoint';
import type { Fault, Result } from '../../shared/result';
import { goBack, previewRestore, restoreFiles } from '../store/restore';
import { useLathe } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { Dialog, focusHome } from '../ui/Dialog';
import { Switch } from '../ui/Fields';
import { plural } from '../ui/format';
import { Spinner } from '../ui/Marks';
import { Notice } from '../ui/Notice';
import { RestoreFileList } from './RestoreFileList';

interface RestoreDialogProps {
  readonly sessionId: string;
  readonly point: RestorePoint;
  /** The prompt is to be edited and sent again. */
  readonly revised?: boolean;
  readonly onClose: () => void;
}

/** Shows what going back does to files, file by file, and does it: undo, redo, or back to before a prompt. */
export function RestoreDialog({ sessionId, point, revised = false, onClose }: RestoreDialogProps) {
  const lathe = useLathe();
  const preview = usePreview(sessionId, point);
  const [overwrite, setOverwrite] = useState(false);
  const [busy, setBusy] = useState(false);
  const found = preview?.ok ? preview.value : null;
  const files = found === null ? 0 : found.count + (overwrite ? found.conflictCount : 0);
  const act = async (what: 'files' | 'conversation' | 'both') => {
    setBusy(true);
    if (point.kind === 'prompt')
      await goBack(lathe, sessionId, point.promptId, { what, overwrite, revised });
    else await restoreFiles(lathe, sessionId, point, overwrite);
    onClose();
    requestAnimationFrame(focusHome);
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="lg"
      title={TITLES[point.kind]}
      description="What runs is stopped first. Files as they are now are kept, so that this can be taken back."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          {point.kind === 'prompt' ? (
            <>
              <Button disabled={busy} onClick={() => void act('conversation')}>
                Conversation only
              </Button>
              <Button disabled={busy || files === 0} onClick={() => void act('files')}>
                Files only
              </Button>
            </>
          ) : null}
          <Button
            variant="primary"
            busy={busy}
            disabled={files === 0}
            onClick={() => void act(point.kind === 'prompt' ? 'both' : 'files')}
          >
            {point.kind === 'prompt'
              ? 'Files and conversation'
              : `Restore ${plural(files, 'file')}`}
          </Button>
        </>
      }
    >
      <Preview
        preview={preview}
        sessionId={sessionId}
        point={point}
        overwrite={overwrite}
        onOverwrite={setOverwrite}
      />
    </Dialog>
  );
}

const TITLES: Readonly<Record<RestorePoint['kind'], string>> = {
  prompt: 'Go back to before this prompt',
  before: 'Go back to before this call',
  call: 'Undo what this call changed',
  session: 'Take back all changes of this session',
  file: 'Take back the changes of this file',
  restore: 'Redo what was undone',
};

/** Returns the preview of a restore; null until it is there. */
function usePreview(sessionId: string, point: RestorePoint): Result<RestorePreview, Fault> | null {
  const lathe = useLathe();
  const [preview, setPreview] = useState<Result<RestorePreview, Fault> | null>(null);
  useEffect(() => {
    let wanted = true;
    void previewRestore(lathe, sessionId, point).then((found) => {
      if (wanted) setPreview(found);
    });
    return () => {
      wanted = false;
    };
  }, [lathe, sessionId, point]);
  return preview;
}

function Preview({
  preview,
  sessionId,
  point,
  overwrite,
  onOverwrite,
}: Omit<RestoreDialogProps, 'onClose'> & {
  readonly preview: Result<RestorePreview, Fault> | null;
  readonly overwrite: boolean;
  readonly onOverwrite: (overwrite: boolean) => void;
}) {
  if (preview === null) {
    return (
      <p role="status" className="flex items-center gap-2 py-4 text-code text-ink-3">
        <Spinner /> Comparing files
      </p>
    );
  }
  if (!preview.ok) {
    return (
      <Notice level="error" title={preview.error.message}>
        {preview.error.fix}
      </Notice>
    );
  }
  const { files, count, conflicts, conflictCount, lost } = preview.value;
  return (
    <div className="flex flex-col gap-4">
      {count === 0 ? null : (
        <RestoreFileList
          label={`Changes ${plural(count, 'file')}`}
          {...{ sessionId, point, files, count }}
        />
      )}
      {count + conflictCount + lost.length > 0 ? null : (
        <p role="status" className="py-2 text-code text-ink-3">
          No file would change.
        </p>
      )}
      {conflictCount === 0 ? null : (
        <section className="flex flex-col gap-2">
          <Notice level="warning" title={`${plural(conflictCount, 'file')} changed since then`}>
            You or another program changed {conflictCount === 1 ? 'it' : 'them'} in between. Left as
            {conflictCount === 1 ? ' it is' : ' they are'}, unless you choose otherwise.
          </Notice>
          <RestoreFileList
            label={overwrite ? 'Overwritten too' : 'Left as they are'}
            {...{ sessionId, point, files: conflicts, count: conflictCount }}
          />
          <Switch label="Overwrite these too" checked={overwrite} onChange={onOverwrite} />
        </section>
      )}
      {lost.length === 0 ? null : (
        <Notice level="warning" title={`${plural(lost.length, 'file')} cannot be restored`}>
          Too large to be kept: {lost.slice(0, 10).join(', ')}
          {lost.length > 10 ? ` and ${lost.length - 10} more` : ''}
        </Notice>
      )}
    </div>
  );
}
