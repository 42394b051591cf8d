import { ChevronDown, ChevronUp, ShieldQuestion } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { Approval, ApprovalAnswer, RuleSuggestion } from '../../shared/permission';
import { Badge } from '../ui/Badge';
import { IconButton } from '../ui/IconButton';
import { AllowAlways } from './AllowAlways';
import { AnswerButtons } from './AnswerButtons';
import { DenyReason } from './DenyReason';
import { cycleTab, typingInTerminal } from './focus-inside';
import { type DialogIntent, dialogIntent } from './guard';
import { SubjectView } from './SubjectView';
import { useGuard } from './use-guard';
import { useMoreBelow } from './use-more-below';
import { WhyLine } from './WhyLine';

export interface ApprovalCardProps {
  readonly approval: Approval;
  readonly position: number;
  readonly total: number;
  readonly onMove: (by: number) => void;
  readonly onAnswer: (answer: ApprovalAnswer) => unknown;
  readonly home: string;
}

/** One question: the act, what exactly would run, why it asks, and the answers. */
export function ApprovalCard({
  approval,
  position,
  total,
  onMove,
  onAnswer,
  home,
}: ApprovalCardProps) {
  const frame = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const titleId = useId();
  const whyId = useId();
  const guard = useGuard();
  const moreBelow = useMoreBelow(body);
  const [panel, setPanel] = useState<'none' | 'always' | 'reason'>('none');
  const [busy, setBusy] = useState(false);
  const [focused, setFocused] = useState(false);
  // A command is one act: it is approved after its end was in view. A long diff may be approved at any point.
  const unseen = moreBelow && approval.subject.kind !== 'edit';

  useEffect(() => {
    if (!typingInTerminal()) frame.current?.focus({ preventScroll: true });
  }, []);

  const answer = async (given: ApprovalAnswer) => {
    if (busy) return;
    setBusy(true);
    try {
      await onAnswer(given);
    } finally {
      setBusy(false);
    }
  };
  const scrollBy = (pages: number) =>
    body.current?.scrollBy({ top: pages * body.current.clientHeight * 0.85 });
  const allow = (remember?: RuleSuggestion) => {
    if (guard.left() > 0) return guard.restart();
    if (unseen) {
      scrollBy(Number.MAX_SAFE_INTEGER);
      return guard.restart();
    }
    return answer({
      behavior: 'allow',
      digest: approval.digest,
      ...(remember === undefined ? {} : { remember }),
    });
  };
  const deny = (message = '') =>
    answer({ behavior: 'deny', ...(message.trim() === '' ? {} : { message: message.trim() }) });
  const closePanel = () => {
    setPanel('none');
    frame.current?.focus({ preventScroll: true });
  };

  const carryOut = (intent: DialogIntent): unknown => {
    switch (intent) {
      case 'allow':
        return allow();
      case 'deny':
        return deny();
      case 'closePanel':
        return closePanel();
      case 'giveReason':
        return setPanel('reason');
      case 'next':
        return onMove(1);
      case 'previous':
        return onMove(-1);
      case 'pageDown':
        return scrollBy(1);
      case 'pageUp':
        return scrollBy(-1);
      case 'toEnd':
        return scrollBy(Number.MAX_SAFE_INTEGER);
      case 'toStart':
        return scrollBy(-Number.MAX_SAFE_INTEGER);
      case 'stray':
        return guard.restart();
      case 'none':
        return undefined;
    }
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const intent = dialogIntent({
      key: event.key,
      repeat: event.repeat,
      composing: event.nativeEvent.isComposing,
      shift: event.shiftKey,
      modified: event.ctrlKey || event.metaKey || event.altKey,
      onFrame: event.target === frame.current,
      panelOpen: panel !== 'none',
      several: total > 1,
      guardLeft: guard.left(),
    });
    if (intent !== 'none') {
      event.preventDefault();
      event.stopPropagation();
      carryOut(intent);
    } else if (event.key === 'Tab' && frame.current && cycleTab(frame.current, event.shiftKey)) {
      event.preventDefault();
    }
  };

  return (
    <div
      ref={frame}
      role="dialog"
      aria-modal="true"
      aria-labelledby={titleId}
      aria-describedby={whyId}
      tabIndex={-1}
      data-focus="frame"
      data-armed={guard.armed}
      onKeyDown={onKeyDown}
      onFocus={() => setFocused(true)}
      onBlur={(event) => setFocused(event.currentTarget.contains(event.relatedTarget))}
      className="flex max-h-full w-full max-w-[720px] flex-col overflow-hidden rounded-lg border border-line-strong bg-raised shadow-dialog"
    >
      <header className="flex items-center gap-2 px-4 pt-3 pb-2">
        <ShieldQuestion size={18} aria-hidden className="shrink-0 text-waits" />
        <h2 id={titleId} className="min-w-0 truncate text-title font-semibold">
          {approval.title}
        </h2>
        {approval.agent === undefined ? null : <Badge>{approval.agent}</Badge>}
        <span className="flex-1" />
        {total > 1 ? <Queue position={position} total={total} onMove={onMove} /> : null}
      </header>
      <div ref={body} className="min-h-0 flex-1 overflow-y-auto px-4 pb-3">
        <SubjectView subject={approval.subject} home={home} />
      </div>
      {moreBelow ? (
        <p className="border-t border-line bg-waits-tint px-4 py-1 text-meta text-waits">
          There is more below.
        </p>
      ) : null}
      <div className="border-t border-line px-4 pt-2.5 pb-3">
        <WhyLine id={whyId} decision={approval.decision} home={home} />
        {panel === 'always' ? (
          <AllowAlways
            suggestions={approval.decision.suggestions}
            busy={busy || !guard.armed}
            onSave={allow}
            onCancel={closePanel}
          />
        ) : null}
        {panel === 'reason' ? <DenyReason busy={busy} onDeny={deny} onCancel={closePanel} /> : null}
        {panel === 'none' ? (
          <AnswerButtons
            busy={busy}
            armed={guard.armed}
            unseen={unseen}
            showKeys={focused}
            canRemember={approval.decision.suggestions.length > 0}
            onAllow={() => allow()}
            onAlways={() => setPanel('always')}
            onDeny={() => deny()}
            onReason={() => setPanel('reason')}
          />
        ) : null}
      </div>
    </div>
  );
}

function Queue({
  position,
  total,
  onMove,
}: {
  readonly position: number;
  readonly total: number;
  readonly onMove: (by: number) => void;
}) {
  return (
    <div className="flex shrink-0 items-center gap-0.5 text-meta text-ink-3 tabular-nums">
      <span className="mr-1">
        {position} of {total}
      </span>
      <IconButton icon={ChevronUp} label="Previous" keys="up" onClick={() => onMove(-1)} />
      <IconButton icon={ChevronDown} label="Next" keys="down" onClick={() => onMove(1)} />
    </div>
  );
}
