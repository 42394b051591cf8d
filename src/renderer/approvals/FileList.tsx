import { Check, X } from 'lucide-react';
import type { RefObject } from 'react';
import { useKeymap } from '../commands/use-keymap';
import { ChangeCount } from '../diff/DiffView';
import { countChanges } from '../diff/diff-rows';
import { IconButton, Kbd } from '../ui/Button';
import { cx } from '../ui/css';
import { tildePath } from '../ui/format';
import { Badge } from '../ui/Marks';
import { VisiblePath } from '../ui/VisibleText';
import { ChangedNotice } from './AskingFooter';
import type { EditApproval } from './edit-group';
import { RealPath } from './SubjectView';
import { RiskLine, WhyLine } from './WhyLine';

interface FileListProps {
  /** The box that scrolls. */
  readonly listRef: RefObject<HTMLDivElement | null>;
  /** Nothing is drawn when there are none. */
  readonly edits: readonly EditApproval[];
  /** The chosen one. */
  readonly at: number;
  readonly home: string;
  /** Says of each file why it asks. */
  readonly reasons: boolean;
  readonly busy: boolean;
  readonly armed: boolean;
  readonly onSelect: (index: number) => void;
  readonly onAllow: (index: number) => unknown;
  readonly onDeny: (index: number) => unknown;
}

/** The files of one dialog, always in view: what is said about each, and its own answer. */
export function FileList(props: FileListProps) {
  const { edits, at } = props;
  const chosen = edits[at];
  return (
    <div
      className={edits.length === 0 ? 'hidden' : 'mx-4 mt-1.5 mb-2 rounded-md border border-line'}
    >
      <div ref={props.listRef} className="max-h-60 overflow-y-auto p-1 max-[30rem]:max-h-28">
        <ul aria-label="Files">
          {edits.map((edit, index) => (
            <FileRow key={edit.id} {...props} edit={edit} index={index} />
          ))}
        </ul>
      </div>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-3 py-1 text-meta text-ink-3 max-[30rem]:hidden">
        <Hint keys={['up', 'down']}>chooses a file</Hint>
        <Hint keys={['mod+enter']}>allows only this one</Hint>
        <Hint keys={['del']}>denies only this one</Hint>
      </p>
      <p role="status" className="sr-only">
        {chosen === undefined ? '' : `${chosen.subject.path}, ${at + 1} of ${edits.length} files`}
      </p>
    </div>
  );
}

function FileRow({
  edit,
  index,
  at,
  home,
  reasons,
  busy,
  armed,
  onSelect,
  onAllow,
  onDeny,
}: FileListProps & { readonly edit: EditApproval; readonly index: number }) {
  const { keyOf } = useKeymap();
  const { path, created, hunks } = edit.subject;
  const name = tildePath(path, home);
  return (
    <li
      data-file={index}
      className={cx(
        'flex items-start gap-0.5 rounded-sm px-2 py-0.5',
        index === at && 'bg-selected',
      )}
    >
      <div className="min-w-0 flex-1">
        <button
          type="button"
          aria-current={index === at}
          onClick={() => onSelect(index)}
          // Where the path wraps, all stand beside its first line.
          className="flex w-full items-start gap-2 rounded-sm text-left"
        >
          <span className="min-w-0 py-1 font-mono text-meta text-ink [overflow-wrap:anywhere]">
            <VisiblePath text={name} />
          </span>
          <span className="flex h-6 flex-1 items-center justify-between gap-2">
            {created ? <Badge>new file</Badge> : <span />}
            <ChangeCount {...countChanges(hunks)} />
          </span>
        </button>
        <FileNotes edit={edit} home={home} reason={reasons} />
      </div>
      <IconButton
        icon={Check}
        label={`Allow only ${name}`}
        keys={keyOf('allowOne')}
        disabled={busy}
        aria-disabled={!armed}
        onClick={() => onAllow(index)}
      />
      <IconButton
        icon={X}
        label={`Deny only ${name}`}
        keys={keyOf('denyOne')}
        disabled={busy}
        onClick={() => onDeny(index)}
      />
    </li>
  );
}

function Hint({ keys, children }: { readonly keys: readonly string[]; readonly children: string }) {
  return (
    <span className="inline-flex items-center gap-1">
      {keys.map((key) => (
        <Kbd key={key} keys={key} />
      ))}
      {children}
    </span>
  );
}

/** Facts about one file to know before it is changed; draws nothing when there are none. */
export function FileNotes({
  edit,
  home,
  reason,
}: {
  readonly edit: EditApproval;
  readonly home: string;
  /** Says why this file asks. */
  readonly reason: boolean;
}) {
  const { path, realPath } = edit.subject;
  return (
    <div className="mb-1 empty:hidden">
      <RealPath path={path} realPath={realPath} home={home} />
      {reason ? <WhyLine decision={edit.decision} home={home} small /> : null}
      <RiskLine risks={edit.risks ?? []} />
      {edit.changed === true ? <ChangedNotice /> : null}
    </div>
  );
}
