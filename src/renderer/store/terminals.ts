import type { Result } from '../../shared/result';
import { type KillReport, MAX_TERMINAL_NAME, type ProcessFacts } from '../../shared/terminal';
import { exchanged, moved, type PaneSide, without } from '../terminal/panes';
import type { Lathe } from './lathe';
import { changePanes } from './panes';
import { addToast, reported } from './toasts';

/** Brings a terminal's tab to the front. One that is not listed was closed. */
export const showTerminal = ({ store }: Pick<Lathe, 'store'>, terminalId: string): void =>
  store.setState(({ app }) =>
    app?.terminals.some(({ id }) => id === terminalId) === true ? { terminalId } : {},
  );

/** Chooses a terminal that was just started, and may not be listed yet. */
function showStarted(lathe: Lathe, terminalId: string): void {
  lathe.store.setState({ terminalId });
  lathe.terminals.focus(terminalId);
}

/** Opens the search in a terminal, or goes back to its field. */
export const findIn = ({ store }: Lathe, terminalId: string): void =>
  store.setState(({ finding }) => ({
    finding: { terminalId, wishes: (finding?.wishes ?? 0) + 1 },
    dockOpen: true,
  }));

/** Ends the search in a terminal. One that was opened in another since goes on. */
export const endFindIn = ({ store }: Lathe, terminalId: string): void =>
  store.setState(({ finding }) => (finding?.terminalId === terminalId ? { finding: null } : {}));

/** The size a new shell starts with, before its pane has measured itself. */
const FIRST_SIZE = { cols: 100, rows: 24 } as const;

/**
 * Starts a shell of the user's own in this window's project, or what a profile names, shows it in the pane in use or beside
 * one, and goes there.
 */
export async function openShell(
  lathe: Lathe,
  beside?: { readonly pane: string; readonly side: PaneSide },
  profile?: string,
): Promise<void> {
  const project = lathe.store.getState().opened?.path;
  if (project === undefined) return;
  const made = reported(
    lathe.store,
    await lathe.ask((client) =>
      client.terminals.create({
        ...{ project, ...FIRST_SIZE },
        ...(profile === undefined ? {} : { profile }),
      }),
    ),
  );
  if (!made.ok) return;
  if (beside !== undefined) changePanes(lathe, (panes) => moved(panes, made.value.id, beside));
  showStarted(lathe, made.value.id);
}

/** Ends every process of a terminal and tells the truth about what is left. */
export async function killTerminal(lathe: Lathe, terminalId: string): Promise<void> {
  tellSurvivors(lathe, await lathe.ask((client) => client.terminals.kill({ terminalId })));
}

/**
 * Takes the keyboard of a command, in all windows, or gives it back. Once that is done, this window remembers that it was
 * taken here.
 */
export async function takeWheel(
  lathe: Pick<Lathe, 'store' | 'ask'>,
  terminalId: string,
  taken: boolean,
): Promise<void> {
  const done = reported(
    lathe.store,
    await lathe.ask((client) => client.terminals.takeWheel({ terminalId, taken })),
  );
  if (!done.ok) return;
  lathe.store.setState(({ wheels }) => {
    const others = wheels.filter((id) => id !== terminalId);
    return { wheels: taken ? [...others, terminalId] : others };
  });
}

/** Ends one process of a terminal's tree and no other. */
export async function killProcess(
  lathe: Lathe,
  terminalId: string,
  { pid, startTime }: Pick<ProcessFacts, 'pid' | 'startTime'>,
): Promise<void> {
  tellSurvivors(
    lathe,
    await lathe.ask((client) => client.terminals.killProcess({ terminalId, pid, startTime })),
  );
}

/** Gives a terminal a name in all windows; an empty one takes it away. */
export async function renameTerminal(
  lathe: Lathe,
  terminalId: string,
  name: string,
): Promise<void> {
  reported(
    lathe.store,
    await lathe.ask((client) =>
      client.terminals.rename({ terminalId, name: name.trim().slice(0, MAX_TERMINAL_NAME) }),
    ),
  );
}

/** Lets a terminal go on when Lathe quits, or not. */
export async function pinTerminal(
  lathe: Lathe,
  terminalId: string,
  pinned: boolean,
): Promise<void> {
  reported(lathe.store, await lathe.ask((client) => client.terminals.pin({ terminalId, pinned })));
}

/** Runs anew what an ended terminal ran, in its place, and goes there. */
export async function rerunTerminal(lathe: Lathe, terminalId: string): Promise<void> {
  const started = reported(
    lathe.store,
    await lathe.ask((client) => client.terminals.rerun({ terminalId })),
  );
  if (!started.ok) return;
  changePanes(lathe, (panes) => exchanged(panes, terminalId, started.value.id));
  showStarted(lathe, started.value.id);
}

/** Closes the tab of a terminal that has ended. */
export async function dismissTerminal(lathe: Lathe, terminalId: string): Promise<void> {
  const dismissed = await lathe.ask((client) => client.terminals.dismiss({ terminalId }));
  if (reported(lathe.store, dismissed).ok)
    changePanes(lathe, (panes) => without(panes, terminalId));
}

/** Stops a task with its whole process tree. */
export async function stopTask(lathe: Lathe, sessionId: string, taskId: string): Promise<void> {
  tellSurvivors(lathe, await lathe.ask((client) => client.tasks.stop({ sessionId, taskId })));
}

/** Ends processes that an earlier Lathe left running. */
export async function endLeftovers(lathe: Lathe, ids: readonly string[]): Promise<void> {
  tellSurvivors(
    lathe,
    await lathe.ask((client) => client.terminals.endLeftovers({ ids: [...ids] })),
  );
}

/** Lets the processes of an earlier Lathe run on. */
export async function forgetLeftovers(lathe: Lathe): Promise<void> {
  reported(lathe.store, await lathe.ask((client) => client.terminals.forgetLeftovers()));
}

/** Ends a terminal host that hangs or was lost, with all that runs in it, and starts another one. */
export async function restartTerminalHost(lathe: Lathe): Promise<void> {
  reported(lathe.store, await lathe.ask((client) => client.terminals.restartHost()));
}

/** Moves a running foreground command to the background. */
export async function moveToBackground(
  lathe: Lathe,
  sessionId: string,
  callId: string,
): Promise<void> {
  reported(
    lathe.store,
    await lathe.ask((client) => client.tasks.background({ sessionId, callId })),
  );
}

function tellSurvivors({ store }: Lathe, result: Result<KillReport>): void {
  const report = reported(store, result);
  if (!report.ok || report.value.survivors.length === 0) return;
  addToast(store, {
    level: 'error',
    text: `Still alive after the kill: process ${report.value.survivors.join(', ')}.`,
    fix: 'End it from a terminal; Lathe keeps watching it.',
  });
}
