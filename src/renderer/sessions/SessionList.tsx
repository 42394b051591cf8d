import { MessageSquareDashed, SearchX } from 'lucide-react';
import { type KeyboardEvent, useMemo, useRef } from 'react';
import { Virtualizer } from 'virtua';
import type { SessionSummary } from '../../shared/contract';
import { EmptyState } from '../ui/EmptyState';
import { useNow } from '../ui/use-now';
import { sessionsOf, withDays } from './group-sessions';
import { type SessionActs, SessionRow } from './SessionRow';

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
  acts,
}: {
  readonly sessions: readonly SessionSummary[];
  readonly project: string;
  readonly filter: string;
  readonly shownId: string | null;
  readonly acts: SessionActs;
}) {
  const now = useNow(true, DAY_CHECK_MS);
  const scroller = useRef<HTMLElement>(null);
  const found = useMemo(() => sessionsOf(sessions, project, filter), [sessions, project, filter]);
  const rows = useMemo(() => withDays(found, now), [found, now]);
  if (found.length === 0) return <NoSessions filtered={filter.trim() !== ''} />;
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
        <Virtualizer scrollRef={scroller} bufferSize={400}>
          {lines}
        </Virtualizer>
      )}
    </nav>
  );
}

function NoSessions({ filtered }: { readonly filtered: boolean }) {
  return (
    <div className="min-h-0 flex-1">
      {filtered ? (
        <EmptyState icon={SearchX} title="No session has that in its title" />
      ) : (
        <EmptyState
          icon={MessageSquareDashed}
          title="No sessions yet"
          text="What you ask for in this project is kept here."
        />
      )}
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
