import { SquareTerminal } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { TerminalInfo } from '../../shared/terminal';
import {
  dismissTerminal,
  killTerminal,
  openShell,
  renameTerminal,
  rerunTerminal,
  restartTerminalHost,
  showTerminal,
} from '../store/terminals';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { EmptyState, Notice } from '../ui/Notice';
import { TerminalPane } from './TerminalPane';
import { type TabActs, TerminalTabs } from './TerminalTabs';
import { hasEnded, shownTerminal, takesTheFront, visibleTerminals } from './visible-terminals';

/** The dock's lower half: the terminals of the project and the session, one of them on screen. */
export function TerminalDock({ project }: { readonly project: string }) {
  const lathe = useLathe();
  const all = useScreen((s) => s.app?.terminals);
  const sessionId = useScreen((s) => s.sessionId);
  const chosen = useScreen((s) => s.terminalId);
  const visible = visibleTerminals(all ?? [], project, sessionId, chosen);
  const shown = shownTerminal(visible, chosen);
  useNewcomers(visible, shown, (id) => showTerminal(lathe, id));
  useEffect(() => {
    if (all) lathe.terminals.keepOnly(new Set(all.map((terminal) => terminal.id)));
  }, [lathe, all]);
  const acts: TabActs = {
    onShow: (id) => showTerminal(lathe, id),
    onClose: async (terminal) => {
      if (!hasEnded(terminal)) await killTerminal(lathe, terminal.id);
      await dismissTerminal(lathe, terminal.id);
    },
    onRename: (id, name) => void renameTerminal(lathe, id, name),
    onRerun: (id) => void rerunTerminal(lathe, id),
    onNew: () => void openShell(lathe),
  };
  return (
    <section aria-label="Terminals" className="flex h-full min-h-0 flex-col bg-side">
      <TerminalTabs terminals={visible} shownId={shown?.id ?? null} acts={acts} />
      <HostNotice />
      <div className="min-h-0 flex-1">
        {shown === null ? (
          <EmptyState
            icon={SquareTerminal}
            title="No terminal open"
            text="Commands Lathe runs appear here live. You can also open a shell of your own."
            action={
              <Button size="sm" onClick={() => openShell(lathe)}>
                Open a shell
              </Button>
            }
          />
        ) : (
          <TerminalPane key={shown.id} terminal={shown} live={lathe.terminals.get(shown.id)} />
        )}
      </div>
    </section>
  );
}

/** The state of a terminal host that hangs or was lost, with the way out. */
function HostNotice() {
  const lathe = useLathe();
  const state = useScreen((s) => s.app?.terminalHost);
  const [busy, setBusy] = useState(false);
  if (state !== 'hung' && state !== 'lost') return null;
  const restart = async () => {
    setBusy(true);
    await restartTerminalHost(lathe).finally(() => setBusy(false));
  };
  return (
    <section aria-label="Terminal host" className="shrink-0 border-b border-line p-2">
      <Notice
        level={state === 'hung' ? 'warning' : 'error'}
        title={
          state === 'hung' ? 'The terminal host does not answer.' : 'The terminal host is gone.'
        }
      >
        {state === 'hung'
          ? 'What runs in it goes on, and Stop still ends a task. A restart ends everything that runs in it.'
          : 'What ran in it has ended; what was seen of it stays until you close it. The next command starts another one, too.'}
        <p className="mt-2">
          <Button size="sm" disabled={busy} onClick={() => void restart()}>
            Restart the terminal host
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
