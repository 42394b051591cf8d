import { ChevronRight } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import type { RestoreDiff, RestoreFile, RestorePoint } from '../../shared/checkpoint';
import { ChangeCount, DiffView } from '../diff/DiffView';
import { useLathe } from '../store/use-lathe';
import { cx } from '../ui/css';
import { ScrollArea } from '../ui/ScrollArea';
import { VisiblePath } from '../ui/VisibleText';

interface ListProps {
  readonly sessionId: string;
  readonly point: RestorePoint;
}

/** Lists what happens to each path; a press opens the difference. `count` may be more than is listed. */
export function RestoreFileList({
  label,
  files,
  count,
  ...place
}: ListProps & {
  readonly label: string;
  readonly files: readonly RestoreFile[];
  readonly count: number;
}) {
  return (
    <section aria-label={label}>
      <h3 className="pb-1 text-meta font-medium text-ink-2">{label}</h3>
      <ul className="overflow-hidden rounded-md border border-line">
        {files.map((file) => (
          <FileRow key={file.path} file={file} {...place} />
        ))}
        {files.length === count ? null : (
          <li className="px-3 py-1.5 text-meta text-ink-3">and {count - files.length} more</li>
        )}
      </ul>
    </section>
  );
}

const ACTS: Readonly<Record<RestoreFile['act'], string>> = {
  create: 'Brought back',
  change: 'Changed',
  delete: 'Removed',
  mode: 'Permissions',
};

function FileRow({ file, ...place }: ListProps & { readonly file: RestoreFile }) {
  const [open, setOpen] = useState(false);
  const detail = useId();
  const openable = file.kind === 'file' && file.act !== 'mode' && file.binary !== true;
  return (
    <li className="border-b border-line last:border-b-0">
      <button
        type="button"
        disabled={!openable}
        aria-expanded={openable ? open : undefined}
        aria-controls={open ? detail : undefined}
        onClick={() => setOpen(!open)}
        className={cx(
          'flex min-h-8 w-full items-center gap-2 px-3 py-1 text-left text-code',
          openable && 'hover:bg-hover',
        )}
      >
        <ChevronRight
          size={13}
          aria-hidden
          className={cx('shrink-0 text-ink-3', open && 'rotate-90', !openable && 'invisible')}
        />
        <span className="min-w-0 flex-1 font-mono text-[12.5px] [overflow-wrap:anywhere]">
          <VisiblePath text={file.kind === 'folder' ? `${file.path}/` : file.path} />
        </span>
        <span className="shrink-0 text-meta text-ink-3">
          {ACTS[file.act]}
          {file.binary ? ', no text' : ''}
        </span>
        {file.added === undefined || file.removed === undefined ? null : (
          <ChangeCount added={file.added} removed={file.removed} />
        )}
      </button>
      {open ? (
        <div id={detail} className="border-t border-line">
          <FileDifference path={file.path} {...place} />
        </div>
      ) : null}
    </li>
  );
}

/** The difference that a restore makes to one file, fetched when it is looked at. */
function FileDifference({ sessionId, point, path }: ListProps & { readonly path: string }) {
  const { ask } = useLathe();
  const [diff, setDiff] = useState<RestoreDiff | string | null>(null);
  useEffect(() => {
    let wanted = true;
    void ask((client) => client.restore.diff({ sessionId, point, path })).then((found) => {
      if (wanted) setDiff(found.ok ? found.value : found.error.message);
    });
    return () => {
      wanted = false;
    };
  }, [ask, sessionId, point, path]);
  if (diff === null || typeof diff === 'string' || diff.hunks === null) {
    return (
      <p role="status" className="px-3 py-2 text-meta text-ink-3">
        {typeof diff === 'string' ? diff : diff === null ? 'Comparing' : 'No text to compare.'}
      </p>
    );
  }
  return (
    <ScrollArea label={`Difference of ${path}`} className="max-h-72">
      <DiffView path={path} hunks={diff.hunks} />
    </ScrollArea>
  );
}
