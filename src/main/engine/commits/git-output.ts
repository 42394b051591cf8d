import { createHash } from 'node:crypto';
import type { GitChange, GitChanges, GitFile, StageHunk } from '../../../shared/commit';

/** The most paths that are listed. */
const MAX_FILES = 500;

const CHANGES: Readonly<Record<string, GitChange>> = {
  A: 'new',
  M: 'changed',
  T: 'changed',
  D: 'deleted',
  R: 'renamed',
  C: 'new',
};

/**
 * Reads `git status --porcelain=v2 --branch -z`; of very many paths not all. Sorted by path, because git moves new
 * files up once they are staged, from under the pointer that is at the next box. Pure.
 */
export function readStatus(output: string): GitChanges {
  const { files, branch } = readPaths(output);
  return {
    branch,
    files: files.slice(0, MAX_FILES).sort(byPath),
    count: files.length,
    stagedCount: files.filter(({ staged }) => staged !== null).length,
  };
}

const byPath = (a: GitFile, b: GitFile): number => (a.path < b.path ? -1 : 1);

/** Reads all paths of a status, and the branch. Pure. */
export function readPaths(output: string): Pick<GitChanges, 'files' | 'branch'> {
  const records = output.split('\0');
  const files: GitFile[] = [];
  let branch: string | null = null;
  for (let at = 0; at < records.length; at++) {
    const record = records[at] ?? '';
    const head = /^# branch\.head (.+)$/s.exec(record)?.[1];
    if (head !== undefined && head !== '(detached)') branch = head;
    const file = fileOf(record);
    // A rename has the old path in a record of its own.
    const from = record.startsWith('2 ') ? records[at + 1] : undefined;
    if (from !== undefined) at += 1;
    const isMove = file?.staged === 'renamed' || file?.unstaged === 'renamed';
    if (file !== null) files.push(isMove && from !== undefined ? { ...file, from } : file);
  }
  return { files, branch };
}

/** Reads `git diff --name-status -z`: the old paths of what was renamed, by their new ones. Pure. */
export function readRenames(output: string): ReadonlyMap<string, string> {
  const renames = new Map<string, string>();
  const parts = output.split('\0');
  for (let at = 0; at + 2 < parts.length; at += parts[at]?.startsWith('R') ? 3 : 2) {
    if (parts[at]?.startsWith('R')) renames.set(parts[at + 2] ?? '', parts[at + 1] ?? '');
  }
  return renames;
}

/** The number of fields before the path, by the kind of a record. */
const FIELDS: Readonly<Record<string, number>> = { '1': 8, '2': 9, u: 10 };

function fileOf(record: string): GitFile | null {
  const kind = record[0] ?? '';
  if (kind === '?') return { path: record.slice(2), staged: null, unstaged: 'new' };
  const before = record[1] === ' ' ? FIELDS[kind] : undefined;
  if (before === undefined) return null;
  const path = record.split(' ').slice(before).join(' ');
  if (kind === 'u') return { path, staged: null, unstaged: 'conflict' };
  const [staged = '.', unstaged = '.'] = record.slice(2, 4);
  return { path, staged: CHANGES[staged] ?? null, unstaged: CHANGES[unstaged] ?? null };
}

/** A hunk with the patch that has it alone. */
export interface PatchHunk {
  readonly hunk: StageHunk;
  readonly patch: string;
}

/**
 * Takes the `git diff` of one path apart into hunks that can be applied one by one; null for what is no text in UTF-8: a patch
 * of that would change other bytes too. Pure.
 */
export function readHunks(diff: string): readonly PatchHunk[] | null {
  if (diff.includes('\uFFFD') || /^(?:Binary files|GIT binary patch)/m.test(diff)) return null;
  const [head = '', ...parts] = diff.split(/^(?=@@ )/m);
  const header = head
    .split('\n')
    .filter((line) => !/^(?:old|new) mode /.test(line))
    .join('\n');
  return parts.map((part) => {
    const patch = header + part;
    const [first = '', ...lines] = part.replace(/\n$/, '').split('\n');
    const [, oldStart = '0', newStart = '0'] = /^@@ -(\d+)\S* \+(\d+)/.exec(first) ?? [];
    const id = createHash('sha256').update(patch).digest('hex').slice(0, 32);
    const shown = lines.filter((line) => !line.startsWith('\\'));
    const hunk = { id, oldStart: Number(oldStart), newStart: Number(newStart), lines: shown };
    return { hunk, patch };
  });
}
