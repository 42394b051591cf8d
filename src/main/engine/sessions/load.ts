import { z } from 'zod';
import { DurableEvent, LOG_VERSION, MAIN_AGENT } from '../../../shared/agent-event';
import { foldFrom } from '../../../shared/apply-event';
import { err, type Fault, fault, ok, type Result } from '../../../shared/result';
import { emptyTranscript, type Transcript } from '../../../shared/transcript';
import type { Files } from '../ports';

/** A durable event with its time, as one line of the log holds it. */
const LogLine = z.object({ at: z.number(), event: DurableEvent });
export type LogLine = z.infer<typeof LogLine>;

/** The content of a log file. */
export interface LoadedLog {
  readonly lines: readonly LogLine[];
  /** Line numbers (from 1) that could not be read. */
  readonly badLines: readonly number[];
  /** Bytes up to the end of the last whole line; what follows is torn. */
  readonly wholeBytes: number;
  readonly totalBytes: number;
}

/** A log beyond this is not opened: it would not fit in memory beside its picture. */
const MAX_LOG_BYTES = 1024 * 1024 * 1024;

const NEWLINE = 0x0a;

/** Takes a log apart. Lines that are no event of ours are counted, never silently lost. Pure. */
export function parseLog(bytes: Uint8Array): LoadedLog {
  const lines: LogLine[] = [];
  const badLines: number[] = [];
  const decoder = new TextDecoder();
  let start = 0;
  let number = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, start)) {
    number += 1;
    const text = decoder.decode(bytes.subarray(start, at)).replaceAll('\0', '').trim();
    start = at + 1;
    if (text === '') continue;
    const line = parseLine(text);
    if (line) lines.push(line);
    else badLines.push(number);
  }
  return { lines, badLines, wholeBytes: start, totalBytes: bytes.byteLength };
}

/** Parses one line of a log; null when it is no event of ours. */
export function parseLine(text: string): LogLine | null {
  try {
    const parsed = LogLine.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Reads a session's log. Changes nothing; what follows the last whole line is left out. */
export async function loadLog(files: Files, path: string): Promise<Result<LoadedLog, Fault>> {
  const bytes = await files.read(path, MAX_LOG_BYTES);
  if (!bytes.ok) return err(fault(bytes.error.code, bytes.error.message));
  const log = parseLog(bytes.value);
  const first = log.lines[0]?.event;
  if (first?.type === 'session_started' && first.version > LOG_VERSION) {
    return err(
      fault(
        'newer_log',
        `The session in ${path} was written by a newer version of Lathe.`,
        'Update Lathe to open it.',
      ),
    );
  }
  return ok(log);
}

/** Cuts off the line a crash tore. Only for who holds the session. */
export async function cutTornLine(
  files: Files,
  path: string,
  log: LoadedLog,
): Promise<Result<null, Fault>> {
  if (log.wholeBytes === log.totalBytes) return ok(null);
  const cut = await files.truncate(path, log.wholeBytes);
  return cut.ok ? ok(null) : err(fault(cut.error.code, cut.error.message));
}

/** Folds the transcript of a loaded log. */
export function transcriptOf(sessionId: string, lines: readonly LogLine[]): Transcript {
  const agentId = MAIN_AGENT;
  const epoch = 'file';
  const fold = foldFrom(emptyTranscript(sessionId, epoch));
  for (const [index, { at, event }] of lines.entries()) {
    fold.apply({ sessionId, agentId, epoch, seq: index + 1, at, event });
  }
  return fold.transcript();
}
