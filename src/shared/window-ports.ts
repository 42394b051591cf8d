/**
 * The handshake that connects a page under Electron. The page says {@link READY_MESSAGE} to its own window; the
 * preload answers there with `{type: PORTS_MESSAGE}` and two ports, `[rpc, terminals]`, whose other ends it
 * sends to the main process on {@link CONNECT_CHANNEL}. A closed port means: say ready again. Before the calls that the
 * first port is for, the main process says on it what it waits for, each time that changes, and last that it serves.
 */
export const READY_MESSAGE = 'lathe:ready';
export const PORTS_MESSAGE = 'lathe:ports';
export const CONNECT_CHANNEL = 'lathe:connect';

/** The thing that the main process waits for before it serves a page: the environment of the login shell, or what takes no time. */
export type HostWait = 'login-shell' | 'start';

/** The notice that the login shell is being asked, with the user's way to stop waiting for it. */
export interface ShellWatcher {
  /** Called when asking begins, and when it is over. */
  onAsking(isAsking: boolean): void;
  /** Aborted when the user does not want to wait. */
  readonly skip: AbortSignal;
}

/** The words of the main process before it serves a page. */
export type Greeting =
  | { readonly type: 'lathe:waits'; readonly for: HostWait }
  | { readonly type: 'lathe:serves' };

/** The page's word that a user wants to go on without what is waited for. */
export const SKIP_MESSAGE = 'lathe:skip';

/** Reads a greeting; null for everything else. */
export function greetingIn(data: unknown): Greeting | null {
  if (typeof data !== 'object' || data === null || !('type' in data)) return null;
  if (data.type === 'lathe:serves') return { type: data.type };
  if (data.type !== 'lathe:waits' || !('for' in data)) return null;
  return { type: data.type, for: data.for === 'login-shell' ? 'login-shell' : 'start' };
}
