import { ChevronsUpDown, Folder, FolderOpen, Search, SquarePen } from 'lucide-react';
import { type RefObject, useRef, useState } from 'react';
import type { Project } from '../../shared/settings';
import { useNarrow } from '../app/layout';
import { MenuButton } from '../app/TitleRow';
import { useKeymap } from '../commands/use-keymap';
import { archiveSession, removeSession } from '../store/kept-sessions';
import { openProject } from '../store/projects';
import { forkOther, showHit } from '../store/search';
import { saveSession } from '../store/session-export';
import { forkSession } from '../store/sessions';
import { reported } from '../store/toasts';
import { useLathe, useScreen } from '../store/use-lathe';
import { Kbd } from '../ui/Button';
import { focusHome } from '../ui/Dialog';
import { tildePath } from '../ui/format';
import { Menu, type MenuEntry } from '../ui/Menu';
import { sessionsOf } from './group-sessions';
import { SearchHits, useSearch } from './SearchHits';
import { type SessionActs, SessionList } from './SessionList';

/** The left column: project, new session, sessions by day, and a field that narrows them. */
export function Sidebar({
  project,
  searchField,
  onPicked,
}: {
  readonly project: Project;
  readonly searchField: RefObject<HTMLInputElement | null>;
  /** A session was chosen: a column that lies over the conversation closes. */
  readonly onPicked: () => void;
}) {
  const lathe = useLathe();
  const { store } = lathe;
  const [filter, setFilter] = useState('');
  const search = useSearch(filter);
  const sessions = useScreen((s) => s.app?.sessions);
  const recents = useScreen((s) => s.app?.recents);
  const home = useScreen((s) => s.info?.home ?? '');
  const shownId = useScreen((s) => s.sessionId);
  const rang = useScreen((s) => s.rang);
  const { keyOf } = useKeymap();
  const narrow = useNarrow();
  const acts: SessionActs = {
    onShow: (sessionId) => {
      lathe.current.show(sessionId);
      onPicked();
    },
    onRename: (sessionId) => store.setState({ dialog: { kind: 'rename', sessionId } }),
    onExport: (session, format) => void saveSession(lathe, session, format),
    onRemove: (session) => void removeSession(lathe, session),
    onArchive: (session) => void archiveSession(lathe, session, session.archived !== true),
  };
  const column = useRef<HTMLDivElement>(null);
  /** The keys of the search field; each returns whether it did something. */
  const searchKeys: Readonly<Record<string, () => boolean>> = {
    Escape: () => {
      setFilter('');
      return filter !== '';
    },
    ArrowDown: () => {
      const first = column.current?.querySelector<HTMLElement>('[data-session-row]');
      first?.focus();
      return first !== undefined && first !== null;
    },
    Enter: () => {
      const [first] = sessionsOf(sessions ?? [], project.path, filter);
      const hit = search.answer?.hits[0];
      if (first) acts.onShow(first.id);
      else if (hit) void showHit(lathe, hit).then(onPicked);
      return first !== undefined || hit !== undefined;
    },
  };
  const start = () => {
    void lathe.current.startNew();
    onPicked();
  };
  return (
    <div ref={column} className="@container flex h-full min-w-0 flex-col bg-side">
      <div
        data-title-row={narrow ? undefined : 'start'}
        className="flex h-11 shrink-0 items-center gap-1 px-2"
      >
        {narrow ? null : <MenuButton />}
        <ProjectSwitcher
          name={project.name}
          path={project.path}
          home={home}
          recents={recents ?? []}
          onOpen={async (path) => {
            reported(store, await openProject(lathe, path));
          }}
          onBrowse={() => store.setState({ dialog: { kind: 'folder' } })}
        />
      </div>
      <div className="px-2 pb-1">
        <button
          type="button"
          onClick={start}
          className="flex h-8 w-full items-center gap-2 rounded-md px-2 text-left text-code text-ink-2 hover:bg-hover hover:text-ink"
        >
          <SquarePen size={15} aria-hidden className="shrink-0 text-ink-3" />
          <span className="min-w-0 flex-1 truncate">New session</span>
          <span className="shrink-0 @max-[200px]:hidden">
            <Kbd keys={keyOf('newSession')} />
          </span>
        </button>
      </div>
      <SessionList
        rang={rang}
        sessions={sessions ?? []}
        project={project.path}
        filter={filter}
        shownId={shownId}
        acts={acts}
        hits={
          <SearchHits
            state={search}
            project={project.path}
            onShow={(hit) => {
              void showHit(lathe, hit);
              onPicked();
            }}
            onFork={({ sessionId, itemId, other }) => {
              const forked =
                other === undefined
                  ? forkSession(lathe, sessionId, { kind: 'item', itemId })
                  : forkOther(lathe, other, itemId);
              void forked.then(focusHome);
              onPicked();
            }}
          />
        }
      />
      <div className="shrink-0 border-t border-line p-2">
        <label
          data-focus-frame
          className="flex h-8 items-center gap-2 rounded-md px-2 text-ink-3 focus-within:bg-hover hover:bg-hover"
        >
          <Search size={14} aria-hidden className="shrink-0" />
          <span className="sr-only">Find sessions by title and by what was said</span>
          <input
            ref={searchField}
            type="search"
            value={filter}
            onChange={(event) => setFilter(event.currentTarget.value)}
            onKeyDown={(event) => {
              const act = searchKeys[event.key];
              if (act === undefined || event.nativeEvent.isComposing) return;
              if (act()) event.preventDefault();
            }}
            placeholder="Search"
            data-focus="frame"
            className="min-w-0 flex-1 bg-transparent text-code text-ink [&::-webkit-search-cancel-button]:hidden"
          />
          {filter === '' ? (
            <span className="shrink-0 @max-[200px]:hidden">
              <Kbd keys={keyOf('searchSessions')} />
            </span>
          ) : null}
        </label>
      </div>
    </div>
  );
}

