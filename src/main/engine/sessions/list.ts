import { join } from 'node:path';
import type { AgentColor } from '../../../shared/agent-color';
import type { TrashedSession } from '../../../shared/contract-sessions';
import type { UserBlock } from '../../../shared/message';
import { pastedBody, typedWords } from '../../../shared/paste';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { Files } from '../ports';
import { type LogLine, parseLog } from './load';
import { openWait } from './open-wait';
import { isSessionId, projectFolder, projectSlug } from './paths';
import { archivedMark, type TrashServices, trashEntries } from './trash';

/** A session that is not open, as a list shows it. Times are epoch milliseconds. */
export interface StoredSession {
  readonly id: string;
  readonly file: string;
  readonly project: string;
  readonly title: string;
  readonly color?: AgentColor;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly demo: boolean;
  /** Its work waits for the API, since before Lathe ended. Epoch milliseconds. */
  readonly waitsUntil?: number;
  /** It is left out of lists. */
  readonly archived?: boolean;
}

/** The part of a log's beginning and end that is read for the list, in bytes. */
const PEEK_BYTES = 64 * 1024;

/** A first prompt, with its images and pasted texts, is looked for up to here. Bytes. */
const PROMPT_BYTES = 32 * 1024 * 1024;

/** The longest list of deleted sessions. */
const MAX_TRASHED = 200;

/** The title of a session of whose log too much is lost to give it another. */
export const DAMAGED = 'Damaged session';

/**
 * Lists the sessions of one project on disk in which something was said, or of which cannot be told what was, newest first.
 * Other files are passed over.
 */
export async function listSessions(
  files: Files,
  latheHome: string,
  project: string,
): Promise<readonly StoredSession[]> {
  const folder = projectFolder(latheHome, project);
  const entries = await files.list(folder);
  if (!entries.ok) return [];
  const logs = entries.value.filter(
    ({ name }) => name.endsWith('.jsonl') && isSessionId(name.slice(0, -'.jsonl'.length)),
  );
  const names = new Set(entries.value.map(({ name }) => name));
  const sessions = await Promise.all(
    logs.map(async ({ name }) => {
      const id = name.slice(0, -'.jsonl'.length);
      const found = await peek(files, join(folder, name), id, project);
      return found && names.has(archivedMark(name)) ? { ...found, archived: true } : found;
    }),
  );
  return sessions
    .filter((s) => s !== null)
    .filter((s) => s.project === project && s.title !== '')
    .toSorted((a, b) => b.updatedAt - a.updatedAt);
}

/**
 * Finds a session by its id in whatever project; null when there is none. `known`: projects, one of which is that of a log
 * in its folder that lost the beginning which names it.
 */
export async function findSession(
  files: Files,
  latheHome: string,
  sessionId: string,
  known: readonly string[] = [],
): Promise<StoredSession | null> {
  if (!isSessionId(sessionId)) return null;
  const root = join(latheHome, 'projects');
  const projects = await files.list(root);
  if (!projects.ok) return null;
  for (const { name } of projects.value) {
    const project = known.find((one) => projectSlug(one) === name);
    const found = await peek(files, join(root, name, `${sessionId}.jsonl`), sessionId, project);
    if (found) return found;
  }
  return null;
}

/** Finds a session of a project on disk by its id; `latest` is its newest one. */
export async function findStored(
  { files, latheHome }: { readonly files: Files; readonly latheHome: string },
  project: string,
  wanted: string,
): Promise<Result<StoredSession>> {
  if (wanted === 'latest') {
    const sessions = await listSessions(files, latheHome, project);
    const newest = sessions.find(({ archived }) => archived !== true);
    return newest
      ? ok(newest)
      : err(fault('no_session', `There is no session to continue in ${project}.`));
  }
  const found = await findSession(files, latheHome, wanted, [project]);
  if (found === null)
    return err(
      fault('no_session', `There is no session ${wanted}.`, 'List them by opening Lathe here.'),
    );
  return found.project === project
    ? ok(found)
    : err(
        fault(
          'other_project',
          `Session ${wanted} belongs to ${found.project}.`,
          'Start Lathe in that folder to resume it.',
        ),
      );
}

/** Lists the sessions of a project that are in the trash, the one that was deleted last first. */
export async function listTrash(
  { files, latheHome }: Pick<TrashServices, 'files' | 'latheHome'>,
  project: string,
): Promise<readonly TrashedSession[]> {
  const root = join(latheHome, 'trash');
  const entries = (await trashEntries(files, root)).toSorted((a, b) => b.at - a.at);
  const found = new Map<string, TrashedSession>();
  for (const { name, at, id } of entries) {
    if (found.size === MAX_TRASHED) break;
    // Only the one that was deleted last under an id can be had back.
    if (found.has(id)) continue;
    const file = join(root, name, projectSlug(project), `${id}.jsonl`);
    const session = await peek(files, file, id, undefined);
    if (session?.project === project && session.title !== '')
      found.set(id, { id, title: session.title, deletedAt: at });
  }
  return [...found.values()];
}

