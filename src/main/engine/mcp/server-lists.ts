import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Client, Prompt, Resource, ResourceTemplateType } from '@modelcontextprotocol/client';
import type { Clock } from '../ports';
import { isLost } from './connection-faults';
import { type AskOptions, inTime } from './in-time';

/** The most resources of one server that are listed. */
const MAX_RESOURCES = 1000;
/** The most prompts of one server. */
const MAX_PROMPTS = 200;
/** The longest that the tools of a server wait for its prompts. Milliseconds. */
export const PROMPTS_WAIT_MS = 2_000;

/** Gives a server the folders of the session when it asks; returns what tells it once when they are others by then. */
export function serveRoots(client: Client, folders: () => readonly string[]): () => void {
  let given: string | null = null;
  client.setRequestHandler('roots/list', () => {
    const now = folders();
    given = JSON.stringify(now);
    return { roots: now.map(rootOf) };
  });
  return () => {
    if (given === null || given === JSON.stringify(folders())) return;
    given = null;
    // One that cannot be told is on its way out.
    client.sendRootsListChanged().catch(() => {});
  };
}

/** Returns a folder as servers are told of it. */
const rootOf = (folder: string) => ({
  uri: pathToFileURL(folder).href,
  name: basename(folder),
});

/** The prompts of a server, as far as they came soon. */
export interface FirstPrompts {
  readonly prompts: readonly Prompt[];
  /** Resolves with those that come later, null when none did in the time a server has; null: all are there. */
  readonly later: Promise<readonly Prompt[] | null> | null;
}

/**
 * Lists the prompts of a server. One that has none, or cannot list them, still has its tools, and one that does not answer does
 * not keep them waiting. Throws when the server is lost meanwhile.
 */
export async function firstPrompts(
  client: Client,
  clock: Pick<Clock, 'sleep'>,
  { signal, timeout }: AskOptions,
): Promise<FirstPrompts> {
  if (!client.getServerCapabilities()?.prompts) return { prompts: [], later: null };
  const listing = inTime(clock, timeout, signal, (options) => listPrompts(client, options));
  const waiting = new AbortController();
  const patience = clock.sleep(PROMPTS_WAIT_MS, waiting.signal).then(() => null);
  try {
    const prompts = await Promise.race([listing, patience]);
    if (prompts !== null) return { prompts, later: null };
  } catch (thrown) {
    if (signal.aborted || isLost(thrown)) throw thrown;
    return { prompts: [], later: null };
  } finally {
    waiting.abort();
  }
  return { prompts: [], later: listing.catch(() => null) };
}

/** Lists the prompts of a server, as they are now. */
export const listPrompts = async (
  client: Client,
  options: AskOptions,
): Promise<readonly Prompt[]> =>
  (await client.listPrompts(undefined, { ...options, cacheMode: 'refresh' })).prompts.slice(
    0,
    MAX_PROMPTS,
  );

/** Lists the resources of a server, at most {@link MAX_RESOURCES}. The client asks for all pages, and bounds them. */
export const listResources = async (
  client: Client,
  options: AskOptions,
): Promise<readonly Resource[]> =>
  (await client.listResources(undefined, options)).resources.slice(0, MAX_RESOURCES);

/** Lists the patterns of addresses that a server has to read; of one that knows none, none. */
export async function listTemplates(
  client: Client,
  options: AskOptions,
): Promise<readonly ResourceTemplateType[]> {
  try {
    const listed = await client.listResourceTemplates(undefined, options);
    return listed.resourceTemplates.slice(0, MAX_RESOURCES);
  } catch (thrown) {
    // Most servers that have resources have no such list.
    if (options.signal.aborted || isLost(thrown)) throw thrown;
    return [];
  }
}
