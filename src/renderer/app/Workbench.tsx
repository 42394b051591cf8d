import { useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import type { Project } from '../../shared/settings';
import { Sidebar } from '../sessions/Sidebar';
import { StatusBar } from '../status/StatusBar';
import { showNewest } from '../store/projects';
import { newSession } from '../store/sessions';
import { useLathe, useScreen } from '../store/use-lathe';
import { Banner } from './Banner';
import { Centre } from './Centre';
import { NarrowColumns, WideColumns } from './Columns';
import { type FocusPlaces, runCommand } from './commands';
import { Dialogs } from './Dialogs';
import { Dock } from './Dock';
import type { CommandId } from './keys';
import { useKeys } from './use-keys';
import { useLayout } from './use-layout';
import { useNarrow } from './use-narrow';

/** The whole screen once a project is open: sessions, conversation, dock, status. */
export function Workbench({ project }: { readonly project: Project }) {
  const lathe = useLathe();
  const { store } = lathe;
  const composer = useRef<HTMLTextAreaElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const narrow = useNarrow();
  const { initial, save } = useLayout(project.path);
  const places = useMemo(() => focusPlaces(composer, search), []);
  useKeys(places);
  useSomeSession(project.path);
  // Before the first paint: a column that was closed must not flash. A narrow window starts with neither.
  useLayoutEffect(
    () =>
      store.setState({
        sideOpen: !narrow && initial.sideOpen,
        dockOpen: !narrow && initial.dockOpen,
      }),
    [store, initial, narrow],
  );
  const onCommand = (id: CommandId) => void runCommand(lathe, places, id);
  const columns = {
    side: (
      <Sidebar
        project={project}
        searchField={search}
        onPicked={() => {
          if (narrow) store.setState({ sideOpen: false });
          composer.current?.focus();
        }}
      />
    ),
    centre: (
      <Centre composer={composer} banner={<Banner project={project} />} onCommand={onCommand} />
    ),
    dock: <Dock project={project} panels={initial.panels} onPanels={save} />,
  };
  return (
    <div className="flex h-full flex-col">
      <main className="flex min-h-0 flex-1 flex-col">
        {narrow ? (
          <NarrowColumns {...columns} />
        ) : (
          <WideColumns {...columns} initial={initial} onLayout={save} />
        )}
      </main>
      <StatusBar project={project} />
      <Dialogs project={project} onCommand={onCommand} />
    </div>
  );
}

/** Shows the newest session when none is shown, and starts one in a project that has none. */
function useSomeSession(project: string): void {
  const lathe = useLathe();
  const sessionId = useScreen((s) => s.sessionId);
  const sessions = useScreen((s) => s.app?.sessions ?? null);
  const started = useRef<string | null>(null);
  useEffect(() => {
    if (sessionId !== null || sessions === null) return;
    if (sessions.some((s) => s.project === project)) return showNewest(lathe, sessions, project);
    if (started.current === project) return;
    started.current = project;
    void newSession(lathe);
  }, [lathe, project, sessionId, sessions]);
}

function focusPlaces(
  composer: { readonly current: HTMLTextAreaElement | null },
  search: { readonly current: HTMLInputElement | null },
): FocusPlaces {
  return {
    focusComposer: () => composer.current?.focus(),
    // The column may only just have been opened.
    focusSearch: () => void requestAnimationFrame(() => search.current?.focus()),
    inTerminal: () => document.activeElement?.closest('.xterm') !== null,
  };
}
