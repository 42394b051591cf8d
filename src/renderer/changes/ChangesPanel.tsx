import { FileDiff as FileDiffIcon, RefreshCw, Undo2 } from 'lucide-react';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Result } from '../../shared/result';
import type { Item, Transcript } from '../../shared/transcript';
import { ChangeCount } from '../diff/DiffView';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button, IconButton } from '../ui/Button';
import { Segmented } from '../ui/Fields';
import { plural } from '../ui/format';
import { Spinner } from '../ui/Marks';
import { EmptyState, Notice } from '../ui/Notice';
import { CallEdits } from './CallEdits';
import { ChangedFileRow } from './ChangedFileRow';
import { CommitPanel } from './CommitPanel';

const LAYOUTS = [
  { value: 'unified', label: 'Unified' },
  { value: 'split', label: 'Side by side' },
] as const;

const PAGES = [
  { value: 'session', label: 'This session' },
  { value: 'commit', label: 'To commit' },
] as const;

/** Shows what the session changed, and where there is git, what could be committed. */
export function ChangesPanel({ transcript }: { readonly transcript: Transcript | null }) {
  const { ask, store } = useLathe();
  const sessionId = transcript?.sessionId ?? null;
  const marks = useMarks(transcript);
  const page = useScreen((s) => s.changesPage);
  const { found, refresh } = useFetched(
    sessionId,
    marks,
    useCallback((id: string) => ask((client) => client.commits.view({ sessionId: id })), [ask]),
  );
  const changes = found?.ok ? found.value : null;
  if (sessionId === null) return <NoChanges />;
  return (
    <>
      {changes === null ? null : (
        <div className="px-3 pt-2">
          <Segmented
            label="Changes"
            value={page}
            options={PAGES}
            onChange={(changesPage) => store.setState({ changesPage })}
          />
        </div>
      )}
      {page === 'commit' && found === null ? (
        <Comparing />
      ) : page === 'commit' && changes !== null ? (
        <CommitPanel sessionId={sessionId} changes={changes} onChanged={refresh} />
      ) : (
        <SessionChangesList transcript={transcript} sessionId={sessionId} marks={marks} />
      )}
    </>
  );
}

/** All that the session changed in the project, as it differs now; shell commands and other agents included. */
function SessionChangesList({
  transcript,
  sessionId,
  marks,
}: {
  readonly transcript: Transcript | null;
  readonly sessionId: string;
  readonly marks: string;
}) {
  const lathe = useLathe();
  const { ask, store } = lathe;
  const layout = useScreen((s) => s.diffLayout);
  const { found: changes, refresh } = useFetched(
    sessionId,
    marks,
    useCallback((id: string) => ask((client) => client.changes.list({ sessionId: id })), [ask]),
  );
  if (changes === null) return <Comparing />;
  if (!changes.ok) {
    return (
      <>
        {changes.error.code === 'no_checkpoints' ? null : (
          <div className="p-3">
            <Notice level="warning" title={changes.error.message}>
              {changes.error.fix}
            </Notice>
          </div>
        )}
        <CallEdits transcript={transcript} />
      </>
    );
  }
  const { files, count } = changes.value;
  if (count === 0) return <NoChanges onRefresh={refresh} />;
  const sum = (numbers: readonly (number | undefined)[]) =>
    numbers.reduce<number>((total, one = 0) => total + one, 0);
  return (
    <div>
      <div className="flex flex-wrap items-center gap-2 px-3 pt-2 pb-1 text-meta text-ink-3">
        <span>{plural(count, 'file')}</span>
        <ChangeCount
          added={sum(files.map(({ added }) => added))}
          removed={sum(files.map(({ removed }) => removed))}
        />
        <span className="flex-1" />
        <IconButton icon={RefreshCw} label="Compare again" onClick={refresh} />
        <Button
          size="sm"
          icon={Undo2}
          onClick={() =>
            lathe.store.setState({
              dialog: { kind: 'restore', sessionId, point: { kind: 'session' } },
            })
          }
        >
          Take all back…
        </Button>
        <Segmented
          label="Layout of the differences"
          value={layout}
          options={LAYOUTS}
          onChange={(diffLayout) => store.setState({ diffLayout })}
        />
      </div>
      <ul aria-label="Changed files" className="pb-2">
        {files.map((file) => (
          <ChangedFileRow
            key={file.path}
            file={file}
            sessionId={sessionId}
            version={changes}
            split={layout === 'split'}
            onReverted={refresh}
          />
        ))}
        {files.length < count ? (
          <li className="px-3 py-1.5 text-meta text-ink-3">and {count - files.length} more</li>
        ) : null}
      </ul>
    </div>
  );
}

const Comparing = () => (
  <p role="status" className="flex items-center gap-2 px-3 py-3 text-code text-ink-3">
    <Spinner /> Comparing files
  </p>
);

function NoChanges({ onRefresh }: { readonly onRefresh?: () => void }) {
  return (
    <EmptyState
      icon={FileDiffIcon}
      title="No changes yet"
      text="Files that this session changes, by edits or commands, are listed here with their differences."
      action={
        onRefresh === undefined ? undefined : (
          <Button size="sm" icon={RefreshCw} onClick={onRefresh}>
            Compare again
          </Button>
        )
      }
    />
  );
}

/** Returns a text that is another one whenever calls or restores have changed files. */
function useMarks(transcript: Transcript | null): string {
  const committed = transcript?.committed;
  const active = transcript?.active;
  const before = useMemo(() => marksIn(committed ?? []), [committed]);
  const now = useMemo(() => marksIn(active ?? []), [active]);
  return `${before} ${now}`;
}

const marksIn = (items: readonly Item[]): string => {
  let changes = 0;
  let restores = 0;
  for (const item of items) {
    if (item.kind === 'call') changes += item.changed?.ids.length ?? 0;
    if (item.kind === 'divider' && item.code === 'files_restored') restores += 1;
  }
  return `${changes}/${restores}`;
};

/** Fetches something of a session, again whenever `marks` is another text. What was there stays until it comes. */
function useFetched<T>(
  sessionId: string | null,
  marks: string,
  fetch: (sessionId: string) => Promise<Result<T>>,
) {
  const [found, setFound] = useState<{ readonly of: string; readonly got: Result<T> } | null>(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (sessionId === null) return;
    let wanted = true;
    void fetch(sessionId).then((got) => {
      if (wanted) setFound({ of: sessionId, got });
    });
    return () => {
      wanted = false;
    };
  }, [fetch, sessionId, marks, turn]);
  const refresh = useCallback(() => setTurn((before) => before + 1), []);
  return { found: found?.of === sessionId ? found.got : null, refresh };
}
