import { Search, SquarePen } from 'lucide-react';
import { type RefObject, useState } from 'react';
import type { Project } from '../../shared/settings';
import { keyOf } from '../app/keys';
import { openProject } from '../store/projects';
import { newSession, showSession } from '../store/sessions';
import { reported } from '../store/toasts';
import { useLathe, useScreen } from '../store/use-lathe';
import { Kbd } from '../ui/Kbd';
import { ProjectSwitcher } from './ProjectSwitcher';
import { SessionList } from './SessionList';
import type { SessionActs } from './SessionRow';

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
  const sessions = useScreen((s) => s.app?.sessions);
  const recents = useScreen((s) => s.app?.recents);
  const home = useScreen((s) => s.info?.home ?? '');
  const shownId = useScreen((s) => s.sessionId);
  const acts: SessionActs = {
    onShow: (sessionId) => {
      showSession(lathe, sessionId);
      onPicked();
    },
    onRename: (sessionId) => store.setState({ dialog: { kind: 'rename', sessionId } }),
    onRemove: (sessionId) => store.setState({ dialog: { kind: 'remove', sessionId } }),
  };
  const start = async () => {
    await newSession(lathe);
    onPicked();
  };
  return (
    <div className="flex h-full min-w-0 flex-col bg-side">
      <div className="flex h-11 shrink-0 items-center px-2">
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
          <SquarePen size={15} aria-hidden className="text-ink-3" />
          <span className="flex-1">New session</span>
          <Kbd keys={keyOf('newSession') ?? ''} />
        </button>
      </div>
      <SessionList
        sessions={sessions ?? []}
        project={project.path}
        filter={filter}
        shownId={shownId}
        acts={acts}
      />
      <div className="shrink-0 border-t border-line p-2">
        <label className="flex h-8 items-center gap-2 rounded-md px-2 text-ink-3 focus-within:bg-hover hover:bg-hover">
          <Search size={14} aria-hidden className="shrink-0" />
          <span className="sr-only">Find a session by its title</span>
          <input
            ref={searchField}
            type="search"
            value={filter}
            onChange={(event) => setFilter(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape' || filter === '') return;
              event.preventDefault();
              setFilter('');
            }}
            placeholder="Search"
            data-focus="frame"
            className="min-w-0 flex-1 bg-transparent text-code text-ink [&::-webkit-search-cancel-button]:hidden"
          />
          {filter === '' ? <Kbd keys={keyOf('searchSessions') ?? ''} /> : null}
        </label>
      </div>
    </div>
  );
}
