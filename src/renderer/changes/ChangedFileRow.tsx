import { ChevronRight, MessageSquarePlus, SquareArrowOutUpRight, Undo2 } from 'lucide-react';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import type { ChangedFile, ChangedText } from '../../shared/changes';
import { mentionText } from '../../shared/project-file';
import type { DiffHunk } from '../../shared/tool-call';
import { ChangeCount, DiffView } from '../diff/DiffView';
import { commentKey } from '../store/browser-storage';
import { editFile } from '../store/files';
import { reported } from '../store/toasts';
import { useLathe } from '../store/use-lathe';
import { Button, IconButton } from '../ui/Button';
import { cx } from '../ui/css';
import { FocusBack, focusHome } from '../ui/Dialog';
import { TextArea } from '../ui/Fields';
import { Badge } from '../ui/Marks';
import { PathLine } from '../ui/VisibleText';
import { useDraft, useOpenDiff } from './kept';

const ACTS: Readonly<Record<ChangedFile['act'], string | null>> = {
  create: 'new',
  delete: 'deleted',
  change: null,
  mode: 'permissions',
};

interface ChangedFileRowProps {
  readonly file: ChangedFile;
  readonly sessionId: string;
  /** Another object whenever the differences were compared again. */
  readonly version: unknown;
  /** Old and new side by side. */
  readonly split: boolean;
  readonly onReverted: () => void;
}

/** One changed file: a press opens its difference, hunk by hunk. */
export function ChangedFileRow({ file, sessionId, ...rest }: ChangedFileRowProps) {
  const lathe = useLathe();
  const detail = useId();
  const { path } = file;
  const [open, setOpen] = useOpenDiff(sessionId, `session ${path}`);
  const name = file.kind === 'folder' ? `${path}/` : path;
  const openable = file.kind === 'file' && file.act !== 'mode' && file.binary !== true;
  const act = ACTS[file.act];
  return (
    <li>
      <div className="group flex items-center gap-1 pr-2 hover:bg-hover">
        <button
          type="button"
          disabled={!openable}
          aria-expanded={openable ? open : undefined}
          aria-controls={open ? detail : undefined}
          onClick={() => setOpen(!open)}
          className="flex min-h-7 min-w-0 flex-1 items-center gap-2 py-1 pl-3 text-left"
        >
          <ChevronRight
            size={13}
            aria-hidden
            className={cx('shrink-0 text-ink-3', open && 'rotate-90', !openable && 'invisible')}
          />
          <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-1">
            <PathLine
              text={name}
              title={name}
              className="min-w-0 flex-[1_1_8rem] font-mono text-[12.5px]"
            />
            {file.shared ? <Badge>changed by others too</Badge> : null}
            {file.binary ? <Badge>no text</Badge> : null}
            {act === null ? null : <Badge>{act}</Badge>}
          </span>
          {file.added === undefined || file.removed === undefined ? null : (
            <ChangeCount added={file.added} removed={file.removed} />
          )}
        </button>
        {file.kind === 'file' && file.act !== 'delete' ? (
          <IconButton
            icon={SquareArrowOutUpRight}
            label={`Open ${path} in the editor`}
            onClick={() => void editFile(lathe, { path })}
          />
        ) : null}
        <IconButton
          icon={Undo2}
          label={`Take the changes of ${path} back…`}
          onClick={() =>
            lathe.store.setState({
              dialog: { kind: 'restore', sessionId, point: { kind: 'file', path } },
            })
          }
        />
      </div>
      {open ? (
        <div id={detail} className="my-1 border-y border-line bg-canvas">
          <Hunks path={path} sessionId={sessionId} {...rest} />
        </div>
      ) : null}
    </li>
  );
}

/** The hunks of one file, fetched when they are looked at and whenever files were compared again. */
function Hunks({
  path,
  sessionId,
  version,
  split,
  onReverted,
}: Omit<ChangedFileRowProps, 'file'> & { readonly path: string }) {
  const { ask } = useLathe();
  const [text, setText] = useState<ChangedText | string | null>(null);
  useEffect(() => {
    let wanted = true;
    void ask((client) => client.changes.diff({ sessionId, path })).then((found) => {
      if (wanted) setText(found.ok ? found.value : found.error.message);
    });
    return () => {
      wanted = false;
    };
  }, [ask, sessionId, path, version]);
  if (text === null || typeof text === 'string' || text.hunks === null) {
    return (
      <p role="status" className="px-3 py-2 text-meta text-ink-3">
        {typeof text === 'string' ? text : text === null ? 'Comparing' : 'No text to compare.'}
      </p>
    );
  }
  const { hunks, now } = text;
  return hunks.map((hunk, at) => (
    <Hunk
      key={`${now}:${at}`}
      place={{ path, sessionId, now, at }}
      hunk={hunk}
      split={split}
      onReverted={onReverted}
    />
  ));
}

