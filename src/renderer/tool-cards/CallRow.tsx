import { ChevronRight, Square, Undo2 } from 'lucide-react';
import { type KeyboardEvent, memo, useId } from 'react';
import type { CallItem } from '../../shared/transcript';
import { ChangeCount } from '../diff/DiffView';
import { Button, IconButton } from '../ui/Button';
import { cutMarks } from '../ui/combining';
import { cx } from '../ui/css';
import { plural } from '../ui/format';
import { callState, StateGlyph, TOLD_BY_QUESTION } from '../ui/Marks';
import { useNow } from '../ui/use-now';
import { PathLine, VisibleProse, VisibleText } from '../ui/VisibleText';
import { AgentCard } from './AgentCard';
import type { OnCardAction } from './CardFrame';
import { type CallMeta, callMeta, hasDetail, liveTail, readableError } from './call-summary';
import { DiffCard, FileCard, GenericCard, SearchCard } from './FileCards';
import { PlanCard, QuestionCard, TodoCard } from './PlanningCards';
import { BackgroundOfferBar, ShellCard } from './ShellCard';

/** Lines of live output under a running call that is closed. */
const LIVE_LINES = 5;

/** A call that runs this long can be stopped: on quicker ones the button would only flash. Milliseconds. */
const STOPPABLE_AFTER_MS = 1000;

interface CallRowProps {
  readonly call: CallItem;
  readonly open: boolean;
  readonly onToggle: (callId: string, open: boolean) => void;
  readonly onAction: OnCardAction;
}

/** Shows one call as one line: state, verb, target, one fact. Click, Enter or → opens it, ← closes it. */
export const CallRow = memo(function CallRow({ call, open, onToggle, onAction }: CallRowProps) {
  const detailId = useId();
  const now = useNow(call.status === 'running', 1000, call.startedAt ?? null);
  const openable = hasDetail(call);
  const shown = open && openable;
  const tail = shown ? '' : liveTail(call, LIVE_LINES);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowRight' && event.key !== 'ArrowLeft') return;
    event.preventDefault();
    if (openable) onToggle(call.id, event.key === 'ArrowRight');
  };
  const stoppable =
    call.status === 'running' && now - (call.startedAt ?? now) >= STOPPABLE_AFTER_MS;
  const isAsked = callState(call.status) === 'waits' && !shown;
  return (
    <div className={isAsked ? TOLD_BY_QUESTION : undefined}>
      <div className="flex items-center gap-1">
        <button
          type="button"
          data-path={pathOf(call)}
          aria-expanded={openable ? shown : undefined}
          aria-controls={shown ? detailId : undefined}
          disabled={!openable}
          onClick={() => onToggle(call.id, !open)}
          onKeyDown={onKeyDown}
          className={cx(
            'group flex h-7 w-full min-w-0 items-center gap-2 rounded-md px-2 text-left text-code transition-colors duration-100',
            openable && 'hover:bg-hover',
          )}
        >
          <StateGlyph state={callState(call.status)} quiet={call.status === 'done'} />
          <span title={call.title.verb} className="max-w-[65%] shrink-0 truncate font-medium">
            {call.title.verb}
          </span>
          <Target call={call} />
          <Meta meta={callMeta(call, now)} />
          <ChevronRight
            size={13}
            aria-hidden
            className={cx(
              'shrink-0 text-ink-3 transition-transform duration-100',
              shown && 'rotate-90',
              !openable && 'invisible',
              !shown && 'opacity-60 group-hover:opacity-100 group-focus-visible:opacity-100',
            )}
          />
        </button>
        {stoppable ? (
          <IconButton
            icon={Square}
            label={stopLabel(call)}
            onClick={() => onAction({ type: 'cancelCall', callId: call.id })}
          />
        ) : null}
      </div>
      {tail === '' ? null : (
        <pre
          data-live-tail
          className="mt-0.5 mb-1 ml-8 overflow-hidden border-l border-line pl-3 text-[12px] leading-[18px] text-ink-3"
        >
          {tail.split('\n').map((line, index) => (
            <span key={`${index}:${line}`} className="block truncate">
              {line === '' ? '\u00a0' : cutMarks(line)}
            </span>
          ))}
        </pre>
      )}
      <BackgroundOfferBar call={call} now={now} onAction={onAction} />
      {shown ? (
        <div id={detailId} className="mt-1 mb-3 ml-8">
          <CallCard call={call} onAction={onAction} />
          <ChangedFiles call={call} onAction={onAction} />
        </div>
      ) : null}
    </div>
  );
});

