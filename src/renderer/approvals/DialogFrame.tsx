import { ChevronDown, ChevronUp, type LucideIcon } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useKeymap } from '../commands/use-keymap';
import { IconButton, Kbd } from '../ui/Button';
import { cx } from '../ui/css';
import { takeFocus } from '../ui/Dialog';
import { onApple, pressOf } from '../ui/keys';
import { Badge } from '../ui/Marks';
import { Picker } from '../ui/Menu';
import { MoreBelow, useLinesBelow } from '../ui/ScrollArea';
import { VisibleText } from '../ui/VisibleText';
import { type AnswerIntent, dialogIntent } from './guard';
import type { Asking } from './use-asking';

/** The questions that wait, and which of them is on screen. */
export interface QuestionQueue {
  readonly index: number;
  /** A short name of each. */
  readonly names: readonly string[];
  /** Shows another one; an index beyond the ends goes round. */
  readonly onShow: (index: number) => void;
}

interface DialogFrameProps {
  readonly asking: Asking;
  readonly queue: QuestionQueue;
  readonly icon: LucideIcon;
  readonly title: string;
  /** The sub-agent that asks, if any. */
  readonly agent: string | undefined;
  /** The element that says why it asks. */
  readonly describedBy: string;
  readonly wide?: boolean;
  /** At the right of the title. */
  readonly tools?: ReactNode;
  /** Between the title and what scrolls. */
  readonly above?: ReactNode;
  readonly onIntent: (intent: AnswerIntent) => unknown;
  /** A key of this kind of question; true when it was used up. */
  readonly onKey?: (event: KeyboardEvent<HTMLDivElement>) => boolean;
  readonly children: ReactNode;
  /** The answers; told whether the dialog has the keyboard. */
  readonly footer: (focused: boolean) => ReactNode;
}

/** The frame of every question: title and queue above, what is asked in a scrolling box, the answers below. */
export function DialogFrame({
  asking,
  queue,
  icon: Icon,
  title,
  agent,
  describedBy,
  wide = false,
  tools,
  above,
  onIntent,
  onKey,
  children,
  footer,
}: DialogFrameProps) {
  const keymap = useKeymap();
  const titleId = useId();
  const [focused, setFocused] = useState(false);
  const { frame, body, guard, reading } = asking;
  const foot = useRef<HTMLElement>(null);
  const answers = useLinesBelow(foot);

  useEffect(() => {
    const own = frame.current;
    if (own === null || typingInTerminal()) return undefined;
    // Where the page scrolls, it is read from its title on.
    own.scrollIntoView({ block: 'start' });
    return takeFocus(own);
  }, [frame]);

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    // A menu of the dialog is drawn elsewhere; its keys are its own.
    if (!(event.target instanceof Node && event.currentTarget.contains(event.target))) return;
    if (onKey?.(event)) return event.preventDefault();
    const intent = dialogIntent(keymap, {
      ...pressOf(event, onApple()),
      repeat: event.repeat,
      composing: event.nativeEvent.isComposing,
      onFrame: event.target === frame.current,
      panelOpen: asking.panel !== 'none',
      several: queue.names.length > 1,
      guardLeft: guard.left(),
    });
    if (intent !== 'none') {
      event.preventDefault();
      event.stopPropagation();
      if (intent === 'stray') guard.restart();
      else if (intent === 'closePanel') asking.closePanel();
      else if (intent === 'next' || intent === 'previous')
        queue.onShow(queue.index + (intent === 'next' ? 1 : -1));
      else if (typeof intent === 'object') asking.scrollBy(intent.pages);
      else onIntent(intent);
    } else if (event.key === 'Tab' && frame.current && cycleTab(frame.current, event.shiftKey)) {
      event.preventDefault();
    }
  };

  return (
    <div
      ref={frame}
      role="dialog"
      aria-labelledby={titleId}
      aria-describedby={describedBy}
      tabIndex={-1}
      data-focus="frame"
      data-armed={guard.armed}
      onKeyDown={onKeyDown}
      onFocus={() => setFocused(true)}
      onBlur={(event) => setFocused(event.currentTarget.contains(event.relatedTarget))}
      className={cx(
        'flex max-h-full w-full flex-col overflow-hidden rounded-lg border border-line-strong bg-raised',
        wide ? 'max-w-[1100px]' : 'max-w-[720px]',
      )}
    >
      <header className="flex flex-wrap items-center gap-2 px-4 pt-3 pb-1">
        <div className="flex min-w-0 gap-2">
          <Icon size={18} aria-hidden className="mt-[3px] shrink-0 text-waits" />
          <h2
            id={titleId}
            className="min-w-0 text-title leading-6 font-semibold [overflow-wrap:anywhere]"
          >
            <VisibleText text={title} />
          </h2>
        </div>
        {agent === undefined ? null : <Badge>from {agent}</Badge>}
        <div className="ml-auto flex flex-wrap items-center justify-end gap-2">
          {tools}
          {queue.names.length > 1 ? <Queue {...queue} /> : null}
        </div>
      </header>
      {above}
      {reading.scrolled ? (
        <div aria-hidden data-edge="above" className="relative z-1 -mb-px border-t border-line" />
      ) : null}
      <div
        ref={body}
        {...(reading.scrolls ? { tabIndex: 0, role: 'group', 'aria-label': 'What is asked' } : {})}
        // What is asked gives up its room before the answers do.
        className={cx(
          'relative flex-[1_1000_auto] scroll-py-3 overflow-y-auto px-4 pt-1 pb-3',
          asking.panel === 'reason' || asking.panel === 'always'
            ? 'min-h-11 [@container(max-height:26rem)]:min-h-6'
            : 'min-h-14',
        )}
      >
        <div>{children}</div>
      </div>
      <MoreBelow lines={reading.below} onScroll={() => asking.scrollBy(1)} />
      <footer
        ref={foot}
        // No key that was for something else ever finds itself on an answer.
        data-focus-when-asked
        {...(answers.scrolls ? { tabIndex: 0, role: 'group', 'aria-label': 'Answers' } : {})}
        data-more={answers.below > 0}
        className="group/foot scroll-pb-12 overflow-y-auto border-t border-line px-4 pt-2.5 pb-3"
      >
        <div>{footer(focused)}</div>
      </footer>
    </div>
  );
}

