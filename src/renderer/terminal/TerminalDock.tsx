import { SquareTerminal } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { TerminalInfo } from '../../shared/terminal';
import { dismissTerminal, killTerminal, openShell, showTerminal } from '../store/terminals';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { EmptyState } from '../ui/EmptyState';
import { TerminalPane } from './TerminalPane';
import { TerminalTabs } from './TerminalTabs';
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
  const close = async (terminal: TerminalInfo) => {
    if (!hasEnded(terminal)) await killTerminal(lathe, terminal.id);
    await dismissTerminal(lathe, terminal.id);
  };
  return (
    <section aria-label="Terminals" className="flex h-full min-h-0 flex-col bg-side">
      <TerminalTabs
        terminals={visible}
        shownId={shown?.id ?? null}
        onShow={(id) => showTerminal(lathe, id)}
        onClose={close}
        onNew={() => openShell(lathe)}
      />
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

/** Brings a terminal that has just appeared to the front, unless the person works in a shell. */
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
