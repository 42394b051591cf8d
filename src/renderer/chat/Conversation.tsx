import { ArrowDown } from 'lucide-react';
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import type { AgentTranscript, Transcript } from '../../shared/transcript';
import { AgentsContext, type AgentsOfConversation } from '../tool-cards/AgentCard';
import { FolderContext, type OnCardAction } from '../tool-cards/CardFrame';
import { cx } from '../ui/css';
import { type LoadImage, MarkdownContext } from './CodeBlock';
import { ConversationRow, type PromptMenu } from './ConversationRow';
import { FoldedRow } from './FoldedRow';
import { focusPlace } from './FootnoteLinks';
import { blockHolds, type NotePlace } from './footnotes';
import { LinkTarget } from './LinkTarget';
import { LiveRow, liveLine } from './LiveRow';
import { createRowList, type RowList } from './rows';

interface ConversationProps {
  /** Give the component `key={sessionId}`: what is open and where the view stands belong to one session. */
  readonly transcript: Transcript;
  readonly onAction: OnCardAction;
  /** Further acts of a prompt; without it a prompt can only be copied. */
  readonly promptMenu?: PromptMenu;
  /** Fetches the conversation of a sub-agent that the transcript no longer holds. */
  /** Reads an image of the project, for answers that show one. */
  readonly loadImage?: LoadImage;
  readonly loadAgent?: AgentsOfConversation['load'];
  /** Number of prompts sent from this page; a change scrolls to the end, where the prompt appears. */
  readonly sent?: number;
  /** Shown instead of rows while nothing was said. */
  readonly empty?: ReactNode;
  /** Shown after the rows: what waits to be sent. */
  readonly after?: ReactNode;
}

/** The conversation of one session. It fills its parent, scrolls by itself, and draws only the rows in view. */
export function Conversation({
  transcript,
  onAction,
  promptMenu,
  loadAgent = noAgent,
  loadImage,
  sent = 0,
  empty,
  after = null,
}: ConversationProps) {
  const scroller = useRef<HTMLElement>(null);
  const [listRows] = useState(createRowList);
  const reading = useRef(false);
  const rows = listRows(transcript, !reading.current);
  // Rows are looked up by index, so that no list of the whole conversation is made for each frame.
  const slots: ArrayLike<undefined> = { length: rows.length };
  const [openIds, setOpenIds] = useState<ReadonlySet<string>>(NOTHING);
  const toggle = useCallback((id: string, open: boolean) => {
    setOpenIds((before) => (before.has(id) === open ? before : toggled(before, id)));
  }, []);
  const list = useRef<VirtualizerHandle>(null);
  const shownRows = useRef(rows);
  shownRows.current = rows;
  const surroundings = useMemo(
    () => ({
      onReveal: (place: NotePlace) => {
        const at = rowOfPlace(shownRows.current, place);
        if (at < 0) return;
        list.current?.scrollToIndex(at, { align: 'center' });
        // Its row is in the page with the next frame, and has its size with the one after it.
        afterFrames(2, () => scroller.current && focusPlace(scroller.current, place));
      },
      ...(loadImage === undefined ? {} : { loadImage }),
      onOpenFile: (path: string, line?: number) =>
        onAction({ type: 'openFile', path, ...(line === undefined ? {} : { line }) }),
    }),
    [onAction, loadImage],
  );
  const { agents } = transcript;
  const ofAgents = useMemo(
    () => ({
      agents,
      load: loadAgent,
      draw: (own: AgentTranscript) => <AgentRows transcript={own} onAction={onAction} />,
    }),
    [agents, loadAgent, onAction],
  );
  const { atBottom, news, toBottom, toTop } = useStickToBottom(scroller, rows.items, sent);
  reading.current = !atBottom;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const jump = event.key === 'Home' ? toTop : event.key === 'End' ? toBottom : null;
    const plain = !(event.ctrlKey || event.metaKey || event.altKey || event.shiftKey);
    if (jump === null || !plain || !jumps(event)) return;
    event.preventDefault();
    jump();
  };
  return (
    <MarkdownContext value={surroundings}>
      <FolderContext value={transcript.cwd}>
        <AgentsContext value={ofAgents}>
          <div className="relative h-full min-h-0 bg-canvas">
            <section
              ref={scroller}
              aria-label="Conversation"
              data-conversation
              // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard
              tabIndex={0}
              onKeyDown={onKeyDown}
              className="h-full overflow-y-auto overscroll-contain bg-canvas -outline-offset-2 [overflow-anchor:none]"
            >
              {/* One child that stays, so that its growth can be watched. */}
              <div className={cx(rows.length === 0 && 'h-full')}>
                {rows.length === 0 ? (
                  empty
                ) : (
                  <Virtualizer ref={list} scrollRef={scroller} data={slots} bufferSize={600}>
                    {(_, index) => {
                      const row = rows.at(index);
                      if (row.kind === 'live')
                        return (
                          <LiveRow key={row.key} transcript={transcript} onAction={onAction} />
                        );
                      return row.kind === 'fold' ? (
                        <FoldedRow
                          key={row.key}
                          row={row}
                          openIds={openIds}
                          onToggle={toggle}
                          onAction={onAction}
                        />
                      ) : (
                        <ConversationRow
                          key={row.key}
                          row={row}
                          open={openIds.has(row.item.id)}
                          onToggle={toggle}
                          onAction={onAction}
                          promptMenu={promptMenu}
                        />
                      );
                    }}
                  </Virtualizer>
                )}
                {after}
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
            <LinkTarget area={scroller} />
            <Announcer transcript={transcript} />
          </div>
        </AgentsContext>
      </FolderContext>
    </MarkdownContext>
  );
}