interface HunkPlace {
  readonly path: string;
  readonly sessionId: string;
  readonly now: string | null;
  readonly at: number;
}

function Hunk({
  place,
  hunk,
  split,
  onReverted,
}: {
  readonly place: HunkPlace;
  readonly hunk: DiffHunk;
  readonly split: boolean;
  readonly onReverted: () => void;
}) {
  const lathe = useLathe();
  const [busy, setBusy] = useState(false);
  const first = firstChanged(hunk);
  const { path, sessionId, now, at } = place;
  const draftKey = (of: number) => commentKey(sessionId, `${path}#L${of}`, lineText(hunk, of));
  // A comment that was begun stands there again.
  const [begun] = useState(() =>
    newLines(hunk).find((of) => lathe.drafts.get(draftKey(of)) !== ''),
  );
  const [opened, setOpened] = useState<number | null>();
  const line = opened === undefined ? (begun ?? null) : opened;
  const revert = async () => {
    if (now === null) return;
    setBusy(true);
    const done = await lathe.ask((client) =>
      client.changes.revertHunk({ sessionId, path, now, hunk: at }),
    );
    reported(lathe.store, done);
    setBusy(false);
    onReverted();
  };
  return (
    <section aria-label={`Change at line ${first}`}>
      <div className="flex items-center gap-1 border-b border-line bg-sunken px-3 py-0.5 text-meta text-ink-3">
        <span className="flex-1">Line {first}</span>
        <Button
          size="sm"
          variant="ghost"
          icon={MessageSquarePlus}
          aria-expanded={line !== null}
          onClick={() => setOpened(line === null ? first : null)}
        >
          Comment
        </Button>
        <Button
          size="sm"
          variant="ghost"
          icon={Undo2}
          busy={busy}
          disabled={now === null}
          onClick={() => void revert()}
        >
          Take back
        </Button>
      </div>
      <DiffView path={path} hunks={[hunk]} split={split} limit={200} onLine={setOpened} />
      {line === null ? null : (
        <Comment
          key={line}
          path={path}
          line={line}
          draftKey={draftKey(line)}
          isAsked={opened === line}
          onClose={() => setOpened(null)}
        />
      )}
    </section>
  );
}

/** A comment on a line, which goes into the next prompt with the place it is about. */
function Comment({
  path,
  line,
  draftKey,
  isAsked,
  onClose,
}: {
  readonly path: string;
  readonly line: number;
  readonly draftKey: string;
  /** The user opened it; otherwise it only stands there again. */
  readonly isAsked: boolean;
  readonly onClose: () => void;
}) {
  const lathe = useLathe();
  const [words, setWords] = useDraft(draftKey);
  const field = useRef<HTMLTextAreaElement>(null);
  // One goes on behind the words that are kept.
  useLayoutEffect(() => field.current?.setSelectionRange(words.length, words.length), []);
  useLayoutEffect(() => {
    const { activeElement, body } = document;
    // What stands there again takes the focus from nobody: words for the prompt would go into it.
    if (isAsked || activeElement === null || activeElement === body) field.current?.focus();
  }, [isAsked]);
  const close = () => {
    setWords('');
    onClose();
  };
  const add = () => {
    if (words.trim() === '') return;
    lathe.current.addToDraft(`${mentionText(`${path}#L${line}`)}: ${words.trim()}\n`);
    close();
    requestAnimationFrame(focusHome);
  };
  return (
    <div className="flex flex-col gap-2 border-y border-line bg-raised p-3">
      <FocusBack />
      <TextArea
        label={`Comment on line ${line}`}
        rows={2}
        ref={field}
        value={words}
        onChange={setWords}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) add();
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          close();
        }}
      />
      <div className="flex justify-end gap-2">
        <Button size="sm" onClick={close}>
          Cancel
        </Button>
        <Button size="sm" variant="primary" disabled={words.trim() === ''} onClick={add}>
          Add to prompt
        </Button>
      </div>
    </div>
  );
}

/** Returns the first line of a hunk that changed, as the file is numbered now. */
function firstChanged({ lines, newStart }: DiffHunk): number {
  const before = lines.findIndex((line) => line[0] !== ' ');
  return newStart + Math.max(0, before);
}

/** Returns the numbers of the lines of a hunk that the file has now. */
function newLines({ lines, newStart }: DiffHunk): readonly number[] {
  const kept = lines.filter((line) => line[0] !== '-');
  return kept.map((_, at) => newStart + at);
}

/** Returns what stands on a line of a hunk, by its number in the file now. */
const lineText = ({ lines, newStart }: DiffHunk, of: number): string =>
  lines.filter((line) => line[0] !== '-')[of - newStart]?.slice(1) ?? '';
