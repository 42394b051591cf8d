import { GitCommitHorizontal, RefreshCw, Sparkles, Square } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { type CommitReport, type GitChanges, MAX_COMMIT_MESSAGE } from '../../shared/commit';
import type { Fault } from '../../shared/result';
import { commitDraftKey, commitStaged, dismissCommit, stopCommit } from '../store/commits';
import { reported } from '../store/toasts';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button, IconButton } from '../ui/Button';
import { TextArea } from '../ui/Fields';
import { plural } from '../ui/format';
import { EmptyState, Notice } from '../ui/Notice';
import { VisibleText } from '../ui/VisibleText';
import { useDraft } from './kept';
import { StagedFileRow } from './StagedFileRow';

interface CommitPanelProps {
  readonly sessionId: string;
  readonly changes: GitChanges;
  /** Asks git again. */
  readonly onChanged: () => void;
}

/** Shows what git has as changed, to be staged and committed. Nothing is staged or committed without a press. */
export function CommitPanel({ sessionId, changes, onChanged }: CommitPanelProps) {
  const lathe = useLathe();
  const { ask, store } = lathe;
  const [working, setWorking] = useState<'stage' | 'draft' | null>(null);
  const state = useScreen((s) => s.commits[sessionId] ?? null);
  const end = state === 'running' ? null : state;
  const busy = state === 'running' ? 'commit' : working;
  const [message, setMessage] = useDraft(commitDraftKey(sessionId));
  const { files, count, stagedCount, branch } = changes;

  const during = async (what: NonNullable<typeof working>, act: () => Promise<unknown>) => {
    setWorking(what);
    await act();
    setWorking(null);
  };
  // Also when it ended while another page was shown.
  useEffect(() => {
    if (end !== null) onChanged();
  }, [end, onChanged]);
  const stage = (path: string, staged: boolean, hunk?: string) =>
    void during('stage', async () => {
      const part = hunk === undefined ? {} : { hunk };
      reported(store, await ask((c) => c.commits.stage({ sessionId, path, staged, ...part })));
      onChanged();
    });
  const draft = () =>
    during('draft', async () => {
      const drafted = await ask((client) => client.commits.draft({ sessionId }));
      reported(store, drafted);
      if (drafted.ok) setMessage(drafted.value);
    });
  const label = branch === null ? 'Commit message' : `Commit message, on ${branch}`;

  return (
    <div className="pt-1">
      {end === null ? null : (
        <CommitEnd end={end} onDismiss={() => dismissCommit(lathe, sessionId)} />
      )}
      {count === 0 ? (
        <EmptyState
          icon={GitCommitHorizontal}
          title="Nothing to commit"
          text="Files that differ from the last commit are listed here."
        />
      ) : (
        <ul aria-label="Files to commit" className="pb-1">
          {files.map((file) => (
            <StagedFileRow
              key={file.path}
              {...{ file, sessionId, version: changes, busy: busy !== null, onStage: stage }}
            />
          ))}
          {files.length < count ? (
            <li className="px-3 py-1.5 text-meta text-ink-3">and {count - files.length} more</li>
          ) : null}
        </ul>
      )}
      <div className="sticky bottom-0 flex flex-col gap-2 border-t border-line bg-side px-3 py-2">
        {count === 0 ? null : (
          <TextArea
            label={label}
            hideLabel
            placeholder={label}
            rows={1}
            mono
            className="field-sizing-content max-h-24"
            value={message}
            maxLength={MAX_COMMIT_MESSAGE}
            disabled={busy === 'commit' || busy === 'draft'}
            onChange={setMessage}
          />
        )}
        <div className="flex flex-wrap items-center gap-2 text-meta text-ink-3">
          <span>
            {stagedCount} of {plural(count, 'file')} staged
          </span>
          <IconButton icon={RefreshCw} label="Ask git again" onClick={onChanged} />
          <span className="ml-auto flex flex-wrap justify-end gap-2">
            {count === 0 ? null : busy === 'commit' ? (
              <Button size="sm" icon={Square} onClick={() => void stopCommit(lathe, sessionId)}>
                Stop
              </Button>
            ) : (
              <Button
                size="sm"
                icon={Sparkles}
                busy={busy === 'draft'}
                disabled={stagedCount === 0 || busy !== null}
                onClick={() => void draft()}
              >
                Draft message
              </Button>
            )}
            {count === 0 ? null : (
              <Button
                size="sm"
                variant="primary"
                icon={GitCommitHorizontal}
                busy={busy === 'commit'}
                disabled={stagedCount === 0 || message.trim() === '' || busy !== null}
                onClick={() => void commitStaged(lathe, sessionId, message)}
              >
                Commit
              </Button>
            )}
          </span>
        </div>
      </div>
    </div>
  );
}

/** Says whether the commit was made, with what git and its hooks printed. */
function CommitEnd({
  end,
  onDismiss,
}: {
  readonly end: CommitReport | Fault;
  readonly onDismiss: () => void;
}) {
  const isFault = 'code' in end;
  const made = !isFault && end.commit !== null;
  const output = isFault ? (end.fix ?? '') : end.output;
  const title = isFault
    ? end.message
    : end.commit !== null
      ? `Committed ${end.commit}`
      : end.stopped === true
        ? 'Stopped, not committed'
        : 'Not committed';
  const level = made ? 'info' : !isFault && end.stopped === true ? 'warning' : 'error';
  // It stands above the list, which may be scrolled, and scrolls away with it.
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (end !== null) place.current?.scrollIntoView({ block: 'start' });
  }, [end]);
  return (
    <div ref={place} className="px-3 pt-1 pb-2">
      <Notice level={level} title={title} onDismiss={onDismiss}>
        {output === '' ? undefined : (
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keyboard too
            tabIndex={0}
            className="max-h-30 overflow-auto whitespace-pre-wrap font-mono text-[12px]"
          >
            <VisibleText text={output} />
          </pre>
        )}
      </Notice>
    </div>
  );
}
