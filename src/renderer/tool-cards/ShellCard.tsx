import { ListTree, ShieldCheck, SquareTerminal } from 'lucide-react';
import type { ToolView } from '../../shared/tool-call';
import type { CallItem } from '../../shared/transcript';
import { useKeymap } from '../commands/use-keymap';
import { Button, CopyButton, Kbd } from '../ui/Button';
import { cx } from '../ui/css';
import { dataSize, elapsed, plural, timeTaken } from '../ui/format';
import { Badge } from '../ui/Marks';
import { VisibleText } from '../ui/VisibleText';
import { CardFrame, type OnCardAction, Output } from './CardFrame';
import { backgroundOffer } from './call-summary';

type ShellView = Extract<ToolView, { kind: 'shell' }>;

/** A command with the end of its output and how it ended. */
export function ShellCard({
  call,
  view,
  onAction,
}: {
  readonly call: CallItem;
  readonly view: ShellView;
  readonly onAction: OnCardAction;
}) {
  const output = view.tail.replace(/\n+$/, '');
  return (
    <CardFrame
      label="Output"
      header={
        <span className="whitespace-pre-wrap text-ink">
          <span aria-hidden className="mr-2 select-none text-ink-3">
            $
          </span>
          <VisibleText text={view.command} />
        </span>
      }
      actions={<CopyButton text={() => view.command} label="Copy command" />}
      footer={
        <>
          <Outcome call={call} view={view} />
          <Inside view={view} />
          <span className="flex-1" />
          <Actions call={call} view={view} onAction={onAction} />
        </>
      }
    >
      {output === '' ? (
        <p className="px-3 py-2 text-meta text-ink-3">
          {call.status === 'running' ? 'No output yet.' : 'No output.'}
        </p>
      ) : (
        <Output text={output} />
      )}
    </CardFrame>
  );
}

/** Offers to let a command go on in the background, with the time that is left and what happens then. */
export function BackgroundOfferBar({
  call,
  now,
  onAction,
}: {
  readonly call: CallItem;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly onAction: OnCardAction;
}) {
  const { keyOf } = useKeymap();
  const offer = backgroundOffer(call, now);
  if (offer === null) return null;
  const terminalId = call.view?.kind === 'shell' ? call.view.terminalId : undefined;
  const keys = keyOf('background');
  const left = elapsed(offer.leftMs);
  return (
    <div className="mt-1 mb-1.5 ml-8 flex flex-wrap items-center gap-x-2 gap-y-1 rounded-md border border-line bg-sunken px-3 py-1.5 text-meta text-ink-2">
      <span className="tabular-nums" role={offer.waitsForInput ? 'status' : undefined}>
        {offer.waitsForInput ? <span className="text-waits">Waits for input. </span> : null}
        {offer.atLimit === 'moves' ? `Moves to the background in ${left}` : `Ends in ${left}`}
      </span>
      <span className="flex-1" />
      {offer.waitsForInput && terminalId !== undefined ? (
        <Button
          size="sm"
          icon={SquareTerminal}
          onClick={() => onAction({ type: 'takeWheel', terminalId })}
        >
          Answer in its terminal
        </Button>
      ) : null}
      <Button size="sm" onClick={() => onAction({ type: 'background', callId: call.id })}>
        {offer.atLimit === 'moves' ? 'Move now' : 'Keep it in the background'}
        {keys === '' ? null : <Kbd keys={keys} />}
      </Button>
    </div>
  );
}

/** A badge for the sandbox, and the accesses it blocked. */
function Inside({ view }: { readonly view: ShellView }) {
  if (!view.sandboxed) return null;
  const stopped = view.blocked ?? [];
  return (
    <>
      <Badge>
        <ShieldCheck size={11} aria-hidden />
        sandboxed
      </Badge>
      {stopped.length === 0 ? null : (
        <span className="order-last basis-full text-waits [overflow-wrap:anywhere]">
          stopped: <VisibleText text={stopped.join(', ')} />
        </span>
      )}
    </>
  );
}

function Outcome({ call, view }: { readonly call: CallItem; readonly view: ShellView }) {
  const shownLines = view.tail.trimEnd().split('\n').length;
  const facts = [
    view.totalLines > shownLines
      ? `last ${plural(shownLines, 'line')} of ${view.totalLines.toLocaleString('en-US')}`
      : undefined,
    view.totalBytes === undefined || view.totalLines <= shownLines
      ? undefined
      : dataSize(view.totalBytes),
    timeTaken(call.durationMs ?? 0),
    view.note,
  ].filter((fact) => fact !== undefined && fact !== '');
  return (
    <>
      {view.exitCode === null ? null : (
        <span
          className={cx(
            'tabular-nums',
            view.exitCode !== 0 && call.status === 'failed' && 'text-failed',
          )}
        >
          exit {view.exitCode}
        </span>
      )}
      {facts.map((fact) => (
        <span key={fact} className="tabular-nums">
          {fact}
        </span>
      ))}
    </>
  );
}

function Actions({
  call,
  view,
  onAction,
}: {
  readonly call: CallItem;
  readonly view: ShellView;
  readonly onAction: OnCardAction;
}) {
  const { taskId, terminalId } = view;
  return (
    <>
      {call.status === 'running' && !view.background ? (
        <Button
          size="sm"
          variant="ghost"
          onClick={() => onAction({ type: 'background', callId: call.id })}
        >
          Move to background
        </Button>
      ) : null}
      {taskId === undefined || !view.background ? null : (
        <Button
          size="sm"
          variant="ghost"
          icon={ListTree}
          onClick={() => onAction({ type: 'showTask', taskId })}
        >
          Task
        </Button>
      )}
      {terminalId === undefined ? null : (
        <Button
          size="sm"
          variant="ghost"
          icon={SquareTerminal}
          onClick={() => onAction({ type: 'showTerminal', terminalId })}
        >
          Terminal
        </Button>
      )}
    </>
  );
}
