import { ChevronRight } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import type { GitChange, GitFile, StageDiff, StageHunk } from '../../shared/commit';
import { DiffView } from '../diff/DiffView';
import { useLathe } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { cx } from '../ui/css';
import { Badge } from '../ui/Marks';
import { PathLine, VisibleText } from '../ui/VisibleText';
import { useOpenDiff } from './kept';

const WORDS: Readonly<Record<GitChange, string | null>> = {
  new: 'new',
  changed: null,
  deleted: 'deleted',
  renamed: 'renamed',
  conflict: 'conflict',
};

interface StagedFileRowProps {
  readonly file: GitFile;
  readonly sessionId: string;
  /** Another object whenever git was asked again. */
  readonly version: unknown;
  /** Something is being staged or committed. */
  readonly busy: boolean;
  readonly onStage: (path: string, staged: boolean, hunk?: string) => void;
}

/** One path that git shows as changed: its box stages it whole, a press opens its hunks. */
export function StagedFileRow({ file, sessionId, version, busy, onStage }: StagedFileRowProps) {
  const detail = useId();
  const { path, from, staged, unstaged } = file;
  const [open, setOpen] = useOpenDiff(sessionId, `commit ${path}`);
  const word = WORDS[unstaged ?? staged ?? 'changed'];
  const isPart = staged !== null && unstaged !== null;
  return (
    <li>
      <div className="group flex items-center gap-1 px-3 hover:bg-hover">
        <input
          type="checkbox"
          aria-label={`Stage ${path}`}
          checked={staged !== null && !isPart}
          disabled={busy}
          ref={(box) => {
            if (box) box.indeterminate = isPart;
          }}
          onChange={() => onStage(path, unstaged !== null)}
          className="size-3.5 shrink-0 accent-accent-fill"
        />
        <button
          type="button"
          aria-expanded={open}
          aria-controls={open ? detail : undefined}
          onClick={() => setOpen(!open)}
          className="flex min-h-7 min-w-0 flex-1 items-center gap-2 py-1 pl-1 text-left"
        >
          <ChevronRight
            size={13}
            aria-hidden
            className={cx('shrink-0 text-ink-3', open && 'rotate-90')}
          />
          <span
            className="flex min-w-0 flex-1 flex-wrap gap-x-2 font-mono text-[12.5px]"
            title={from === undefined ? path : `${from} → ${path}`}
          >
            <PathLine text={path} className="max-w-full" />
            {from === undefined ? null : (
              <span className="max-w-full truncate text-ink-3">
                {'← '}
                <VisibleText text={from} />
              </span>
            )}
          </span>
          {isPart ? <Badge>partly staged</Badge> : null}
          {word === null ? null : <Badge>{word}</Badge>}
        </button>
      </div>
      {open ? (
        <div id={detail} className="my-1 border-y border-line bg-canvas">
          <Halves
            {...{ file, sessionId, version, busy }}
            onStage={(to, hunk) => onStage(path, to, hunk)}
          />
        </div>
      ) : null}
    </li>
  );
}

interface HalvesProps extends Pick<StagedFileRowProps, 'file' | 'sessionId' | 'version' | 'busy'> {
  readonly onStage: (staged: boolean, hunk: string) => void;
}

/** The hunks that the next commit takes in and those it leaves out, fetched when they are looked at. */
function Halves({ file, sessionId, version, busy, onStage }: HalvesProps) {
  const { ask } = useLathe();
  const { path } = file;
  const [diff, setDiff] = useState<StageDiff | string | null>(null);
  useEffect(() => {
    let wanted = true;
    void ask((client) => client.commits.diff({ sessionId, path })).then((found) => {
      if (wanted) setDiff(found.ok ? found.value : found.error.message);
    });
    return () => {
      wanted = false;
    };
  }, [ask, sessionId, path, version]);
  if (diff === null || typeof diff === 'string') return <Words text={diff ?? 'Comparing'} />;
  if (diff.staged === null || diff.unstaged === null)
    return <Words text="This can only be staged whole: it is no text in UTF-8, or too long." />;
  if (diff.staged.length + diff.unstaged.length === 0)
    return (
      <Words text={file.unstaged === 'new' ? 'A new file: stage it whole.' : 'No text differs.'} />
    );
  const halves = [
    { hunks: diff.unstaged, isStaged: false },
    { hunks: diff.staged, isStaged: true },
  ];
  return halves.flatMap(({ hunks, isStaged }) =>
    hunks.map((hunk) => (
      <Half
        key={hunk.id}
        {...{ path, hunk, isStaged, busy }}
        onPress={() => onStage(!isStaged, hunk.id)}
      />
    )),
  );
}

const Words = ({ text }: { readonly text: string }) => (
  <p role="status" className="px-3 py-2 text-meta text-ink-3">
    {text}
  </p>
);

function Half({
  path,
  hunk,
  isStaged,
  busy,
  onPress,
}: {
  readonly path: string;
  readonly hunk: StageHunk;
  readonly isStaged: boolean;
  readonly busy: boolean;
  readonly onPress: () => void;
}) {
  const state = isStaged ? 'staged' : 'not staged';
  return (
    <section aria-label={`Lines from ${hunk.newStart}, ${state}`}>
      <div className="flex items-center gap-2 border-b border-line bg-sunken px-3 py-0.5 text-meta text-ink-3">
        <span>Lines from {hunk.newStart}</span>
        {isStaged ? <Badge>staged</Badge> : null}
        <span className="flex-1" />
        <Button size="sm" variant="ghost" disabled={busy} onClick={onPress}>
          {isStaged ? 'Unstage' : 'Stage'}
        </Button>
      </div>
      <DiffView path={path} hunks={[hunk]} limit={200} />
    </section>
  );
}
