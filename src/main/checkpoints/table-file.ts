import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import type { FileState } from '../engine/ports-checkpoints';
import type { FileTable, Known, Signature } from './scan';

/** One line of the file: a path as it was seen, or one that is no longer covered. */
type Line = readonly [
  path: string,
  state?: FileState,
  signature?: readonly number[],
  flags?: Flags,
];
type Flags = { readonly fresh?: true; readonly named?: true };

/** The file is written anew when it has this many times the lines it needs. */
const WASTE = 3;

/** A file that remembers a table, so that what did not change since an earlier process need not be read again. */
export interface TableFile {
  load(): Promise<FileTable>;
  /** Adds what a table says of paths now. */
  add(table: FileTable, paths: Iterable<string>): Promise<void>;
  /** Returns the time when the store was pruned last, epoch milliseconds; 0 when that is not known. */
  prunedAt(): Promise<number>;
  /** Remembers that it was pruned now. */
  setPruned(at: number): Promise<void>;
  /** Forgets everything. */
  reset(): Promise<void>;
}

/** Creates the file of a table. What of it cannot be read is left out: a path that is not in it is read again. */
export function createTableFile(file: string): TableFile {
  const write = async (table: FileTable) =>
    writeFile(file, [...table].map(([path, known]) => encode(path, known)).join(''), {
      mode: 0o600,
    });
  return {
    load: async () => {
      const table: FileTable = new Map();
      const text = await readFile(file, 'utf8').catch(() => '');
      let lines = 0;
      for (const line of text.split('\n')) {
        if (line === '') continue;
        lines += 1;
        const read = decode(line);
        if (read === null) continue;
        const [path, known] = read;
        if (known === null) table.delete(path);
        else table.set(path, known);
      }
      if (lines > WASTE * table.size + 1000) await write(table).catch(() => {});
      return table;
    },
    add: async (table, paths) => {
      const lines = [...paths].map((path) => encode(path, table.get(path)));
      if (lines.length > 0) await appendFile(file, lines.join(''), { mode: 0o600 }).catch(() => {});
    },
    prunedAt: async () => Number(await readFile(`${file}.pruned`, 'utf8').catch(() => '0')) || 0,
    setPruned: (at) => writeFile(`${file}.pruned`, String(at), { mode: 0o600 }).catch(() => {}),
    reset: () => rm(file, { force: true }).catch(() => {}),
  };
}

function encode(path: string, known: Known | undefined): string {
  if (known === undefined) return `${JSON.stringify([path])}\n`;
  const { state, fresh, named } = known;
  const { size, mode, mtimeMs, ctimeMs, ino } = known.signature;
  const flags: Flags = { ...(fresh ? { fresh } : {}), ...(named ? { named } : {}) };
  const line: Line = [path, state, [size, mode, mtimeMs, ctimeMs, ino], flags];
  return `${JSON.stringify(line)}\n`;
}

function decode(text: string): readonly [string, Known | null] | null {
  try {
    const [path, state, numbers, flags = {}] = JSON.parse(text) as Line;
    if (state === undefined || numbers === undefined) return [path, null];
    const [size = 0, mode = 0, mtimeMs = 0, ctimeMs = 0, ino = 0] = numbers;
    const signature: Signature = { size, mode, mtimeMs, ctimeMs, ino };
    return [path, { state, signature, ...flags }];
  } catch {
    return null;
  }
}
