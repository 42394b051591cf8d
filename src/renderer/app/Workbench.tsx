import { ShieldAlert, TriangleAlert } from 'lucide-react';
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import type { Project, SettingsProblem } from '../../shared/settings';
import { COMMANDS } from '../../shared/window-commands';
import type { CommandContext, FocusTargets } from '../commands/actions';
import { isRunnable, type RunCommand, restsBehindDialogs, runCommand } from '../commands/table';
import { appTakesFromTerminal, reachesNobody } from '../commands/terminal-keys';
import { useKeymap } from '../commands/use-keymap';
import { Sidebar } from '../sessions/Sidebar';
import { problemWords } from '../settings/hook-groups';
import { StatusBar } from '../status/StatusBar';
import { loadMentions } from '../store/mentions';
import { reviewTrust } from '../store/projects';
import { currentTranscript, NO_MENTIONS } from '../store/screen';
import { watchToolServers } from '../store/tool-servers';
import { useLathe, useScreen } from '../store/use-lathe';
import { LeftoverList } from '../tasks/LeftoverList';
import { Button } from '../ui/Button';
import { plural, tildePath, tildeText } from '../ui/format';
import { onApple, pressOf } from '../ui/keys';
import { Notice } from '../ui/Notice';
import { VisibleText } from '../ui/VisibleText';
import { Centre } from './Centre';
import { Columns } from './Columns';
import { Dialogs } from './Dialogs';
import { Dock } from './Dock';
import { FileDrop } from './FileDrop';
import { useLayout, useNarrow } from './layout';

/** The whole screen once a project is open: sessions, conversation, dock, status. */
export function Workbench({ project }: { readonly project: Project }) {
  const lathe = useLathe();
  const { store } = lathe;
  const composer = useRef<HTMLTextAreaElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const narrow = useNarrow();
  const { initial, save, isDockChosen } = useLayout(project.path);
  const focus = useMemo(() => focusTargets(composer, search), []);
  const context = useMemo(() => ({ lathe, focus }), [lathe, focus]);
  useKeys(context);
  useMenu(context);
  useSomeSession();
  useDockThatFills(project.path, narrow, isDockChosen);
  useToolServers();
  useHostCommands();
  // Before the first paint: a column that was closed must not flash. A narrow window starts with neither.
  useLayoutEffect(
    () =>
      store.setState({
        sideOpen: !narrow && initial.sideOpen,
        dockOpen: !narrow && initial.dockOpen,
      }),
    [store, initial, narrow],
  );
  const onCommand: RunCommand = (id, argument) => runCommand(context, id, argument);
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
      <FileDrop>
        <Centre
          composer={composer}
          banner={
            <>
              <LeftoverList />
              <Unsaved />
              <Banner project={project} />
            </>
          }
          onCommand={onCommand}
        />
      </FileDrop>
    ),
    dock: <Dock project={project} panels={initial.panels} onPanels={save} />,
  };
  return (
    // In a window that is lower than a question with its answers (a large zoom of the browser) the page scrolls.
    <div className="h-full overflow-y-auto">
      <div className="flex h-full min-h-80 max-[24rem]:min-h-96 flex-col">
        <main className="flex min-h-0 flex-1 flex-col">
          <Columns {...columns} narrow={narrow} initial={initial} onLayout={save} />
        </main>
        <StatusBar project={project} />
        <Dialogs project={project} onCommand={onCommand} />
      </div>
    </div>
  );
}

/** Keeps some session on screen, or one on its way. */
function useSomeSession(): void {
  const { current } = useLathe();
  const sessionId = useScreen((s) => s.sessionId);
  const sessions = useScreen((s) => s.app?.sessions ?? null);
  const linked = useScreen((s) => s.link.kind === 'connected');
  useLayoutEffect(() => {
    if (linked && sessions !== null && sessionId === null) current.settle();
  }, [current, linked, sessionId, sessions]);
}

/** Opens the dock when there is something in it, unless the user chose whether it is open or it would lie over all. */
function useDockThatFills(project: string, narrow: boolean, isChosen: () => boolean): void {
  const { store } = useLathe();
  const filled = useScreen((s) => {
    const now = currentTranscript(s);
    const own = now !== null && (now.tasks.length > 0 || now.todos.length > 0 || now.plan !== null);
    return own || (s.app?.terminals.some((one) => one.project === project) ?? false);
  });
  useEffect(() => {
    if (filled && !isChosen() && !narrow) store.setState({ dockOpen: true });
  }, [store, filled, narrow, isChosen]);
}

/** Keeps the list of the tool servers of the session that is shown. */
function useToolServers(): void {
  const { ask, store } = useLathe();
  const sessionId = useScreen((s) => s.sessionId);
  const linked = useScreen((s) => s.link.kind === 'connected');
  useEffect(() => {
    store.setState({ toolServers: [] });
    if (!linked || sessionId === null) return;
    const over = new AbortController();
    // A list that cannot be had shows none; the next connection asks again.
    watchToolServers({ ask, store }, sessionId, over.signal).catch(() => {});
    return () => over.abort();
  }, [ask, store, sessionId, linked]);
}

