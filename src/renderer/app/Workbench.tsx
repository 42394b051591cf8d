import { ShieldAlert, TriangleAlert } from 'lucide-react';
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import type { Project, SettingsProblem } from '../../shared/settings';
import { Sidebar } from '../sessions/Sidebar';
import { problemWords } from '../settings/hook-groups';
import { StatusBar } from '../status/StatusBar';
import { reviewTrust, showNewest } from '../store/projects';
import { newSession } from '../store/sessions';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { plural, tildePath } from '../ui/format';
import { onApple } from '../ui/keys';
import { VisibleText } from '../ui/VisibleText';
import { Centre } from './Centre';
import { NarrowColumns, WideColumns } from './Columns';
import { type FocusTargets, runCommand } from './commands';
import { Dialogs } from './Dialogs';
import { Dock } from './Dock';
import { appTakesFromTerminal, type CommandId, commandFor } from './keys';
import { useLayout, useNarrow } from './layout';

/** The whole screen once a project is open: sessions, conversation, dock, status. */
export function Workbench({ project }: { readonly project: Project }) {
  const lathe = useLathe();
  const { store } = lathe;
  const composer = useRef<HTMLTextAreaElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const narrow = useNarrow();
  const { initial, save } = useLayout(project.path);
  const focus = useMemo(() => focusTargets(composer, search), []);
  useKeys(focus);
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
  const onCommand = (id: CommandId) => void runCommand(lathe, focus, id);
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

function focusTargets(
  composer: { readonly current: HTMLTextAreaElement | null },
  search: { readonly current: HTMLInputElement | null },
): FocusTargets {
  return {
    focusComposer: () => composer.current?.focus(),
    // The column may only just have been opened.
    focusSearch: () => void requestAnimationFrame(() => search.current?.focus()),
    inTerminal: () => document.activeElement?.closest('.xterm') !== null,
  };
}

/** Listens for the keys of the table while the workbench is on screen. */
function useKeys(focus: FocusTargets): void {
  const lathe = useLathe();
  useEffect(() => {
    const apple = onApple();
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const target = event.target instanceof Element ? event.target : null;
      if (target?.closest('.xterm') && !appTakesFromTerminal(event, apple)) return;
      const command = commandFor(event, apple);
      if (command === null) return;
      if (command.inComposer && !target?.closest('[data-composer]')) return;
      if (event.key === 'Escape' && target?.closest('[role=dialog], [role=menu], input')) return;
      event.preventDefault();
      void runCommand(lathe, focus, command.id);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [lathe, focus]);
}

/** A line over the conversation about configuration of this folder that is off or broken. */
function Banner({ project }: { readonly project: Project }) {
  const lathe = useLathe();
  const home = useScreen((s) => s.info?.home ?? '');
  const [first, ...more] = project.problems;
  if (!project.trusted && project.findings.length > 0) {
    return (
      <Line icon="trust" action="Review…" onAction={() => reviewTrust(lathe, project.path)}>
        This folder is not trusted. What it configures is off (
        {plural(project.findings.length, 'entry', 'entries')}).
      </Line>
    );
  }
  if (first === undefined) return null;
  const others = more.length === 0 ? '' : ` And ${more.length} more.`;
  return (
    <Line
      icon="problem"
      action="Show"
      onAction={() => lathe.store.setState({ dialog: { kind: 'settings', page: 'project' } })}
    >
      <VisibleText text={`${problemText(first, home)}${others}`} />
    </Line>
  );
}

/** Formats a problem as "~/app/.claude/settings.json:4: model: message". */
const problemText = (problem: SettingsProblem, home: string): string =>
  [
    [tildePath(problem.file, home), problem.line].filter(Boolean).join(':'),
    problem.field ?? '',
    problemWords(problem),
  ]
    .filter((part) => part !== '')
    .join(': ');

function Line({
  icon,
  action,
  onAction,
  children,
}: {
  readonly icon: 'trust' | 'problem';
  readonly action: string;
  readonly onAction: () => void;
  readonly children: ReactNode;
}) {
  const Icon = icon === 'trust' ? ShieldAlert : TriangleAlert;
  return (
    <div className="flex shrink-0 items-center gap-2 border-b border-line bg-waits-tint py-1 pr-2 pl-4 text-meta">
      <Icon size={14} aria-hidden className="shrink-0 text-waits" />
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">{children}</span>
      <Button size="sm" variant="ghost" onClick={onAction}>
        {action}
      </Button>
    </div>
  );
}