/** Returns the file that a call is about, for the context menu. */
const pathOf = ({ view }: CallItem): string | undefined =>
  view?.kind === 'file' || view?.kind === 'diff' ? view.path : undefined;

/** The subject of the call, on one line. */
function Target({ call }: { readonly call: CallItem }) {
  const { target } = call.title;
  const line = {
    text: target.replace(/\s+/g, ' '),
    title: target,
    className: 'min-w-0 flex-1 font-mono text-[12.5px] text-ink-2',
  };
  if (pathOf(call) !== undefined) return <PathLine {...line} />;
  return (
    <span title={line.title} className={cx('truncate', line.className)}>
      {PROSE.has(call.view?.kind ?? '') ? (
        <VisibleProse text={line.text} />
      ) : (
        <VisibleText text={line.text} />
      )}
    </span>
  );
}

/** Calls that are about words of a model. */
const PROSE: ReadonlySet<string> = new Set(['todo', 'question', 'plan', 'agent']);

/** Names the call to be stopped; a long target is cut, for it stands in the row already. */
const stopLabel = ({ title: { verb, target } }: CallItem): string =>
  `Stop ${verb} ${target.length > 60 ? `${target.slice(0, 59)}…` : target}`.trim();

const TONES = { quiet: 'text-ink-3', failed: 'text-failed', waits: 'text-waits' } as const;

function Meta({ meta }: { readonly meta: CallMeta }) {
  if (meta.kind === 'changes') return <ChangeCount added={meta.added} removed={meta.removed} />;
  return (
    <span className={cx('max-w-[45%] shrink-0 truncate text-meta tabular-nums', TONES[meta.tone])}>
      {meta.text}
    </span>
  );
}

/** Says how many files a call changed, and offers to take that back. */
function ChangedFiles({ call, onAction }: CardProps) {
  if (call.changed === undefined) return null;
  const { count, undone } = call.changed;
  return (
    <div className="mt-1 flex min-h-6 items-center gap-2 px-3 text-meta text-ink-3">
      <span>
        {undone ? 'Undone: ' : 'Changed '}
        {plural(count, 'file')}
      </span>
      {undone ? null : (
        <Button
          size="sm"
          variant="ghost"
          icon={Undo2}
          onClick={() => onAction({ type: 'restore', point: { kind: 'call', callId: call.id } })}
        >
          Undo…
        </Button>
      )}
    </div>
  );
}

interface CardProps {
  readonly call: CallItem;
  readonly onAction: OnCardAction;
}

/** The inside of one call, by the kind of its view, with the error under it when it failed. */
function CallCard({ call, onAction }: CardProps) {
  const error = readableError(call.error ?? '');
  const view = <View call={call} onAction={onAction} />;
  // A command's own output says more than the copy of it that the model got.
  const shellSaysIt = call.view?.kind === 'shell' && call.view.tail.trim() !== '';
  if (error === '' || shellSaysIt) return view;
  return (
    <div className="flex flex-col gap-2">
      <CallError text={error} denied={call.status === 'denied'} />
      {view}
    </div>
  );
}

function View({ call, onAction }: CardProps) {
  const { view } = call;
  if (view === null) return null;
  switch (view.kind) {
    case 'shell':
      return <ShellCard call={call} view={view} onAction={onAction} />;
    case 'diff':
      return <DiffCard view={view} onAction={onAction} />;
    case 'file':
      return <FileCard view={view} onAction={onAction} />;
    case 'search':
      return <SearchCard view={view} />;
    case 'todo':
      return <TodoCard view={view} />;
    case 'question':
      return <QuestionCard view={view} />;
    case 'plan':
      return <PlanCard view={view} />;
    case 'agent':
      return <AgentCard call={call} view={view} onAction={onAction} />;
    case 'generic':
      return <GenericCard view={view} />;
  }
}

/** The error of a call, in the words the model got. */
function CallError({ text, denied }: { readonly text: string; readonly denied: boolean }) {
  return (
    <div
      className={cx(
        'max-h-60 overflow-y-auto rounded-md px-3 py-2 text-code whitespace-pre-wrap [overflow-wrap:anywhere]',
        denied ? 'bg-sunken text-ink-2' : 'bg-failed-tint text-ink',
      )}
    >
      {text}
    </div>
  );
}
