import { ArrowDown } from 'lucide-react';
import {
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  useCallback,
  useMemo,
  useRef,
  useState,
} from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import type { AgentTranscript, Transcript } from '../../shared/transcript';
import { AgentsContext, type AgentsOfConversation } from '../tool-cards/AgentCard';
import { FolderContext, type OnCardAction } from '../tool-cards/CardFrame';
import { cx } from '../ui/css';
import { ClickableRows } from '../ui/ScrollArea';
import { type LoadImage, MarkdownContext } from './CodeBlock';
import { ConversationRow, OpenEnd, type PromptMenu } from './ConversationRow';
import { FoldedRow } from './FoldedRow';
import { goToPlace } from './FootnoteLinks';
import { blockHolds, type NotePlace } from './footnotes';
import { LinkTarget } from './LinkTarget';
import { LiveRow, liveLine } from './LiveRow';
import { type PlaceMemory, useReadingPlace } from './reading-place';
import { type Revealed, useReveal } from './reveal';
import { createRowList, type FoldRow, type ItemRow, type RowList } from './rows';
import { usePrepended, useStickToBottom } from './stick-to-bottom';

interface ConversationProps {
  /** Give the component `key={sessionId}`: what is open and where the view stands belong to one session. */
  readonly transcript: Transcript;
  readonly onAction: OnCardAction;
  /** Further acts of a prompt; without it a prompt can only be copied. */
  readonly promptMenu?: PromptMenu;
  /** Reads an image of the project, for answers that show one. */
  readonly loadImage?: LoadImage;
  /** Fetches the conversation of a sub-agent that the transcript no longer holds. */
  readonly loadAgent?: AgentsOfConversation['load'];
  /** Number of prompts sent from this page; a change scrolls to the end, where the prompt appears. */
  readonly sent?: number;
  /** An item to bring into view. */
  readonly reveal?: Revealed | null;
  /** The place where it was left, and the function that keeps the next one. Read once. */
  readonly place?: PlaceMemory;
  /** The title of the sub-agent whose conversation it is, beside the main one. */
  readonly ofAgent?: string;
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
  reveal = null,
  place,
  ofAgent,
  empty,
  after = null,
}: ConversationProps) {
  const scroller = useRef<HTMLElement>(null);
  const [listRows] = useState(createRowList);
  const reading = useRef(false);
  const rows = listRows(transcript, !reading.current);
  // Rows are looked up by index, so that no list of the whole conversation is made for each frame.
  const slots: ArrayLike<undefined> = { length: rows.length };
  const [openIds, setOpenIds] = useState<ReadonlySet<string>>(() => new Set(place?.left?.open));
  const toggle = useCallback((id: string, open: boolean) => {
    setOpenIds((before) => (before.has(id) === open ? before : toggled(before, id)));
  }, []);
  const list = useRef<VirtualizerHandle>(null);
  const shownRows = useRef(rows);
  shownRows.current = rows;
  const [foldedCode] = useState(() => new Set<string>());
  const surroundings = useMemo(
    () => ({
      foldedCode,
      onReveal: (place: NotePlace) => {
        const at = rowOfPlace(shownRows.current, place);
        if (at < 0) return;
        list.current?.scrollToIndex(at, { align: 'center' });
        if (scroller.current) goToPlace(scroller.current, place);
      },
      ...(loadImage === undefined ? {} : { loadImage }),
      onOpenFile: (path: string, line?: number) =>
        onAction({ type: 'openFile', path, ...(line === undefined ? {} : { line }) }),
    }),
    [onAction, loadImage, foldedCode],
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
  const prepended = usePrepended(scroller, rows);
  const draw = useMemo(
    () => createRowDrawer({ openIds, onToggle: toggle, onAction, promptMenu }),
    [openIds, toggle, onAction, promptMenu],
  );
  const { atBottom, news, toBottom, toTop, letGo } = useStickToBottom(
    scroller,
    rows.items - prepended.items,
    sent,
  );
  reading.current = !atBottom;
  useReadingPlace(place, rows, { scroller, list, openIds, atBottom, letGo });
  useReveal(reveal, rows, { scroller, list, letGo, onToggle: toggle });
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
          <OpenEnd value={ofAgent === undefined ? openEnd(transcript) : null}>
            <div className="relative h-full min-h-0 bg-canvas">
              <section
                ref={scroller}
                aria-label={ofAgent === undefined ? 'Conversation' : `Transcript of ${ofAgent}`}
                data-conversation={ofAgent === undefined ? 'main' : 'agent'}
                // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard
                tabIndex={0}
                onKeyDown={onKeyDown}
                className="h-full overflow-y-auto overscroll-contain [@media(max-height:24rem)]:overscroll-auto bg-canvas -outline-offset-2 [overflow-anchor:none]"
              >
                {/* One child that stays, so that its growth can be watched. */}
                <div className={cx(rows.length === 0 && 'h-full')}>
                  {rows.length === 0 ? (
                    empty
                  ) : (
                    <Virtualizer
                      as={ClickableRows}
                      ref={list}
                      scrollRef={scroller}
                      data={slots}
                      shift={prepended.shift}
                      bufferSize={600}
                    >
                      {(_, index) => {
                        const row = rows.at(index);
                        return row.kind === 'live' ? (
                          <LiveRow key={row.key} transcript={transcript} onAction={onAction} />
                        ) : (
                          draw(row)
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
              {ofAgent === undefined ? <Announcer transcript={transcript} /> : null}
            </div>
          </OpenEnd>
        </AgentsContext>
      </FolderContext>
    </MarkdownContext>
  );
}

/** Returns the id of the end with which the conversation stands still; null while it goes on. */
function openEnd({ running, committed }: Transcript): string | null {
  const last = committed.findLast(({ kind }) => kind === 'end' || kind === 'prompt');
  return running === null && last?.kind === 'end' ? last.id : null;
}

type DrawnRow = ItemRow | FoldRow;

/** Props of the list that its rows need besides themselves. */
interface RowSurroundings {
  readonly openIds: ReadonlySet<string>;
  readonly onToggle: (id: string, open: boolean) => void;
  readonly onAction: OnCardAction;
  readonly promptMenu: PromptMenu | undefined;
}

/** Creates a function that gives the element of a row: the same one for the same row, so that the list leaves it alone. */
function createRowDrawer({ openIds, ...own }: RowSurroundings) {
  const drawn = new WeakMap<DrawnRow, ReactElement>();
  return (row: DrawnRow): ReactElement => {
    const known = drawn.get(row);
    if (known !== undefined) return known;
    const { onToggle, onAction } = own;
    const element =
      row.kind === 'fold' ? (
        <FoldedRow key={row.key} {...{ row, openIds, onToggle, onAction }} />
      ) : (
        <ConversationRow key={row.key} row={row} open={openIds.has(row.item.id)} {...own} />
      );
    drawn.set(row, element);
    return element;
  };
}

/** Returns true when Home and End are for the conversation: it has the focus, or a row that does not scroll itself. */
const jumps = ({ target, currentTarget }: KeyboardEvent<HTMLElement>): boolean =>
  target === currentTarget ||
  (target instanceof HTMLElement && target.matches('button, a, [role=button]'));

/** Returns the index of the row that shows a place in an answer; -1 when none does. */
function rowOfPlace(rows: RowList, place: NotePlace): number {
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows.at(at);
    if (row.kind !== 'item' || row.item.id !== place.scope) continue;
    if (row.part?.blocks.some((block) => blockHolds(block, place))) return at;
  }
  return -1;
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
  const draw = useMemo(
    () => createRowDrawer({ openIds, onToggle: toggle, onAction, promptMenu: undefined }),
    [openIds, toggle, onAction],
  );
  const older = Math.max(0, rows.length - MAX_AGENT_ROWS);
  const shown = Array.from({ length: rows.length - older }, (_, at) => rows.at(older + at));
  return (
    <>
      {older === 0 ? null : (
        <p className="px-6 py-1 text-meta text-ink-3">{older} earlier steps are not shown here.</p>
      )}
      {shown.map((row) => (row.kind === 'live' ? null : draw(row)))}
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
      ? `Lathe has ${last.terminal === 'completed' ? 'finished' : 'stopped'}`
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
