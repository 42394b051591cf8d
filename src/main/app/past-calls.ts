import { join } from 'node:path';
import { MAX_REPLAYED } from '../../shared/rule-replay';
import type { Files } from '../engine/ports';
import { parseLine } from '../engine/sessions/load';
import { projectFolder } from '../engine/sessions/paths';

/** One tool use, as the model asked for it. */
export interface PastCall {
  readonly id: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly sessionId: string;
}

/** The most that is read of one log's end, and of all logs together. Bytes. */
export const MAX_TAIL_BYTES = 4 * 1024 * 1024;
const MAX_BYTES = 16 * 1024 * 1024;
/** A log says in its first line which folder it belongs to. Bytes. */
const HEAD_BYTES = 4 * 1024;
/** The text that every line with a tool use has in it, however it is spaced. */
const TOOL_USE = '"tool_use"';

interface LogFile {
  readonly path: string;
  readonly sessionId: string;
  readonly size: number;
  readonly mtimeMs: number;
}

/**
 * Reads the last {@link MAX_REPLAYED} tool uses of a project over all its session logs, newest first. Lines that
 * cannot be read are passed over, and so are logs: what is found is what there is.
 */
export async function pastCalls(
  files: Files,
  latheHome: string,
  project: string,
  signal: AbortSignal,
): Promise<readonly PastCall[]> {
  let found: readonly PastCall[] = [];
  let bytesLeft = MAX_BYTES;
  for (const log of await logsOf(files, latheHome, project)) {
    const oldest = found.length === MAX_REPLAYED ? found.at(-1)?.at : undefined;
    // A log that was last written before the oldest call that counts has none that is newer.
    if (signal.aborted || bytesLeft <= 0 || (oldest !== undefined && log.mtimeMs < oldest)) break;
    const length = Math.min(log.size, MAX_TAIL_BYTES, bytesLeft);
    if (!(await belongsTo(files, log, project))) continue;
    bytesLeft -= length;
    const tail = await files.readRange(log.path, log.size - length, log.size);
    if (tail.ok) found = newest([...found, ...callsIn(tail.value, log.sessionId)]);
  }
  return found;
}

/** Lists the logs in a project's folder, the one written last first. */
async function logsOf(
  files: Files,
  latheHome: string,
  project: string,
): Promise<readonly LogFile[]> {
  const folder = projectFolder(latheHome, project);
  const entries = await files.list(folder);
  if (!entries.ok) return [];
  const names = entries.value.filter((e) => e.kind === 'file' && e.name.endsWith('.jsonl'));
  const logs = await Promise.all(
    names.map(async ({ name }): Promise<LogFile | null> => {
      const path = join(folder, name);
      const stat = await files.stat(path);
      if (!stat.ok) return null;
      const { size, mtimeMs } = stat.value;
      return { path, sessionId: name.slice(0, -'.jsonl'.length), size, mtimeMs };
    }),
  );
  return logs.filter((log) => log !== null).toSorted((a, b) => b.mtimeMs - a.mtimeMs);
}

/** Tells whether a log is of this project: two folders may share a name for their logs. */
async function belongsTo(files: Files, log: LogFile, project: string): Promise<boolean> {
  const head = await files.readRange(log.path, 0, Math.min(log.size, HEAD_BYTES));
  if (!head.ok) return false;
  const [line = ''] = new TextDecoder().decode(head.value).split('\n', 1);
  const started = parseLine(line)?.event;
  return started?.type === 'session_started' && started.cwd === project;
}

/** Finds the tool uses in a part of a log, the last one first. A line cut in two is none. */
function callsIn(bytes: Uint8Array, sessionId: string): readonly PastCall[] {
  const lines = new TextDecoder().decode(bytes).split('\n');
  const calls: PastCall[] = [];
  for (let i = lines.length - 1; i >= 0 && calls.length < MAX_REPLAYED; i -= 1) {
    const text = lines[i] ?? '';
    const line = text.includes(TOOL_USE) ? parseLine(text) : null;
    if (line?.event.type !== 'block_finished' || line.event.block.type !== 'tool_use') continue;
    const { id, name, input, invalid } = line.event.block;
    if (invalid === undefined) calls.push({ id, tool: name, input, at: line.at, sessionId });
  }
  return calls;
}

/** Returns the newest of them, each once: a fork takes the calls of its parent along. */
function newest(calls: readonly PastCall[]): readonly PastCall[] {
  const byId = new Map(calls.map((call) => [`${call.id} ${call.at}`, call]));
  return [...byId.values()].toSorted((a, b) => b.at - a.at).slice(0, MAX_REPLAYED);
}
