import { ChevronRight, FileDiff as FileDiffIcon } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Transcript } from '../../shared/transcript';
import { byFile, type ChangedFile, changesIn } from '../app/session-views';
import { ChangeCount, DiffView } from '../diff/DiffView';
import { cx } from '../ui/css';
import { plural, relativePath } from '../ui/format';
import { Badge } from '../ui/Marks';
import { EmptyState } from '../ui/Notice';
import { PathLine } from '../ui/VisibleText';

/** The files that edits changed, with each edit in the order it happened: all that is known without checkpoints. */
export function CallEdits({ transcript }: { readonly transcript: Transcript | null }) {
  const committed = transcript?.committed;
  const active = transcript?.active;
  const before = useMemo(() => changesIn(committed ?? []), [committed]);
  const now = useMemo(() => changesIn(active ?? []), [active]);
  const files = useMemo(() => byFile([...before, ...now]), [before, now]);
  if (files.length === 0) {
    return (
      <EmptyState
        icon={FileDiffIcon}
        title="No changes yet"
        text="Files this session edits are listed here with their differences."
      />
    );
  }
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  return (
    <div>
      <p className="flex items-center gap-2 px-3 pt-2 pb-1 text-meta text-ink-3">
        {plural(files.length, 'file')}
        <ChangeCount added={added} removed={removed} />
      </p>
      <ul className="pb-2">
        {files.map((file) => (
          <FileEntry key={file.path} file={file} cwd={transcript?.cwd ?? ''} />
        ))}
      </ul>
    </div>
  );
}

function FileEntry({ file, cwd }: { readonly file: ChangedFile; readonly cwd: string }) {
  const [open, setOpen] = useState(false);
  const path = relativePath(file.path, cwd);
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex w-full items-center gap-2 px-3 py-1 text-left hover:bg-hover"
      >
        <ChevronRight
          size={13}
          aria-hidden
          className={cx(
            'shrink-0 text-ink-3 transition-transform duration-100',
            open && 'rotate-90',
          )}
        />
        <PathLine
          text={path}
          title={file.path}
          className="min-w-0 flex-1 font-mono text-[12.5px]"
        />
        {file.created ? <Badge>new</Badge> : null}
        <ChangeCount added={file.added} removed={file.removed} />
      </button>
      {open ? (
        <div className="my-1 border-y border-line bg-canvas">
          {file.changes.map((change) => (
            <DiffView key={change.callId} path={file.path} hunks={change.hunks} limit={200} />
          ))}
        </div>
      ) : null}
    </li>
  );
}
