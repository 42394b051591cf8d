import { SquareTerminal } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { TerminalInfo } from '../../shared/terminal';
import type { PaneNode } from '../../shared/terminal-panes';
import { changePanes, panesOf } from '../store/panes';
import { currentTranscript } from '../store/screen';
import { setPreferences, withLayout } from '../store/settings';
import { openShell, restartTerminalHost, showTerminal } from '../store/terminals';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { cx } from '../ui/css';
import { EmptyState, Notice } from '../ui/Notice';
import { PaneTree } from './PaneTree';
import { onlyWith, placeOf, tabsOf, withPlaces, shown as withShown } from './panes';
import { TerminalTabs } from './TerminalTabs';
import { hasEnded, shownTerminal, takesTheFront, visibleTerminals } from './visible-terminals';

/** The dock's lower half: the terminals of the project and the session, in panes. */
export function TerminalDock({ project }: { readonly project: string }) {
  const lathe = useLathe();
  const all = useScreen((s) => s.app?.terminals);
  const sessionId = useScreen((s) => s.sessionId);
  const chosen = useScreen((s) => s.terminalId);
  const stored = useScreen((s) => panesOf(s, project));
  const paneId = useScreen((s) => s.paneId);
  const maximised = useScreen((s) => s.paneMaximised);
  const visible = visibleTerminals(all ?? [], project, sessionId, chosen);
  const ids = visible.map(({ id }) => id);
  const panes = onlyWith(withPlaces(stored, ids, paneId), new Set(ids));
  const inUse = panes === null ? null : (tabsOf(panes).find(({ id }) => id === paneId) ?? null);
  useChosenInFront(chosen, ids, panes);
  useNewcomers(visible, shownTerminal(visible, inUse?.shown ?? chosen), (id) =>
    showTerminal(lathe, id),
  );
  useSavedPanes(project);
  useRoomForQuestions();
  useEffect(() => {
    if (all) lathe.terminals.keepOnly(new Set(all.map((terminal) => terminal.id)));
  }, [lathe, all]);
  const drawn = maximised && inUse !== null ? inUse : panes;
  return (
    <section
      aria-label="Terminals"
      data-over-title-rows={maximised && drawn !== null ? '' : undefined}
      className={cx(
        'flex min-h-0 flex-col bg-side',
        maximised && drawn !== null ? 'fixed inset-x-0 top-0 bottom-7 z-30' : 'h-full',
      )}
    >
      <HostNotice />
      {drawn === null ? (
        <>
          <TerminalTabs
            terminals={[]}
            shownId={null}
            onNew={(profile) => void openShell(lathe, undefined, profile)}
          />
          <div className="min-h-0 flex-1">
            <EmptyState
              icon={SquareTerminal}
              title="No terminal open"
              text="Commands Lathe runs appear here live. You can also open a shell of your own."
              action={
                <Button size="sm" onClick={() => void openShell(lathe)}>
                  Open a shell
                </Button>
              }
            />
          </div>
        </>
      ) : (
        <PaneTree panes={drawn} terminals={visible} />
      )}
    </section>
  );
}

/** Brings the terminal that was chosen to the front of its pane, which is then the one in use. */
function useChosenInFront(
  chosen: string | null,
  ids: readonly string[],
  panes: PaneNode | null,
): void {
  const lathe = useLathe();
  const place = panes === null ? null : placeOf(panes, chosen);
  const isThere = place !== null;
  useEffect(() => {
    if (chosen === null || place === null) return;
    const { paneId } = lathe.store.getState();
    changePanes(lathe, (before) => withShown(withPlaces(before, ids, paneId), chosen));
    lathe.store.setState({ paneId: place.id });
  }, [lathe, chosen, isThere, place?.id]);
}

/** Panes are written down once things have been still for this long, in milliseconds. */
const SAVE_AFTER_MS = 500;

/** Saves how the panes of a project are arranged, a little after each change and when it leaves the screen. */
function useSavedPanes(project: string): void {
  const lathe = useLathe();
  const panes = useScreen((s) => s.panes[project]);
  const unsaved = useRef<PaneNode | null>(null);
  const save = useCallback(() => {
    const saved = lathe.store.getState().app?.preferences.panes ?? {};
    if (unsaved.current === null) return;
    const next = withLayout(saved, project, unsaved.current);
    unsaved.current = null;
    void setPreferences(lathe, { panes: next });
  }, [lathe, project]);
  useEffect(() => {
    if (panes === undefined) return;
    unsaved.current = panes;
    const timer = setTimeout(save, SAVE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [panes, save]);
  useEffect(() => save, [save]);
}

/** Gives the room back as soon as the agent asks something: the conversation must be seen. */
function useRoomForQuestions(): void {
  const { store } = useLathe();
  const asked = useScreen((s) => (currentTranscript(s)?.approvals.length ?? 0) > 0);
  useEffect(() => {
    if (asked) store.setState({ paneMaximised: false });
  }, [store, asked]);
}

const HOST_NOTICES = {
  hung: {
    level: 'warning',
    title: 'The terminal host does not answer.',
    text: 'What runs in it goes on, and Stop still ends a task. A restart ends everything that runs in it.',
    restart: 'Restart the terminal host',
  },
  other_hung: {
    level: 'warning',
    title: 'The terminal host of another version of Lathe does not answer.',
    text: 'What runs in it goes on, and comes back here as soon as it answers. Everything else works. Ending it ends what runs in it.',
    restart: 'End that terminal host',
  },
  lost: {
    level: 'error',
    title: 'The terminal host is gone.',
    text: 'What ran in it has ended; what was seen of it stays until you close it. The next command starts another one, too.',
    restart: 'Restart the terminal host',
  },
} as const;

/** The state of a terminal host that hangs or was lost, with the way out. */
function HostNotice() {
  const lathe = useLathe();
  const state = useScreen((s) => s.app?.terminalHost);
  const [busy, setBusy] = useState(false);
  if (state === undefined || state === 'idle' || state === 'ready') return null;
  const { level, title, text, restart } = HOST_NOTICES[state];
  const onRestart = async () => {
    setBusy(true);
    await restartTerminalHost(lathe).finally(() => setBusy(false));
  };
  return (
    <section aria-label="Terminal host" className="shrink-0 border-b border-line p-2">
      <Notice level={level} title={title}>
        {text}
        <p className="mt-2">
          <Button size="sm" disabled={busy} onClick={() => void onRestart()}>
            {restart}
          </Button>
        </p>
      </Notice>
    </section>
  );
}

/** Brings a terminal that has just appeared to the front, unless the user works in a shell. */
function useNewcomers(
  visible: readonly TerminalInfo[],
  shown: TerminalInfo | null,
  show: (id: string) => void,
) {
  const known = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    const before = known.current;
    known.current = new Set(visible.map((terminal) => terminal.id));
    const newcomer = visible.findLast((t) => before !== null && !before.has(t.id) && !hasEnded(t));
    if (newcomer && takesTheFront(shown)) show(newcomer.id);
  });
}
