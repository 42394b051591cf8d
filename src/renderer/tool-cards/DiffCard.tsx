import type { ToolView } from '../../shared/tool-call';
import { FileDiff } from '../diff/FileDiff';
import { CopyButton } from '../ui/CopyButton';
import type { OnCardAction } from './card-action';
import { OpenFileButton } from './OpenFileButton';

/** The change one call made to one file. */
export function DiffCard({
  view,
  onAction,
}: {
  readonly view: Extract<ToolView, { kind: 'diff' }>;
  readonly onAction: OnCardAction;
}) {
  const line = view.hunks[0]?.newStart;
  return (
    <FileDiff
      path={view.path}
      created={view.created}
      hunks={view.hunks}
      limit={120}
      actions={
        <>
          <CopyButton text={() => view.path} label="Copy path" />
          <OpenFileButton path={view.path} line={line} onAction={onAction} />
        </>
      }
    />
  );
}
