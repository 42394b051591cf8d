import { err, type Fault, fault, ok, type Result } from '../../../shared/result';
import type { ExportFormat } from '../../../shared/session-export';
import { problemLine } from '../../../shared/settings-problem';
import { blockItemId } from '../../../shared/transcript';
import { scrub } from '../model/scrub';
import type { Files } from '../ports';
import { createSessionWriter, type SessionWriter } from './export-format';
import { findSession } from './list';
import { type LogLine, LogParser } from './load';
import { damageSeen } from './log-damage';
import { subAgentFile } from './paths';

/** A log is read in pieces of this size, so that only one of them is in memory. Bytes. */
const PIECE_BYTES = 1024 * 1024;

/** The session to write out, and the secrets known besides those that look like one. */
export interface ExportRequest {
  readonly sessionId: string;
  readonly format: ExportFormat;
  readonly secrets: readonly string[];
  /** Projects in which a session is looked for whose log lost the beginning that names its own. */
  readonly projects: readonly string[];
  /** Hears of logs that could not be read as a whole, a line each. Absent: nobody. */
  readonly tell?: (line: string) => void;
}

/**
 * Writes a session out in pieces, from its log and those of its sub-agents, with keys and tokens hidden. Ends with an error
 * when its log cannot be read.
 */
export async function* exportSession(
  files: Files,
  latheHome: string,
  { sessionId, format, secrets, projects, tell = () => {} }: ExportRequest,
  signal: AbortSignal,
): AsyncGenerator<Result<string, Fault>, void> {
  const session = await findSession(files, latheHome, sessionId, projects);
  if (session === null) {
    yield err(fault('not_found', `There is no session ${sessionId}.`));
    return;
  }
  const found = await files.stat(session.file);
  if (!found.ok || found.value.kind !== 'file') {
    const why = found.ok ? `${session.file} is no file.` : found.error.message;
    yield err(fault('unreadable', `The session cannot be read: ${why}`));
    return;
  }
  const writer = createSessionWriter(format, session, (text) => scrub(text, secrets, []));
  yield ok(writer.begin());
  for await (const piece of itemsIn(files, session.file, writer, tell, signal)) {
    yield piece;
    if (!piece.ok) return;
  }
  if (!signal.aborted) yield ok(writer.end());
}

/** A sub-agent whose conversation follows the call that started it. */
interface ExportAgent {
  readonly agentId: string;
  readonly title: string;
}

/** Writes the items of a session's log in pieces, with those of its sub-agents behind the calls that started them. */
async function* itemsIn(
  files: Files,
  file: string,
  writer: SessionWriter,
  tell: (line: string) => void,
  signal: AbortSignal,
): AsyncGenerator<Result<string, Fault>, void> {
  const folder = file.slice(0, -'.jsonl'.length);
  const written = new Set<string>();
  const replaced = await replacedIn(files, file, signal);
  async function* itemsOf(path: string, agent?: string): AsyncGenerator<Result<string, Fault>> {
    for await (const lines of linesIn(files, path, signal, ALL, tell)) {
      if (!lines.ok) {
        yield lines;
        return;
      }
      let text = '';
      for (const line of lines.value) {
        text += writer.add(agent === undefined ? asShown(line, replaced) : line, agent);
        const started = agentIn(line);
        if (started === null || written.has(started.agentId)) continue;
        written.add(started.agentId);
        if (text !== '') yield ok(text);
        text = '';
        // One whose log is gone leaves its report, which is the result of the call.
        for await (const piece of itemsOf(subAgentFile(folder, started.agentId), started.title))
          if (piece.ok) yield piece;
      }
      if (text !== '') yield ok(text);
    }
  }
  yield* itemsOf(file);
}

/** Returns the texts of a log that hooks had something else shown for, by their rows; few logs have any. */
async function replacedIn(
  files: Files,
  file: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  const isReplacement = (line: string) => line.includes('"text_replaced"');
  for await (const lines of linesIn(files, file, signal, isReplacement)) {
    if (!lines.ok) break;
    for (const { event } of lines.value)
      if (event.type === 'text_replaced')
        texts.set(blockItemId(event.messageId, event.index), event.text);
  }
  return texts;
}

/** Returns a line with the text that is on screen in place of what the model wrote. */
function asShown(line: LogLine, replaced: ReadonlyMap<string, string>): LogLine {
  const { event } = line;
  if (event.type !== 'block_finished' || event.block.type !== 'text') return line;
  const text = replaced.get(blockItemId(event.messageId, event.index));
  return text === undefined
    ? line
    : { ...line, event: { ...event, block: { type: 'text', text } } };
}

function agentIn({ event }: LogLine): ExportAgent | null {
  const view = event.type === 'call_settled' ? event.view : null;
  // Its id names a file, and a log may come from anywhere.
  return view?.kind === 'agent' && /^\w+$/.test(view.agentId) ? view : null;
}

const ALL = (): boolean => true;

/** Reads the lines of a log that are wanted in pieces, the last of which may lack its end. */
async function* linesIn(
  files: Files,
  file: string,
  signal: AbortSignal,
  isWanted: (line: string) => boolean,
  tell: (line: string) => void = () => {},
): AsyncGenerator<Result<readonly LogLine[], Fault>> {
  const lines: LogLine[] = [];
  const parser = new LogParser((line) => void lines.push(line), isWanted);
  for (let at = 0; !signal.aborted; at += PIECE_BYTES) {
    const piece = await files.readRange(file, at, at + PIECE_BYTES);
    if (!piece.ok) {
      yield err(fault(piece.error.code, piece.error.message));
      return;
    }
    const isLast = piece.value.byteLength === 0;
    if (!isLast) parser.push(piece.value);
    const damage = isLast ? damageSeen(file, parser.end(), null) : null;
    if (damage !== null) tell(problemLine(damage));
    yield ok(lines.splice(0));
    if (isLast) return;
  }
}