/** Number of other projects the menu lists. */
const SHOWN_RECENTS = 8;

/** The project's name; opens the list of the others. */
function ProjectSwitcher({
  name,
  path,
  home,
  recents,
  onOpen,
  onBrowse,
}: {
  readonly name: string;
  readonly path: string;
  readonly home: string;
  readonly recents: readonly string[];
  readonly onOpen: (path: string) => void;
  readonly onBrowse: () => void;
}) {
  const { keyOf } = useKeymap();
  const others = recents.filter((recent) => recent !== path).slice(0, SHOWN_RECENTS);
  const keys = keyOf('openFolder');
  const entries: MenuEntry[] = [
    ...(others.length > 0 ? [{ kind: 'heading', id: 'recent', label: 'Recent' } as const] : []),
    ...others.map(
      (recent): MenuEntry => ({
        kind: 'item',
        id: recent,
        label: tildePath(recent, home),
        icon: Folder,
        onSelect: () => onOpen(recent),
      }),
    ),
    ...(others.length > 0 ? [{ kind: 'separator', id: 'line' } as const] : []),
    {
      kind: 'item',
      id: 'browse',
      label: 'Open folder…',
      icon: FolderOpen,
      ...(keys === '' ? {} : { keys }),
      onSelect: onBrowse,
    },
  ];
  return (
    <Menu
      entries={entries}
      trigger={
        <button
          type="button"
          aria-label={`Project ${name}; switch project`}
          title={tildePath(path, home)}
          className="flex h-8 min-w-0 flex-1 items-center gap-2 rounded-md px-2 text-left hover:bg-hover data-[state=open]:bg-hover"
        >
          <Folder size={15} aria-hidden className="shrink-0 text-ink-3" />
          <span className="min-w-0 flex-1 truncate text-code font-semibold">{name}</span>
          <ChevronsUpDown size={13} aria-hidden className="shrink-0 text-ink-3" />
        </button>
      }
    />
  );
}
