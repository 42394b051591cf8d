import { useEffect, useState } from 'react';
import { MAX_MEMORY, type MemoryPlace } from '../../shared/memory';
import type { Project } from '../../shared/settings';
import { addMemory, listMemory } from '../store/memory';
import { addToast, reportFault } from '../store/toasts';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { Dialog } from '../ui/Dialog';
import { Segmented, TextArea } from '../ui/Fields';
import { tildePath } from '../ui/format';
import { VisibleText } from '../ui/VisibleText';

const PLACES = [
  { value: 'project', label: 'Project' },
  { value: 'local', label: 'Me, here' },
  { value: 'user', label: 'Me, everywhere' },
] as const;

const TELLS: Readonly<Record<MemoryPlace, string>> = {
  project: 'Everybody who works in this project gets it.',
  local: 'Only you, in this project. Keep the file out of git.',
  user: 'Only you, in every project.',
};

/** Adds a memory where the user chooses; shows the line and the file before it is written. */
export function RememberDialog({
  project,
  text: typed,
  onClose,
}: {
  readonly project: Project;
  readonly text: string;
  readonly onClose: () => void;
}) {
  const lathe = useLathe();
  const home = useScreen((s) => s.info?.home ?? '');
  const [text, setText] = useState(typed);
  const [place, setPlace] = useState<MemoryPlace>('project');
  const [places, setPlaces] = useState<Readonly<Record<MemoryPlace, string>> | null>(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    void listMemory(lathe, project.path).then((listed) => {
      if (listed.ok) setPlaces(listed.value.places);
    });
  }, [lathe, project.path]);
  const keep = async () => {
    setBusy(true);
    const kept = await addMemory(lathe, project.path, place, text.trim());
    setBusy(false);
    if (!kept.ok) return reportFault(lathe.store, kept.error);
    lathe.drafts.set(lathe.current.draftKey(), '');
    onClose();
    const file = tildePath(kept.value, home);
    addToast(lathe.store, { level: 'info', text: `Kept in ${file} for new sessions.` });
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="sm"
      title="Keep in mind"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" busy={busy} disabled={text.trim() === ''} onClick={keep}>
            Keep
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <TextArea
          label="What to keep"
          value={text}
          onChange={setText}
          maxLength={MAX_MEMORY}
          autoFocus
        />
        <div className="flex flex-col items-start gap-1.5">
          <Segmented label="For whom" value={place} options={PLACES} onChange={setPlace} />
          <p className="text-meta text-ink-3">{TELLS[place]}</p>
        </div>
        <p className="text-meta text-ink-2 [overflow-wrap:anywhere]">
          Added at the end of{' '}
          <code>
            <VisibleText text={places === null ? '…' : tildePath(places[place], home)} />
          </code>
        </p>
      </div>
    </Dialog>
  );
}