/** Returns true when Home and End are for the conversation: it has the focus, or a row that does not scroll itself. */
const jumps = ({ target, currentTarget }: KeyboardEvent<HTMLElement>): boolean =>
  target === currentTarget || (target instanceof HTMLElement && target.matches('button, a'));

/** Returns the index of the row that shows a place in an answer; -1 when none does. */
function rowOfPlace(rows: RowList, place: NotePlace): number {
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows.at(at);
    if (row.kind !== 'item' || row.item.id !== place.scope) continue;
    if (row.part?.blocks.some((block) => blockHolds(block, place))) return at;
  }
  return -1;
}

function afterFrames(count: number, act: () => void): void {
  requestAnimationFrame(() => (count <= 1 ? act() : afterFrames(count - 1, act)));
}

const noAgent = async () => null;

/** Rows of a sub-agent's conversation that are drawn in its card; older ones are counted. */
const MAX_AGENT_ROWS = 200;

/** The conversation of a sub-agent, inside its card. */
function AgentRows({
  transcript,
  onAction,
}: {
  readonly transcript: AgentTranscript;
  readonly onAction: OnCardAction;
}) {
  const [listRows] = useState(createRowList);
  const rows = listRows({ ...transcript, running: null });
  const [openIds, setOpenIds] = useState<ReadonlySet<string>>(NOTHING);
  const toggle = useCallback((id: string, open: boolean) => {
    setOpenIds((before) => (before.has(id) === open ? before : toggled(before, id)));
  }, []);
  const older = Math.max(0, rows.length - MAX_AGENT_ROWS);
  const shown = Array.from({ length: rows.length - older }, (_, at) => rows.at(older + at));
  return (
    <>
      {older === 0 ? null : (
        <p className="px-6 py-1 text-meta text-ink-3">{older} earlier steps are not shown here.</p>
      )}
      {shown.map((row) =>
        row.kind === 'live' ? null : row.kind === 'fold' ? (
          <FoldedRow
            key={row.key}
            row={row}
            openIds={openIds}
            onToggle={toggle}
            onAction={onAction}
          />
        ) : (
          <ConversationRow
            key={row.key}
            row={row}
            open={openIds.has(row.item.id)}
            onToggle={toggle}
            onAction={onAction}
            promptMenu={undefined}
          />
        ),
      )}
    </>
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

/** Within this many pixels of the end counts as being at the end. */
const NEAR_END = 32;
/** A scroll this long after a key, wheel or touch is the user's; later ones are the list measuring itself. */
const INTENT_MS = 600;

/** Rows at the end whose growth moves the end: the live row, and the answer before it. */
const LAST_ROWS = 3;

/** Returns the last rows in the page, which are the last elements of the list in `box`. */
const lastRows = (box: Element): readonly Element[] => [
  ...[...(box.firstElementChild?.firstElementChild?.children ?? [])].slice(-LAST_ROWS),
];

interface StickToBottom {
  readonly atBottom: boolean;
  /** Number of rows that came since the view left the bottom. */
  readonly news: number;
  readonly toBottom: () => void;
  readonly toTop: () => void;
}

/**
 * Keeps a scrolling box at its end while its content grows, but only if it was there. It lets go when the user
 * scrolls up and holds again when they come back to the end, or when `sent` changes: they sent something.
 */
function useStickToBottom(
  scroller: RefObject<HTMLElement | null>,
  rowCount: number,
  sent: number,
): StickToBottom {
  const [atBottom, setAtBottom] = useState(true);
  const [leftAt, setLeftAt] = useState(rowCount);
  const sticking = useRef(true);
  const rows = useRef(rowCount);
  rows.current = rowCount;

  const stick = useCallback((next: boolean) => {
    if (sticking.current && !next) setLeftAt(rows.current);
    sticking.current = next;
    setAtBottom(next);
  }, []);

  // Looks at the layout, so it is called where that is up to date, or where it must be.
  const pin = useCallback(() => {
    const box = scroller.current;
    if (box && sticking.current) box.scrollTop = box.scrollHeight;
  }, [scroller]);

  const toBottom = useCallback(() => {
    stick(true);
    pin();
  }, [stick, pin]);
  const toTop = useCallback(() => {
    stick(false);
    if (scroller.current) scroller.current.scrollTop = 0;
  }, [stick, scroller]);

  const seen = useRef(sent);
  useLayoutEffect(() => {
    if (seen.current !== sent) stick(true);
    seen.current = sent;
  });
  // A new row is shown at once. One that grows is noticed by its size, before the next paint.
  useLayoutEffect(pin, [pin, rowCount, sent]);
  const observeRows = useRef(() => {});
  useLayoutEffect(() => observeRows.current());

  useEffect(() => {
    const box = scroller.current;
    if (!box) return;
    let touchedAt = Number.NEGATIVE_INFINITY;
    let lastTop = box.scrollTop;
    let lastHeight = box.scrollHeight;
    const touched = () => {
      touchedAt = performance.now();
    };
    const onScroll = () => {
      const end = box.scrollHeight - box.clientHeight - box.scrollTop <= NEAR_END;
      const meant = performance.now() - touchedAt < INTENT_MS || box.scrollHeight === lastHeight;
      if (end) stick(true);
      else if (meant && box.scrollTop < lastTop) stick(false);
      lastTop = box.scrollTop;
      lastHeight = box.scrollHeight;
    };
    const intents = ['wheel', 'touchmove', 'keydown', 'pointerdown', 'pointermove'] as const;
    for (const type of intents) box.addEventListener(type, touched, { passive: true });
    box.addEventListener('scroll', onScroll, { passive: true });
    // Called between layout and paint, when looking at sizes costs nothing.
    const sizes = new ResizeObserver(pin);
    let observed: readonly Element[] = [];
    // The rows at the end too: the list learns of their growth a frame later.
    observeRows.current = () => {
      const next = [box, ...box.children, ...lastRows(box)];
      for (const element of observed) if (!next.includes(element)) sizes.unobserve(element);
      for (const element of next) if (!observed.includes(element)) sizes.observe(element);
      observed = next;
    };
    observeRows.current();
    return () => {
      observeRows.current = () => {};
      for (const type of intents) box.removeEventListener(type, touched);
      box.removeEventListener('scroll', onScroll);
      sizes.disconnect();
    };
  }, [scroller, stick, pin]);

  return { atBottom, news: Math.max(0, rowCount - leftAt), toBottom, toTop };
}
