import type { McpServerSetting } from '../settings/mcp-servers';
import { createMcpServers, type McpServerStatus, type McpServersDeps } from './mcp-servers';

/** Starts servers, waits until each is connected or has failed, and ends them; returns what became of them. */
export async function checkServers(
  deps: Omit<McpServersDeps, 'wanted' | 'held' | 'tell' | 'elicit'>,
  wanted: readonly McpServerSetting[],
  signal: AbortSignal,
): Promise<readonly McpServerStatus[]> {
  const servers = createMcpServers({
    ...deps,
    wanted: () => wanted,
    held: () => [],
    tell: () => {},
    elicit: async () => ({ action: 'decline' }),
  });
  const { promise: settled, resolve } = Promise.withResolvers<void>();
  const look = () => {
    if (signal.aborted || servers.status().every(({ status }) => status !== 'pending')) resolve();
  };
  const unlisten = servers.source.onChange(look);
  signal.addEventListener('abort', look, { once: true });
  servers.sync();
  look();
  await settled;
  signal.removeEventListener('abort', look);
  unlisten();
  const status = servers.status();
  await servers.close();
  return status;
}
