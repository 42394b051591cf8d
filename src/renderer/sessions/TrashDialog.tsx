import { Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { TrashedSession } from '../../shared/contract-sessions';
import { listTrash, restoreSession } from '../store/kept-sessions';
import { reported } from '../store/toasts';
import { useLathe } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { Dialog } from '../ui/Dialog';
import { EmptyState } from '../ui/Notice';
import { PlainName } from '../ui/VisibleText';

/** Lists the deleted sessions of a project, and has them back. */
export function TrashDialog({
  project,
  onClose,
}: {
  readonly project: string;
  readonly onClose: () => void;
}) {
  const lathe = useLathe();
  const [sessions, setSessions] = useState<readonly TrashedSession[] | null>(null);
  useEffect(() => {
    let isWanted = true;
    void listTrash(lathe, project).then((listed) => {
      if (isWanted) setSessions(reported(lathe.store, listed).ok && listed.ok ? listed.value : []);
    });
    return () => {
      isWanted = false;
    };
  }, [lathe, project]);
  const restore = async (sessionId: string) => {
    if (!(await restoreSession(lathe, sessionId))) return;
    setSessions((before) => before?.filter(({ id }) => id !== sessionId) ?? null);
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Deleted sessions"
      description="They are kept for 30 days. A session that is restored is in the list again, with all that was said."
    >
      {sessions === null ? (
        <p role="status" className="text-code text-ink-3">
          Looking…
        </p>
      ) : sessions.length === 0 ? (
        <EmptyState icon={Trash2} title="No deleted sessions" />
      ) : (
        <ul aria-label="Deleted sessions" className="flex flex-col gap-1">
          {sessions.map(({ id, title, deletedAt }) => (
            <li
              key={id}
              className="flex items-center gap-3 border-t border-line py-1.5 first:border-t-0"
            >
              <span className="min-w-0 flex-1">
                <span dir="auto" className="block truncate text-code" title={title}>
                  <PlainName text={title} />
                </span>
                <span className="block text-meta text-ink-3">
                  Deleted {new Date(deletedAt).toLocaleString('en-US')}
                </span>
              </span>
              <Button size="sm" aria-label={`Restore ${title}`} onClick={() => void restore(id)}>
                Restore
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
