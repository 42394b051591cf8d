import { err, type Fault, fault, ok, type Result } from '../../../shared/result';
import type { ExportFormat } from '../../../shared/session-export';
import { scrub } from '../model/scrub';
import type { Files } from '../ports';
import { createSessionWriter } from './export-format';
import { findSession } from './list';
import { parseLine } from './load';

/** A log is read in pieces of this size, so that only one of them is in memory. Bytes. */
const PIECE_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/** The session to write out, and the secrets known besides those that look like one. */
export interface ExportRequest {
  readonly sessionId: string;
  readonly format: ExportFormat;
  readonly secrets: readonly string[];
  /** Projects in which a session is looked for whose log lost the beginning that names its own. */
  readonly projects: readonly string[];
}

/** Writes a session out in pieces, from its log, with keys and tokens hidden. Ends with an error when it cannot be read. */
export async function* exportSession(
  files: Files,
  latheHome: string,
  { sessionId, format, secrets, projects }: ExportRequest,
  signal: AbortSignal,
): AsyncGenerator<Result<string, Fault>, void> {
  const session = await findSession(files, latheHome, sessionId, projects);
  if (session === null) {
    yield err(fault('not_found', `There is no session ${sessionId}.`));
    return;
  }
  const writer = createSessionWriter(format, session, (text) => scrub(text, secrets, []));
  yield ok(writer.begin());
  let rest: Uint8Array = new Uint8Array();
  for (let at = 0; !signal.aborted; at += PIECE_BYTES) {
    const piece = await files.readRange(session.file, at, at + PIECE_BYTES);
    if (!piece.ok) {
      yield err(fault(piece.error.code, piece.error.message));
      return;
    }
    const isLast = piece.value.byteLength === 0;
    const bytes = Buffer.concat([rest, piece.value]);
    // The last line may lack its end.
    const end = isLast ? bytes.length : bytes.lastIndexOf(NEWLINE) + 1;
    rest = bytes.subarray(end);
    const lines = bytes.toString('utf8', 0, end).split('\n');
    const text = lines
      .map((line) => (line === '' ? null : parseLine(line)))
      .map((line) => (line === null ? '' : writer.add(line)))
      .join('');
    if (text !== '') yield ok(text);
    if (isLast) break;
  }
  if (!signal.aborted) yield ok(writer.end());
}
