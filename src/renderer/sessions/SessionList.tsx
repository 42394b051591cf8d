import {
  Archive,
  ArchiveRestore,
  Bell,
  Download,
  Ellipsis,
  MessageSquareDashed,
  Pencil,
  Trash2,
} from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useMemo, useRef, useState } from 'react';
import { Virtualizer } from 'virtua';
import type { SessionSummary } from '../../shared/contract';
import type { ExportFormat } from '../../shared/session-export';
import { IconButton } from '../ui/Button';
import { ColourMark } from '../ui/ColourMark';
import { cx } from '../ui/css';
import { plural } from '../ui/format';
import { StateGlyph } from '../ui/Marks';
import { Menu } from '../ui/Menu';
import { EmptyState } from '../ui/Notice';
import { ClickableRows } from '../ui/ScrollArea';
import { useNow } from '../ui/use-now';
import { sessionsOf, titleOf, withDays } from './group-sessions';

/** Often enough to move "Today" to "Yesterday" soon after midnight. */
const DAY_CHECK_MS = 60_000;

/** Longer lists draw only the rows in view. */
const PLAIN_ROWS = 200;

/** The sessions of a project by day, newest first. ↑ and ↓ move between them. */
export function SessionList({
  sessions,
  project,
  filter,
  shownId,
  rang,
  acts,
  hits,
}: {
  readonly sessions: readonly SessionSummary[];
  readonly project: string;
  readonly filter: string;
  /** Shown below the titles that match a filter: what was found in conversations. */
  readonly hits: ReactNode;
  readonly shownId: string | null;
  /** The sessions that rang while nobody looked. */
  readonly rang: readonly string[];
  readonly acts: SessionActs;
}) {
  const now = useNow(true, DAY_CHECK_MS);
  const scroller = useRef<HTMLElement>(null);
  const [archived, setArchived] = useState(false);
  const filtered = filter.trim() !== '';
  const all = archived || filtered;
  const found = useMemo(
    () => sessionsOf(sessions, project, filter, all),
    [sessions, project, filter, all],
  );
  const put = sessions.filter((s) => s.project === project && s.archived === true).length;
  const rows = useMemo(() => withDays(found, now), [found, now]);
  if (found.length === 0 && !filtered && put === 0) return <NoSessions />;
  const lines = rows.map((row) =>
    row.kind === 'day' ? (
      <h3 key={row.label} className="px-2 pt-3 pb-1 text-meta font-medium text-ink-3 select-none">
        {row.label}
      </h3>
    ) : (
      <SessionRow
        key={row.session.id}
        session={row.session}
        shown={row.session.id === shownId}
        rang={rang.includes(row.session.id)}
        acts={acts}
      />
    ),
  );
  return (
    <nav
      ref={scroller}
      aria-label="Sessions"
      onKeyDown={moveBetweenRows}
      className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-2 pb-2"
    >
      {rows.length <= PLAIN_ROWS ? (
        lines
      ) : (
        <Virtualizer as={ClickableRows} scrollRef={scroller} bufferSize={400}>
          {lines}
        </Virtualizer>
      )}
      {filtered ? hits : null}
      {put === 0 || filtered ? null : (
        <button
          type="button"
          data-session-row
          aria-expanded={archived}
          onClick={() => setArchived(!archived)}
          className="mt-3 flex h-7 w-full items-center gap-2 rounded-md px-2 text-left text-meta text-ink-3 hover:bg-hover hover:text-ink-2"
        >
          <Archive size={13} aria-hidden className="shrink-0" />
          {archived ? 'Hide archived sessions' : `${plural(put, 'archived session')}`}
        </button>
      )}
    </nav>
  );
}

function NoSessions() {
  return (
    <div className="min-h-0 flex-1">
      <EmptyState
        icon={MessageSquareDashed}
        title="No sessions yet"
        text="What you ask for in this project is kept here."
      />
    </div>
  );
}

function moveBetweenRows(event: KeyboardEvent<HTMLElement>) {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0 || !(event.target instanceof HTMLElement)) return;
  if (!event.target.matches('[data-session-row]')) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-session-row]')];
  rows[rows.indexOf(event.target) + step]?.focus();
  event.preventDefault();
}

