/**
 * The handshake that connects a page under Electron. The page says {@link READY_MESSAGE} to its own window; the
 * preload answers there with `{type: PORTS_MESSAGE}` and two ports, `[rpc, terminals]`, whose other ends it
 * sends to the main process on {@link CONNECT_CHANNEL}. A closed port means: say ready again.
 */
export const READY_MESSAGE = 'lathe:ready';
export const PORTS_MESSAGE = 'lathe:ports';
export const CONNECT_CHANNEL = 'lathe:connect';
