import { Ellipsis, Pencil, Trash2 } from 'lucide-react';
import type { SessionSummary } from '../../shared/contract';
import { cx } from '../ui/cx';
import { IconButton } from '../ui/IconButton';
import { Menu } from '../ui/Menu';
import { StateGlyph } from '../ui/StateGlyph';
import { titleOf } from './group-sessions';

/** What one line of the session list can do. */
export interface SessionActs {
  onShow(sessionId: string): void;
  onRename(sessionId: string): void;
  onRemove(sessionId: string): void;
}

/** One session: its title, whether it works or waits for an answer, and its menu. */
export function SessionRow({
  session,
  shown,
  acts,
}: {
  readonly session: SessionSummary;
  readonly shown: boolean;
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
          shown ? 'font-medium text-ink' : 'text-ink-2',
          untitled && 'text-ink-3',
        )}
      >
        <span className="min-w-0 flex-1 truncate" title={titleOf(session)}>
          {titleOf(session)}
        </span>
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
              id: 'remove',
              label: 'Delete…',
              icon: Trash2,
              danger: true,
              disabled: session.running,
              onSelect: () => acts.onRemove(session.id),
            },
          ]}
        />
      </span>
    </div>
  );
}

function SessionMark({ session }: { readonly session: SessionSummary }) {
  if (session.needsAnswer) return <StateGlyph state="waits" label="needs your answer" />;
  if (session.running) return <StateGlyph state="running" label="working" />;
  if (session.demo) return <span className="shrink-0 text-[11px] text-ink-3">demo</span>;
  return null;
}
