import { ArrowDown } from 'lucide-react';
import { type ReactNode, useCallback, useMemo, useRef, useState } from 'react';
import { Virtualizer } from 'virtua';
import type { Transcript } from '../../shared/transcript';
import type { OnCardAction } from '../tool-cards/card-action';
import { cx } from '../ui/cx';
import { ConversationRow } from './ConversationRow';
import { createCodeHighlighter } from './highlight';
import { liveLine } from './live-line';
import { MarkdownContext } from './markdown-context';
import type { PromptMenu } from './PromptRow';
import { itemRows, withActive } from './rows';
import { useStickToBottom } from './use-stick-to-bottom';

export interface ConversationProps {
  /** Give the component `key={sessionId}`: what is open and where the view stands belong to one session. */
  readonly transcript: Transcript;
  readonly onAction: OnCardAction;
  /** Further acts of a prompt; without it a prompt can only be copied. */
  readonly promptMenu?: PromptMenu;
  /** Shown instead of rows while nothing was said. */
  readonly empty?: ReactNode;
}

/** The conversation of one session. It fills its parent, scrolls by itself, and draws only the rows in view. */
export function Conversation({ transcript, onAction, promptMenu, empty }: ConversationProps) {
  const scroller = useRef<HTMLElement>(null);
  const committed = useMemo(() => itemRows(transcript.committed), [transcript.committed]);
  const rows = withActive(committed, transcript);
  const [openIds, setOpenIds] = useState<ReadonlySet<string>>(NOTHING);
  const toggle = useCallback((id: string, open: boolean) => {
    setOpenIds((before) => (before.has(id) === open ? before : toggled(before, id)));
  }, []);
  const [highlighter] = useState(() => createCodeHighlighter());
  const surroundings = useMemo(
    () => ({
      highlighter,
      onOpenFile: (path: string, line?: number) =>
        onAction({ type: 'openFile', path, ...(line === undefined ? {} : { line }) }),
    }),
    [highlighter, onAction],
  );
  const { atBottom, leftAt, toBottom } = useStickToBottom(scroller, rows.length);
  const news = Math.max(0, rows.length - leftAt);
  return (
    <MarkdownContext value={surroundings}>
      <div className="relative h-full min-h-0 bg-canvas">
        <section
          ref={scroller}
          aria-label="Conversation"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard
          tabIndex={0}
          className="h-full overflow-y-auto overscroll-contain -outline-offset-2 [overflow-anchor:none]"
        >
          {/* One child that stays, so that its growth can be watched. */}
          <div className={cx(rows.length === 0 && 'h-full')}>
            {rows.length === 0 ? (
              empty
            ) : (
              <Virtualizer scrollRef={scroller} data={rows} bufferSize={600}>
                {(row) => (
                  <ConversationRow
                    key={row.key}
                    row={row}
                    transcript={transcript}
                    open={row.kind === 'item' && openIds.has(row.item.id)}
                    onToggle={toggle}
                    onAction={onAction}
                    promptMenu={promptMenu}
                  />
                )}
              </Virtualizer>
            )}
          </div>
        </section>
        {atBottom || rows.length === 0 ? null : (
          <button
            type="button"
            onClick={toBottom}
            className="absolute bottom-3 left-1/2 inline-flex h-7 -translate-x-1/2 animate-appear items-center gap-1.5 rounded-full border border-line-strong bg-raised px-3 text-meta font-medium text-ink shadow-popover hover:bg-hover"
          >
            <ArrowDown size={13} aria-hidden />
            {news > 0 ? `${news} new` : 'To the end'}
          </button>
        )}
        <Announcer transcript={transcript} />
      </div>
    </MarkdownContext>
  );
}

/** Tells a screen reader the turning points, and not every word that streams. */
function Announcer({ transcript }: { readonly transcript: Transcript }) {
  const last = transcript.committed.at(-1);
  // At the end of a pause: nothing counts down aloud.
  const line = liveLine(transcript, transcript.waiting?.until ?? 0);
  const text = transcript.running
    ? [line.text, line.next].filter((part) => part !== undefined).join(' ')
    : last?.kind === 'end'
      ? 'Lathe has finished'
      : '';
  return (
    <p role="status" className="sr-only">
      {text}
    </p>
  );
}

const NOTHING: ReadonlySet<string> = new Set();

function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
}
