import type { PromptParts } from '../../../shared/queued-prompt';
import { err, fault, ok, type Result } from '../../../shared/result';
import {
  type CopiedSession,
  ORIGIN_NAMES,
  type OtherContents,
  type OtherOrigin,
} from '../../../shared/session-search';
import { encodeLine } from '../event-log';
import type { Clock, Files, Ids } from '../ports';
import { promptOf } from './branch';
import { claudeSteps } from './claude-steps';
import { codexSteps } from './codex-steps';
import { eventsOf } from './other-events';
import { type OtherSteps, type PlacedLine, parseObject } from './other-steps';
import { sessionPaths } from './paths';

/** A larger log is not taken over: what it means would not fit in memory. */
const MAX_BYTES = 128 * 1024 * 1024;
/** Logs are read in pieces of this size; other work runs in between. Bytes. */
const PIECE_BYTES = 2 * 1024 * 1024;
const NEWLINE = 0x0a;

/** A log of another agent. */
export interface OtherLog {
  readonly origin: OtherOrigin;
  /** Absolute. */
  readonly file: string;
}

interface CopyServices {
  readonly files: Pick<Files, 'stat' | 'readRange' | 'write'>;
  readonly clock: Pick<Clock, 'date'>;
  readonly ids: Pick<Ids, 'uuid'>;
  readonly latheHome: string;
}

/** The part of another agent's session that is copied, and where to. */
interface Copy {
  /** The place of a message in bytes: the copy ends before a prompt, and behind any other message. Default: it takes all. */
  readonly until?: number | null;
  /** The folder to work in where the one of the session is gone. */
  readonly project: string | null;
  /** It works there in any case. */
  readonly keepsProject?: boolean;
  readonly sessionId?: string | undefined;
  /** Lathe wrote it along on another machine: the same session goes on. */
  readonly carried?: boolean;
}

/**
 * Copies another agent's session into a new session of Lathe's, in the folder it ran in. Nothing is written to the other
 * agent's log.
 */
export async function copyOtherLog(
  services: CopyServices,
  log: OtherLog,
  copy: Copy,
): Promise<Result<CopiedSession>> {
  const { files, clock, latheHome } = services;
  const { until = null, project, keepsProject = false, sessionId = services.ids.uuid() } = copy;
  const lines = await readLines(files, log);
  if (!lines.ok) return lines;
  const found = stepsIn(log, lines.value, until);
  const name = ORIGIN_NAMES[log.origin];
  if (found.steps.length === 0 && found.prompt === null)
    return err(fault('empty', `No message to go on from is in this log of ${name}: ${log.file}.`));
  const ran = found.cwd === null || keepsProject ? null : await files.stat(found.cwd);
  const folder = ran?.ok && ran.value.kind === 'directory' ? found.cwd : project;
  if (folder === null)
    return err(fault('no_project', 'The folder of this session is gone.', 'Open a project first.'));
  const events = eventsOf(
    found,
    folder,
    copiedNotice(copy.carried ? null : name, found, folder),
    clock.date(),
  );
  const { file } = sessionPaths(latheHome, folder, sessionId);
  // An id that was asked for may be another session's, whose log must stay.
  const there = await files.stat(file);
  if (there.ok || there.error.code !== 'not_found')
    return err(fault('session_exists', `There is a session ${sessionId} already.`));
  const written = await files.write(file, events.map(encodeLine).join(''), 0o600);
  if (!written.ok) return written;
  const prompt: PromptParts | null = found.prompt === null ? null : promptOf(found.prompt);
  return ok({ sessionId, project: folder, prompt });
}

/** The most prompts of one log that are listed, and the most of each. Characters. */
const MAX_PROMPTS = 1_000;
const MAX_PROMPT = 200;

/** Lists what a user asked for in another agent's session, oldest first; of very many the newest. */
export async function contentsOfOther(
  files: Pick<Files, 'stat' | 'readRange'>,
  log: OtherLog,
): Promise<Result<OtherContents>> {
  const lines = await readLines(files, log);
  if (!lines.ok) return lines;
  const prompts = stepsIn(log, lines.value, null).steps.flatMap((step) => {
    if (step.kind !== 'prompt' || step.synthetic) return [];
    const { text } = promptOf(step.content);
    const [line = ''] = text.trim().split('\n', 1);
    return [{ itemId: String(step.offset), at: step.at, text: line.slice(0, MAX_PROMPT) }];
  });
  return ok({ prompts: prompts.slice(-MAX_PROMPTS), more: prompts.length > MAX_PROMPTS });
}

const stepsIn = (
  { origin }: OtherLog,
  lines: readonly PlacedLine[],
  until: number | null,
): OtherSteps => (origin === 'claude' ? claudeSteps : codexSteps)(lines, until);

/** Reads the lines of a log that are not empty. What only repeats the results of tools is dropped at once. */
async function readLines(
  files: Pick<Files, 'stat' | 'readRange'>,
  { origin, file }: OtherLog,
): Promise<Result<readonly PlacedLine[]>> {
  const stat = await files.stat(file);
  if (!stat.ok) return stat;
  const { size } = stat.value;
  if (size > MAX_BYTES) {
    const limit = `${MAX_BYTES / 1024 ** 2} MB`;
    const message = `This log of ${ORIGIN_NAMES[origin]} has more than ${limit}: ${file}.`;
    return err(fault('too_large', message, 'It can be read, and not gone on from.'));
  }
  const lines: PlacedLine[] = [];
  const take = (bytes: Uint8Array, offset: number) => {
    const text = new TextDecoder().decode(bytes);
    if (text.trim() === '') return;
    // A crash may leave zeros where the file was to grow.
    const line = parseObject(text.replace(/^\0+/, ''));
    if (line !== null) Reflect.deleteProperty(line, 'toolUseResult');
    lines.push({ offset, line });
  };
  let rest = new Uint8Array();
  for (let at = 0; at < size; at += PIECE_BYTES) {
    const piece = await files.readRange(file, at, Math.min(size, at + PIECE_BYTES));
    if (!piece.ok) return piece;
    const start = at - rest.byteLength;
    const bytes = new Uint8Array(rest.byteLength + piece.value.byteLength);
    bytes.set(rest);
    bytes.set(piece.value, rest.byteLength);
    let from = 0;
    for (let to = bytes.indexOf(NEWLINE); to >= 0; to = bytes.indexOf(NEWLINE, from)) {
      take(bytes.subarray(from, to), start + from);
      from = to + 1;
    }
    rest = bytes.slice(from);
  }
  take(rest, size - rest.byteLength);
  return ok(lines);
}

function copiedNotice(name: string | null, { cwd, unread }: OtherSteps, folder: string): string {
  return [
    name === null
      ? 'Taken up from what another machine wrote along of it; what was thought and what it cost are not known here.'
      : `Copied from a session of ${name}, whose log stays as it is.`,
    ...(cwd === null || cwd === folder ? [] : [`It ran in ${cwd}.`]),
    ...(unread === 0
      ? []
      : [`${unread} ${unread === 1 ? 'line' : 'lines'} of it could not be read.`]),
  ].join(' ');
}
