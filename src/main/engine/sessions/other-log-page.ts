import path from 'node:path';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { OtherMessage, OtherPage, OtherPageRequest } from '../../../shared/session-search';
import type { Files } from '../ports';
import { readOtherLine } from './other-logs';

/** A folder in which another agent keeps its logs. Absolute. */
export interface OtherFolder {
  readonly origin: OtherPageRequest['origin'];
  readonly folder: string;
}

/** The bytes that a page is read from, and how many of them stand before the message it is about. */
const PAGE_BYTES = 512 * 1024;
const BEFORE_BYTES = 128 * 1024;
/** A line longer than this is passed over. Bytes. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;
/** The most of one message that is shown. Characters. */
const MAX_SHOWN = 20_000;
const NEWLINE = 0x0a;

/** Reads a page of another agent's log: around a place, or before or behind another page. Nothing is ever written there. */
export async function readOtherPage(
  files: Pick<Files, 'readRange' | 'stat'>,
  folders: readonly OtherFolder[],
  request: OtherPageRequest,
): Promise<Result<OtherPage>> {
  const file = fileOf(folders, request);
  const stat = file === null ? null : await files.stat(file);
  if (file === null || stat === null || !stat.ok) return err(GONE);
  const { size } = stat.value;
  const { place, at } = request;
  const wanted = place === 'around' ? at - BEFORE_BYTES : place === 'before' ? at - PAGE_BYTES : at;
  const start = Math.max(0, Math.min(wanted, size));
  const limit = place === 'before' ? at : size;
  for (let bytes = PAGE_BYTES; ; bytes *= 2) {
    const from = place === 'before' ? Math.max(0, at - bytes) : start;
    const end = Math.min(limit, from + bytes);
    const read = await files.readRange(file, from, end);
    if (!read.ok) return err(GONE);
    const page = pageOf(request, read.value, from);
    const isWhole = from + read.value.byteLength >= limit && (place !== 'before' || from === 0);
    // Lines before a message may be long: the page that is about it goes on until it is there.
    const isEnough = page.end > (place === 'around' ? Math.max(page.start, at) : page.start);
    if (isEnough || isWhole || bytes >= MAX_LINE_BYTES) {
      const isLast = isWhole && place !== 'before';
      return ok({ ...page, size: isLast ? page.end : size });
    }
  }
}

export const GONE = fault('gone', 'That log is no longer there.', 'Search again.');

/** Returns the file of a log below the folder of its agent; null for any other. */
export function fileOf(
  folders: readonly OtherFolder[],
  { origin, log }: Pick<OtherPageRequest, 'origin' | 'log'>,
): string | null {
  const folder = folders.find((one) => one.origin === origin)?.folder;
  if (folder === undefined || !log.endsWith('.jsonl')) return null;
  const file = path.resolve(folder, log);
  return file.startsWith(`${folder}${path.sep}`) ? file : null;
}

/** Returns the whole lines of a piece of a log that begins at `from` bytes. */
function pageOf(
  { origin, place }: OtherPageRequest,
  bytes: Uint8Array,
  from: number,
): Omit<OtherPage, 'size'> {
  // A page that goes on begins with a line; any other in the middle of one.
  const first = from === 0 || place === 'from' ? 0 : bytes.indexOf(NEWLINE) + 1;
  const last = bytes.lastIndexOf(NEWLINE) + 1;
  const messages: OtherMessage[] = [];
  let offset = from + first;
  for (const text of linesIn(bytes.subarray(first, Math.max(first, last)))) {
    const line = text === '' ? null : readOtherLine(origin, text, offset);
    for (const { text: words, ...entry } of line?.entries ?? []) {
      const shown = words.slice(0, MAX_SHOWN);
      messages.push({ ...entry, at: line?.at ?? 0, text: shown, isCut: shown !== words });
    }
    offset += Buffer.byteLength(text) + 1;
  }
  return { messages, start: from + first, end: from + Math.max(first, last) };
}

const linesIn = (bytes: Uint8Array): readonly string[] =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).split('\n').slice(0, -1);
