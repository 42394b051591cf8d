import type { ReactNode } from 'react';
import type { DiffHunk } from '../../shared/tool-call';
import { Badge } from '../ui/Badge';
import { VisibleText } from '../ui/VisibleText';
import { DiffView } from './DiffView';
import { countChanges } from './diff-rows';

export interface FileDiffProps {
  /** As it should be read by a person; shown whole. */
  readonly path: string;
  readonly created: boolean;
  readonly hunks: readonly DiffHunk[];
  /** At the right of the header. */
  readonly actions?: ReactNode;
  readonly limit?: number;
  /** Old and new side by side instead of one under the other. */
  readonly split?: boolean;
}

/** One file's changes under a header with its path and counts. */
export function FileDiff({ path, created, hunks, actions, limit, split = false }: FileDiffProps) {
  const { added, removed } = countChanges(hunks);
  return (
    <section
      aria-label={`Changes in ${path}`}
      className="overflow-hidden rounded-md border border-line bg-canvas"
    >
      <header className="flex items-center gap-2 border-b border-line bg-sunken px-3 py-1.5">
        <span className="min-w-0 flex-1 font-mono text-meta text-ink-2 [overflow-wrap:anywhere]">
          <VisibleText text={path} />
        </span>
        {created ? <Badge>new file</Badge> : null}
        <ChangeCount added={added} removed={removed} />
        {actions}
      </header>
      <DiffView hunks={hunks} split={split} {...(limit === undefined ? {} : { limit })} />
    </section>
  );
}

/** "+4 −1" in the colours of a diff; a side that is 0 is left out. */
export function ChangeCount({
  added,
  removed,
}: {
  readonly added: number;
  readonly removed: number;
}) {
  return (
    <span
      role="img"
      aria-label={`${added} added, ${removed} removed`}
      className="inline-flex shrink-0 gap-1.5 font-mono text-meta tabular-nums"
    >
      {added > 0 || removed === 0 ? <span className="text-done">+{added}</span> : null}
      {removed > 0 ? <span className="text-failed">−{removed}</span> : null}
    </span>
  );
}