/** The actions of one line of the session list. */
export interface SessionActs {
  onShow(sessionId: string): void;
  onRename(sessionId: string): void;
  onArchive(session: SessionSummary): void;
  onRemove(session: SessionSummary): void;
  onExport(session: SessionSummary, format: ExportFormat): void;
}

const EXPORTS: readonly (readonly [ExportFormat, string])[] = [
  ['markdown', 'Markdown'],
  ['json', 'JSON'],
  ['html', 'a web page'],
];

/** One session: its title, whether it works or waits for an answer, and its menu. */
function SessionRow({
  session,
  shown,
  rang,
  acts,
}: {
  readonly session: SessionSummary;
  readonly shown: boolean;
  readonly rang: boolean;
  readonly acts: SessionActs;
}) {
  const untitled = session.title.trim() === '';
  return (
    <div
      className={cx(
        'group relative flex h-7 items-center rounded-md transition-colors duration-100',
        shown ? 'bg-selected' : 'hover:bg-hover',
      )}
    >
      <button
        type="button"
        data-session-row
        aria-current={shown ? 'page' : undefined}
        onClick={() => acts.onShow(session.id)}
        onDoubleClick={() => acts.onRename(session.id)}
        className={cx(
          'flex h-full min-w-0 flex-1 items-center gap-2 rounded-md pr-2 pl-2 text-left text-code',
          // The button of its menu stands over the end of the row.
          'group-focus-within:pr-8 group-hover:pr-8 group-has-[[data-state=open]]:pr-8',
          shown ? 'font-medium text-ink' : 'text-ink-2',
          untitled && 'text-ink-3',
        )}
      >
        {session.color && <ColourMark colour={session.color} />}
        <span dir="auto" className="min-w-0 flex-1 truncate" title={titleOf(session)}>
          {titleOf(session)}
        </span>
        {rang ? <Rang /> : null}
        <SessionMark session={session} />
      </button>
      <span className="absolute right-0.5 rounded-md bg-inherit opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 has-[[data-state=open]]:opacity-100">
        <Menu
          align="end"
          trigger={<IconButton icon={Ellipsis} label={`More for ${titleOf(session)}`} />}
          entries={[
            {
              kind: 'item',
              id: 'rename',
              label: 'Rename…',
              icon: Pencil,
              onSelect: () => acts.onRename(session.id),
            },
            {
              kind: 'item',
              id: 'archive',
              label: session.archived ? 'Take out of the archive' : 'Archive',
              icon: session.archived ? ArchiveRestore : Archive,
              disabled: session.running,
              onSelect: () => acts.onArchive(session),
            },
            { kind: 'separator', id: 'export-line' },
            ...EXPORTS.map(([format, label]) => ({
              ...({ kind: 'item', id: format, label: `Export as ${label}` } as const),
              icon: Download,
              onSelect: () => acts.onExport(session, format),
            })),
            { kind: 'separator', id: 'remove-line' },
            {
              kind: 'item',
              id: 'remove',
              label: 'Delete',
              icon: Trash2,
              danger: true,
              disabled: session.running,
              onSelect: () => acts.onRemove(session),
            },
          ]}
        />
      </span>
    </div>
  );
}

/** A bell that rang while nobody looked, as on the tab of a terminal. */
function Rang() {
  return (
    <span role="img" aria-label="rang" className="shrink-0 text-waits">
      <Bell size={12} strokeWidth={2.25} aria-hidden />
    </span>
  );
}

function SessionMark({ session }: { readonly session: SessionSummary }) {
  if (session.needsAnswer) return <StateGlyph state="waits" label="needs your answer" />;
  if (session.running) return <StateGlyph state="running" label="working" />;
  if (session.archived)
    return <Archive size={12} aria-label="archived" className="shrink-0 text-ink-3" />;
  if (session.demo) return <span className="shrink-0 text-[11px] text-ink-3">demo</span>;
  return null;
}