/** The counter of questions that wait, with a list of them. */
function Queue({ index, names, onShow }: QuestionQueue) {
  const { keyOf } = useKeymap();
  return (
    <div className="flex shrink-0 items-center gap-0.5 text-meta text-ink-3">
      <Picker
        label={`${index + 1} of ${names.length} questions that wait`}
        look="inline"
        align="end"
        side="top"
        value={String(index)}
        options={names.map((label, at) => ({ value: String(at), label }))}
        onChange={(at) => onShow(Number(at))}
      >
        <span className="tabular-nums">
          {index + 1} of {names.length}
        </span>
      </Picker>
      <IconButton
        icon={ChevronUp}
        label="Previous"
        keys={keyOf('previous')}
        onClick={() => onShow(index - 1)}
      />
      <IconButton
        icon={ChevronDown}
        label="Next"
        keys={keyOf('next')}
        onClick={() => onShow(index + 1)}
      />
    </div>
  );
}

const FOCUSABLE =
  'a[href], button:not(:disabled), input:not(:disabled), textarea:not(:disabled), [tabindex]:not([tabindex="-1"])';

/**
 * Keeps Tab inside `frame`: from the last element to the first and back. Shift+Tab on the frame itself leads to the
 * conversation above it. True when the key was used up.
 */
function cycleTab(frame: HTMLElement, backwards: boolean): boolean {
  const stops = [...frame.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(
    (element) => element.getClientRects().length > 0,
  );
  const first = stops[0];
  const last = stops.at(-1);
  if (!first || !last) return true;
  const { activeElement } = document;
  const leaves = backwards ? activeElement === first : activeElement === last;
  if (!leaves) return false;
  (backwards ? last : first).focus();
  return true;
}

/** Returns true while the user types into a terminal, from which no dialog may take the focus. */
const typingInTerminal = (): boolean => document.activeElement?.closest('.xterm') != null;

/** The key of a button, drawn while the dialog has the keyboard. */
export function KeyCap({
  keys,
  shown,
  onFill = false,
}: {
  readonly keys: string;
  readonly shown: boolean;
  readonly onFill?: boolean;
}) {
  return shown && keys !== '' ? (
    // In a low window the answers need one line.
    <span aria-hidden className="inline-flex [@container(max-height:26rem)]:hidden">
      <Kbd keys={keys} tone={onFill ? 'fill' : 'plain'} />
    </span>
  ) : null;
}