/** Keeps the lists of the commands that the host carries out and of what can be mentioned; servers bring some, and take them away again. */
function useHostCommands(): void {
  const { ask, store } = useLathe();
  const sessionId = useScreen((s) => s.sessionId);
  const linked = useScreen((s) => s.link.kind === 'connected');
  const offering = useScreen((s) => s.toolServers[0]?.offering ?? 0);
  // Those of another session are none of this one.
  useEffect(() => store.setState({ mentions: NO_MENTIONS }), [store, sessionId]);
  useEffect(() => {
    if (!linked || sessionId === null) return;
    const over = new AbortController();
    void ask((client) => client.session.commands({ sessionId })).then((listed) => {
      // A list that cannot be had takes nothing away: the text still goes to the host.
      if (!over.signal.aborted && listed.ok) store.setState({ hostCommands: listed.value });
    });
    void loadMentions({ ask, store }, sessionId, over.signal);
    return () => over.abort();
  }, [ask, store, sessionId, linked, offering]);
}

function focusTargets(
  composer: { readonly current: HTMLTextAreaElement | null },
  search: { readonly current: HTMLInputElement | null },
): FocusTargets {
  return {
    focusComposer: () => composer.current?.focus(),
    focusSearch: () => {
      search.current?.focus();
      // A column that was shut is drawn with the next frame. In an open one no key waits for it, or it would go to the composer.
      if (search.current === null || document.activeElement !== search.current)
        requestAnimationFrame(() => search.current?.focus());
    },
    toggleConversation: () => {
      const conversation = document.querySelector<HTMLElement>('[data-conversation="main"]');
      const asked = document.querySelector<HTMLElement>('[data-question] [role=dialog]');
      const queued = document.querySelector<HTMLElement>('[data-queue-line]');
      const there = conversation?.contains(document.activeElement) ?? false;
      const next = there ? (asked ?? queued ?? composer.current) : conversation;
      const isQueued = document.activeElement?.closest('[data-queue]') != null;
      (isQueued ? composer.current : next)?.focus();
    },
    inTerminal: () => document.activeElement?.closest('.xterm') !== null,
  };
}

/** Listens for the keys of the table while the workbench is on screen. */
function useKeys(context: CommandContext): void {
  useEffect(() => {
    const apple = onApple();
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const target = event.target instanceof Element ? event.target : null;
      const press = pressOf(event, apple);
      const inTerminal = target?.closest('.xterm') !== null && target !== null;
      const { keymap, dialog } = context.lathe.store.getState();
      const found = inTerminal ? keymap.commandFor(press, 'terminal') : null;
      const own = found !== null && isRunnable(found.id) ? found : null;
      const isOurs = () => appTakesFromTerminal(keymap, press, apple, reachesNobody(event));
      if (inTerminal && own === null && !isOurs()) return;
      const command = own ?? keymap.commandFor(press, 'window');
      if (command === null) return;
      // Beside the message itself Shift+Tab goes back, as everywhere.
      if (command.inComposer && !target?.matches('[data-focus-home]')) return;
      if (event.key === 'Escape' && target?.closest('[role=dialog], [role=menu], input')) return;
      event.preventDefault();
      if (dialog !== null && restsBehindDialogs(command.id)) return;
      void runCommand(context, command.id);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [context]);
}

/** Carries out what is chosen in a menu of the system. */
function useMenu(context: CommandContext): void {
  useEffect(
    () =>
      context.lathe.onChosen((id) => {
        const command = COMMANDS.find((one) => one.id === id);
        if (command !== undefined) void runCommand(context, command.id);
      }),
    [context],
  );
}

/** Says that the conversation on screen cannot be saved, for as long as it cannot. */
function Unsaved() {
  const unsaved = useScreen((s) => currentTranscript(s)?.unsaved ?? null);
  if (unsaved === null) return null;
  return (
    <section aria-label="Not saved" className="shrink-0 border-b border-line px-4 py-2">
      <Notice level="error" title="Not saved">
        <VisibleText text={unsaved} />
      </Notice>
    </section>
  );
}

/** A line over the conversation about configuration of this folder that is off or broken. */
function Banner({ project }: { readonly project: Project }) {
  const lathe = useLathe();
  const home = useScreen((s) => s.info?.home ?? '');
  const ofKeys = useKeymap().problems;
  const [first, ...more] = [...project.problems, ...ofKeys];
  if (!project.trusted && project.findings.length > 0) {
    return (
      <Line icon="trust" action="Review…" onAction={() => reviewTrust(lathe, project.path)}>
        This folder is not trusted. What it configures is off (
        {plural(project.findings.length, 'entry', 'entries')}).
      </Line>
    );
  }
  if (first === undefined) return null;
  const page = project.problems.length > 0 ? 'project' : 'keys';
  const others = more.length === 0 ? '' : ` And ${more.length} more.`;
  return (
    <Line
      icon="problem"
      action="Show"
      onAction={() => lathe.store.setState({ dialog: { kind: 'settings', page } })}
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
    tildeText(problemWords(problem), home),
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
