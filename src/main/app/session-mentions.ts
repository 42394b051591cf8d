import type { MentionKind, SessionMention } from '../../shared/project-file';
import type { Session } from '../engine/session/session';

/** A server that answers later than this is not waited for: its resources are not offered. Milliseconds. */
const LIST_MS = 5_000;
/** The most resources of one server that are offered. */
const MAX_RESOURCES = 500;
/** The longest description that goes with one. Characters. */
const MAX_DETAIL = 200;

/**
 * Returns what else than files a prompt of a session can mention: kinds of sub-agents, or what tool servers have to read.
 * Servers may take long, so that nobody should wait for both.
 */
export async function sessionMentions(
  session: Pick<Session, 'agentKinds' | 'resources' | 'settled'>,
  kind: MentionKind,
): Promise<readonly SessionMention[]> {
  await session.settled();
  return kind === 'agents' ? agentMentions(session) : resourceMentions(session);
}

async function agentMentions(
  session: Pick<Session, 'agentKinds'>,
): Promise<readonly SessionMention[]> {
  return (await session.agentKinds()).map(({ name, description }) => ({
    path: `agent:${name}`,
    detail: description.slice(0, MAX_DETAIL).toWellFormed(),
  }));
}

async function resourceMentions({
  resources,
}: Pick<Session, 'resources'>): Promise<readonly SessionMention[]> {
  const offered = await Promise.all(
    resources.servers().map(async (server) => {
      const listed = await resources.list(server, AbortSignal.timeout(LIST_MS));
      if (!listed.ok) return [];
      return listed.value.slice(0, MAX_RESOURCES).map(({ uri, title, name, description }) => ({
        path: `${server}:${uri}`,
        detail: (description ?? title ?? name).slice(0, MAX_DETAIL).toWellFormed(),
      }));
    }),
  );
  return offered.flat();
}
