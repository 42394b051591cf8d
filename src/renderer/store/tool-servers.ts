import type { Result } from '../../shared/result';
import { ok } from '../../shared/result';
import type { ToolServerAct, ToolServerDetails } from '../../shared/tool-server';
import type { Lathe } from './lathe';

/** Keeps the tool servers of a session in the store until the signal aborts. */
export async function watchToolServers(
  { ask, store }: Pick<Lathe, 'ask' | 'store'>,
  sessionId: string,
  signal: AbortSignal,
): Promise<void> {
  await ask(async (client) => {
    for await (const toolServers of await client.toolServers.watch({ sessionId }, { signal })) {
      if (signal.aborted) break;
      store.setState({ toolServers });
    }
    return ok(null);
  });
}

/** Lists what a tool server offers and said. */
export const toolServerDetails = (
  lathe: Lathe,
  sessionId: string,
  name: string,
): Promise<Result<ToolServerDetails>> =>
  lathe.ask((client) => client.toolServers.details({ sessionId, name }));

/** Does something about a tool server; the value says what is not seen in the list. */
export const actOnToolServer = (
  lathe: Lathe,
  sessionId: string,
  act: ToolServerAct,
): Promise<Result<string | null>> =>
  lathe.ask((client) => client.toolServers.act({ sessionId, act }));
