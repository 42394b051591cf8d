import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { encodeLine } from '../../src/main/engine/event-log';
import type { SessionSearch } from '../../src/main/search/hits';
import { parseSearch } from '../../src/main/search/words';
import type { DurableEvent } from '../../src/shared/agent-event';
import type { SearchAnswer } from '../../src/shared/session-search';

/** One event of a log with its time. */
export interface Line {
  readonly at: number;
  readonly event: DurableEvent;
}

export const started = (cwd = '/project'): Line => ({
  at: 1,
  event: { type: 'session_started', version: 1, cwd, createdAt: 1 },
});

export const prompt = (at: number, text: string): Line => ({
  at,
  event: { type: 'user_message', id: `p${at}`, content: [{ type: 'text', text }] },
});

export const answer = (at: number, text: string): Line => ({
  at,
  event: {
    ...{ type: 'block_finished', messageId: `m${at}`, model: 'm', index: 0 },
    block: { type: 'text', text },
  },
});

export const titled = (at: number, title: string): Line => ({
  at,
  event: { type: 'title_changed', title },
});

export const settled = (at: number, target: string, text: string): Line => ({
  at,
  event: {
    ...{ type: 'call_settled', callId: `c${at}`, tool: 'Read', status: 'done' },
    ...{ title: { verb: 'Read', target }, content: [{ type: 'text', text }] },
    ...{ isError: false, view: null, durationMs: 1 },
  },
});

export const textOf = (lines: readonly Line[]): string => lines.map(encodeLine).join('');

/** The folders of logs below a temporary folder. */
export const places = (folder: string) => ({
  projects: join(folder, 'projects'),
  others: [
    { origin: 'claude' as const, folder: join(folder, 'claude') },
    { origin: 'codex' as const, folder: join(folder, 'codex') },
  ],
  index: join(folder, 'search', 'sessions.db'),
});

/** Returns the path of a session's log. */
export const logPath = (folder: string, name: string): string =>
  join(folder, 'projects', 'p', `session-${name}.jsonl`);

/** Writes the log of a session. */
export async function writeLog(
  folder: string,
  name: string,
  lines: readonly Line[],
): Promise<void> {
  const path = logPath(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, textOf(lines));
}

export const appendLog = (folder: string, name: string, lines: readonly Line[]): Promise<void> =>
  appendFile(logPath(folder, name), textOf(lines));

/** Searches to the end; returns the last answer. */
export async function searchAll(
  search: SessionSearch,
  text: string,
  ownOnly = false,
): Promise<SearchAnswer> {
  const answers: SearchAnswer[] = [];
  for await (const one of search.search(parseSearch(text) ?? [], ownOnly)) answers.push(one);
  const last = answers.at(-1);
  if (last === undefined) throw new Error('no answer');
  return last;
}

/** Returns the items found, as `session/item`. */
export const itemsOf = ({ hits }: SearchAnswer): readonly string[] =>
  hits.map(({ sessionId, itemId }) => `${sessionId.slice('session-'.length)}/${itemId}`);
