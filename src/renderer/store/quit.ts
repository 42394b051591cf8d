import type { Lathe } from './lathe';
import { reported, reportFault } from './toasts';

/** Asks before Lathe ends: in the page, or by the host's own dialog where it has one. */
export async function askToQuit(lathe: Lathe): Promise<void> {
  const { store, ask } = lathe;
  if (store.getState().info?.host === 'electron') {
    reported(store, await ask((client) => client.app.quit({ keepTerminals: false })));
    return;
  }
  const running = await ask((client) => client.app.running());
  if (running.ok) store.setState({ dialog: { kind: 'quit', running: running.value } });
  else reportFault(store, running.error);
}

/**
 * Ends the host; the page says so from then on. With `keepTerminals` every terminal goes on and is found again at the
 * next start.
 */
export async function quit({ store, ask }: Lathe, keepTerminals: boolean): Promise<void> {
  store.setState({ hasQuit: true });
  const answer = await ask((client) => client.app.quit({ keepTerminals }));
  // A host that was gone before its answer arrived did what it was asked.
  if (answer.ok || answer.error.code === 'offline') return;
  store.setState({ hasQuit: false });
  reportFault(store, answer.error);
}
