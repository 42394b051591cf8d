import type { SessionMention } from '../../shared/project-file';
import type { Session } from '../engine/session/session';

/** A server that answers later than this is not waited for: its resources are not offered. Milliseconds. */
const LIST_MS = 5_000;
/** The most resources of one server that are offered. */
const MAX_RESOURCES = 500;
/** The longest description that goes with one. Characters. */
const MAX_DETAIL = 200;

/** Returns what else than files a prompt of a session can mention: kinds of sub-agents, and what tool servers have to read. */
export async function sessionMentions(
  session: Pick<Session, 'agentKinds' | 'resources' | 'settled'>,
): Promise<readonly SessionMention[]> {
  await session.settled();
  const { resources } = session;
  const [kinds, ...offered] = await Promise.all([
    session.agentKinds(),
    ...resources.servers().map(async (server) => {
      const listed = await resources.list(server, AbortSignal.timeout(LIST_MS));
      if (!listed.ok) return [];
      return listed.value.slice(0, MAX_RESOURCES).map(({ uri, title, name, description }) => ({
        path: `${server}:${uri}`,
        detail: (description ?? title ?? name).slice(0, MAX_DETAIL).toWellFormed(),
      }));
    }),
  ]);
  const agents = kinds.map(({ name, description }) => ({
    path: `agent:${name}`,
    detail: description.slice(0, MAX_DETAIL).toWellFormed(),
  }));
  return [...agents, ...offered.flat()];
}
