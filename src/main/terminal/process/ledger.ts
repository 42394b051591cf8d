import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceRunFile } from '../run-folder';
import type { ProcessIdentity } from './process-table';

/** The part of an entry that is known before its program runs. */
export interface LedgerStart {
  readonly terminalId: string;
  readonly sessionId: string;
  readonly callId?: string;
  readonly command?: string;
  /** The file its output goes to. */
  readonly outputFile?: string;
}

/** The ledger's entry for one terminal. */
export interface LedgerEntry extends LedgerStart {
  /** The first process; absent when the host died before it was written down. */
  readonly root?: ProcessIdentity;
  /** The control group of its processes, where there are groups. */
  readonly group?: string;
  /** Processes of its tree that carry no tag, so that nothing but this list tells whose they are. */
  readonly members: readonly ProcessIdentity[];
}

/** The host process that wrote a ledger, and its tag. */
export interface LedgerOwner extends ProcessIdentity {
  readonly hostId: string;
  /** The folder of its control groups. */
  readonly groups?: string;
}

/** The part of a ledger that terminals write. */
export type LedgerWriter = Pick<Ledger, 'starting' | 'started' | 'members' | 'ended'>;

/** A ledger longer than this is rewritten with the living terminals only. Characters. */
const COMPACT_LENGTH = 1024 * 1024;

/** The names of ledgers in a run folder. */
export const LEDGER_NAME = /^terminals-[\w-]+\.jsonl$/;

/** Returns the path of a host's ledger. */
export const ledgerPath = (runFolder: string, hostId: string): string =>
  join(runFolder, `terminals-${hostId}.jsonl`);

/**
 * The durable list of what a host started: one JSONL file per host process, so that after a crash the next Lathe
 * finds what is still alive. Lines: the owner first, then what {@link parseLedger} reads.
 */
export class Ledger {
  readonly #path: string;
  readonly #owner: LedgerOwner;
  readonly #living = new Map<string, LedgerEntry>();
  /** Ended terminals with processes left that nothing else names. */
  readonly #leaving = new Set<string>();
  /** Length of the file, which nobody else writes. Characters. */
  #length = 0;

  /** Starts the ledger of a host in the run folder. Throws when the folder cannot be written. */
  constructor(runFolder: string, owner: LedgerOwner) {
    this.#path = ledgerPath(runFolder, owner.hostId);
    this.#owner = owner;
    this.#rewrite();
  }

  /** Adds a terminal. Called before its program runs, so that no crash can hide it. */
  starting(start: LedgerStart): void {
    this.#living.set(start.terminalId, { ...start, members: [] });
    this.#append({ starting: start });
  }

  /** Adds the identity of a terminal's first process, and its control group. */
  started(terminalId: string, root: ProcessIdentity, group?: string): void {
    const facts = { root, ...(group === undefined ? {} : { group }) };
    this.#change(terminalId, facts, { started: { terminalId, ...facts } });
  }

  /** Replaces the list of a terminal's processes without a tag. */
  members(terminalId: string, members: readonly ProcessIdentity[]): void {
    this.#change(terminalId, { members }, { members: { terminalId, members } });
    if (members.length === 0 && this.#leaving.delete(terminalId)) this.#living.delete(terminalId);
  }

  ended(terminalId: string): void {
    const entry = this.#living.get(terminalId);
    if (entry === undefined) return;
    if (entry.members.length === 0) this.#living.delete(terminalId);
    else this.#leaving.add(terminalId);
    this.#append({ ended: terminalId });
  }

  /** Removes the file: nothing of this host is left. On a disk that takes nothing it stays, as after a crash. */
  remove(): void {
    try {
      rmSync(this.#path, { force: true });
    } catch {
      // See above.
    }
  }

  #change(terminalId: string, change: Partial<LedgerEntry>, line: object): void {
    const entry = this.#living.get(terminalId);
    if (entry === undefined) return;
    this.#living.set(terminalId, { ...entry, ...change });
    this.#append(line);
  }

  /** Adds a line. A full disk must not stop terminals: their processes are still found by their tags. */
  #append(line: object): void {
    try {
      const text = `${JSON.stringify(line)}\n`;
      appendFileSync(this.#path, text);
      this.#length += text.length;
      if (this.#length > COMPACT_LENGTH) this.#rewrite();
    } catch {
      // See above.
    }
  }

  #rewrite(): void {
    const lines = [
      { owner: this.#owner },
      ...[...this.#living.values()].flatMap(({ root, group, members, ...start }) => {
        const { terminalId } = start;
        return [
          { starting: start },
          ...(root === undefined
            ? []
            : [{ started: { terminalId, root, ...(group === undefined ? {} : { group }) } }]),
          ...(members.length === 0 ? [] : [{ members: { terminalId, members } }]),
          ...(this.#leaving.has(terminalId) ? [{ ended: terminalId }] : []),
        ];
      }),
    ];
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    replaceRunFile(this.#path, text);
    this.#length = text.length;
  }
}

/** A ledger as it was read. */
export interface ParsedLedger {
  readonly owner: LedgerOwner;
  /** The terminals it names, by id; those that ended too, because they may have left processes. */
  readonly entries: ReadonlyMap<string, LedgerEntry>;
  /** The ids of those that ended. */
  readonly ended: ReadonlySet<string>;
}

/** Parses a ledger; null when the owner is missing. Ignores a torn last line. */
export function parseLedger(text: string): ParsedLedger | null {
  const entries = new Map<string, LedgerEntry>();
  const ended = new Set<string>();
  let owner: LedgerOwner | null = null;
  for (const row of text.split('\n')) {
    const line = parseLine(row);
    owner ??= line.owner ?? null;
    if (line.starting !== undefined)
      entries.set(line.starting.terminalId, { ...line.starting, members: [] });
    const change = line.started ?? line.members;
    const entry = change === undefined ? undefined : entries.get(change.terminalId);
    if (change !== undefined && entry !== undefined)
      entries.set(change.terminalId, { ...entry, ...change });
    if (line.ended !== undefined) ended.add(line.ended);
  }
  return owner === null ? null : { owner, entries, ended };
}

interface LedgerLine {
  readonly owner?: LedgerOwner;
  readonly starting?: LedgerStart;
  readonly started?: {
    readonly terminalId: string;
    readonly root: ProcessIdentity;
    readonly group?: string;
  };
  readonly members?: {
    readonly terminalId: string;
    readonly members: readonly ProcessIdentity[];
  };
  readonly ended?: string;
}

function parseLine(line: string): LedgerLine {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
