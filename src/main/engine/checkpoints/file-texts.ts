import type { ChangedFile } from '../../../shared/changes';
import type { RestoreFile } from '../../../shared/checkpoint';
import { diffLines } from '../text-diff';
import { fileOf, type PlannedFile } from './restore-plan';

/** Adds the number of lines that a restore changes, where both sides are text and not too long. */
export function withCounts(
  file: PlannedFile,
  contents: ReadonlyMap<string, Uint8Array>,
): RestoreFile {
  const described = fileOf(file);
  const isFile = [file.now, file.target].some((state) => state?.kind === 'file');
  if (!isFile || described.act === 'mode') return described;
  const sides = sidesOf(file, contents);
  if (sides === null) return described;
  const texts = textsOf(file, contents);
  if (texts === null) return { ...described, binary: true };
  const { added, removed } = diffLines(...texts, 1);
  return { ...described, added, removed };
}

/** Returns the contents of both sides; null when one is not there to be read. What is no file is empty. */
function sidesOf(
  { now, target }: PlannedFile,
  contents: ReadonlyMap<string, Uint8Array>,
): readonly [Uint8Array, Uint8Array] | null {
  const [before, after] = [now, target].map((state) =>
    state?.kind === 'file' ? contents.get(state.blob ?? '') : new Uint8Array(),
  );
  return before && after ? [before, after] : null;
}

export function textsOf(
  file: PlannedFile,
  contents: ReadonlyMap<string, Uint8Array>,
): readonly [string, string] | null {
  const sides = sidesOf(file, contents);
  if (sides === null) return null;
  try {
    const [before, after] = sides.map((bytes) => UTF8.decode(bytes));
    if (before === undefined || after === undefined) return null;
    return before.includes('\0') || after.includes('\0') ? null : [before, after];
  } catch {
    return null;
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Takes one hunk of a difference back: the lines that it has now become those that it had, line ends included. Null when
 * there is no such hunk. Pure.
 */
export function withoutHunk(before: string, now: string, at: number): string | null {
  const hunk = diffLines(before, now, Number.POSITIVE_INFINITY).hunks[at];
  if (hunk === undefined) return null;
  const count = (sign: string) =>
    hunk.lines.filter((line) => line[0] === ' ' || line[0] === sign).length;
  const old = linesOf(before).slice(hunk.oldStart - 1, hunk.oldStart - 1 + count('-'));
  const lines = linesOf(now);
  lines.splice(hunk.newStart - 1, count('+'), ...old);
  return lines.join('');
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.split(/(?<=\n)/));

/** Turns the direction of a file's difference: from what it was to what it is. */
export function forward({ conflict, act, added, removed, ...file }: RestoreFile): ChangedFile {
  const turned = act === 'create' ? 'delete' : act === 'delete' ? 'create' : act;
  const counted =
    added === undefined || removed === undefined ? {} : { added: removed, removed: added };
  return { ...file, act: turned, ...counted, shared: conflict === 'edited' };
}

/** A file too large to be kept, which is seen to change and no more. */
export const unread = (path: string): ChangedFile => ({
  path,
  kind: 'file',
  act: 'change',
  binary: true,
  shared: false,
});
