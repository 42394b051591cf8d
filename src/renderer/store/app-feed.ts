import type { AppFeed, AppState } from '../../shared/contract';
import { reconnectDelayMs } from '../api/keep-connected';
import type { Transport } from '../api/transport';
import type { ScreenStore } from './screen';

/** Where the person asked, from outside the window, to be taken. */
export type ShowRequest = Extract<AppFeed, { type: 'show' }>;

/** What {@link followApp} needs around it. */
export interface AppFeedDeps {
  readonly store: ScreenStore;
  wait(ms: number, signal: AbortSignal): Promise<void>;
  onShow(request: ShowRequest): void;
}

/** Keeps the app's state equal to the engine's for as long as the connection lives. Never rejects. */
export async function followApp(deps: AppFeedDeps, transport: Transport): Promise<void> {
  const control = new AbortController();
  const { signal } = control;
  transport.onClosed(() => control.abort());
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    try {
      const info = await transport.client.app.info(undefined, { signal });
      deps.store.setState({ info });
      for await (const item of await transport.client.app.watch(undefined, { signal })) {
        attempt = 1;
        if (item.type === 'show') deps.onShow(item);
        else deps.store.setState((s) => ({ app: mergeState(s.app, item.state) }));
      }
    } catch {
      // A lost connection ends the loop through the signal; anything else is tried again.
    }
    await deps.wait(reconnectDelayMs(attempt), signal);
  }
}

/** Replaces the slices named. Before the first full state, missing slices are empty. */
export const mergeState = (known: AppState | null, news: Partial<AppState>): AppState => ({
  ...(known ?? NOTHING),
  ...news,
});

const NOTHING: AppState = {
  connection: { kind: 'none' },
  preferences: { theme: 'system', zoom: 1, layout: {} },
  recents: [],
  projects: [],
  sessions: [],
  terminals: [],
};