/** Reads what a list shows of a session's log; null when that is none. `own`: its project, where the log may have lost it. */
async function peek(
  files: Files,
  file: string,
  id: string,
  own: string | undefined,
): Promise<StoredSession | null> {
  const stat = await files.stat(file);
  if (!stat.ok || stat.value.kind === 'other') return null;
  const { kind, size, mtimeMs } = stat.value;
  if (kind === 'directory') return own === undefined ? null : folderInPlace(file, id, own);
  const head = await files.readRange(file, 0, PEEK_BYTES);
  const { lines: first, ...findings } = parseLog(head.ok ? head.value : new Uint8Array());
  const isLong = size > PEEK_BYTES;
  const last = isLong ? await tailLines(files, file, size) : [];
  const lines = [...first, ...last];
  // One that lost its beginning has it where it was next opened.
  const start = lines.find(({ event }) => event.type === 'session_started')?.event;
  const started = start?.type === 'session_started' ? start : undefined;
  const project = started?.cwd ?? own;
  if (project === undefined) return null;
  const [oldest] = lines;
  const isTorn = !isLong && findings.wholeBytes < size;
  const isDamaged = oldest === undefined || findings.badLines.length > 0 || isTorn;
  const wait = openWait((isLong ? last : first).map(({ event }) => event));
  const colored = lines.findLast(({ event }) => event.type === 'color_changed')?.event;
  const color = colored?.type === 'color_changed' ? colored.color : null;
  return {
    ...(wait === null ? {} : { waitsUntil: wait.until }),
    ...(color === null ? {} : { color }),
    id,
    file,
    project,
    title:
      cutTitle(titleOf(lines)) ||
      (isDamaged ? DAMAGED : isLong ? await longTitle(files, file) : ''),
    createdAt: started?.createdAt ?? oldest?.at ?? Math.round(mtimeMs),
    updatedAt: Math.round(mtimeMs),
    demo: started?.demo ?? false,
  };
}

/** Stands for a folder where a log should be: who opens it is told. It is the oldest, so that nothing goes on with it by itself. */
const folderInPlace = (file: string, id: string, project: string): StoredSession => ({
  ...{ id, file, project, title: DAMAGED },
  ...{ createdAt: 0, updatedAt: 0, demo: false },
});

/** Lists show no more of a title. Characters. */
const MAX_TITLE = 200;

const cutTitle = (title: string): string =>
  title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE - 1)}…` : title;

/** Returns the title that the first prompt of a log gives, where its line goes on behind what is read for lists. */
async function longTitle(files: Files, file: string): Promise<string> {
  for (let bytes = PEEK_BYTES * 8; bytes <= PROMPT_BYTES; bytes *= 8) {
    const read = await files.readRange(file, 0, bytes);
    if (!read.ok) return '';
    const title = cutTitle(titleOf(parseLog(read.value).lines));
    if (title !== '' || read.value.byteLength < bytes) return title;
  }
  return DAMAGED;
}

async function tailLines(files: Files, file: string, size: number): Promise<readonly LogLine[]> {
  const tail = await files.readRange(file, Math.max(PEEK_BYTES, size - PEEK_BYTES), size);
  return tail.ok ? parseLog(tail.value).lines : [];
}

/** Returns the title of a log; of one without any, in which only shell lines were run, the first of them. */
export function titleOf(lines: readonly LogLine[]): string {
  const titled = lines.findLast(({ event }) => event.type === 'title_changed')?.event;
  if (titled?.type === 'title_changed') return titled.title;
  for (const { event } of lines) {
    if (event.type !== 'user_message' || event.synthetic) continue;
    const title = titleFromPrompt(event.content);
    if (title !== '') return title;
  }
  return '';
}

/** The longest title that is made of a prompt. Characters. */
const MAX_MADE = 60;

/** Makes a title of a prompt's first words, until a better one is found; of one without words, of what it brings. */
export function titleFromPrompt(prompt: readonly UserBlock[]): string {
  const pasted = prompt.map((block) =>
    block.type === 'text' ? (pastedBody(block.text) ?? '') : '',
  );
  const words = typedWords(prompt).trim() || pasted.join('\n').trim();
  if (words === '' && prompt.some(({ type }) => type === 'image')) return 'Image';
  const line = words.split('\n', 1)[0]?.trim() ?? '';
  // A character has two units at most; a line may be megabytes long.
  const characters = [...line.slice(0, 2 * MAX_MADE + 1)];
  return characters.length <= MAX_MADE
    ? line
    : `${characters
        .slice(0, MAX_MADE - 1)
        .join('')
        .trimEnd()}…`;
}
