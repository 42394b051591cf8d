import { appendFileSync, rmSync, statSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Orphan } from '../protocol/control';
import { replaceRunFile } from '../run-folder';
import { membersOf, type TreeRoot } from './kill-tree';
import type { ProcessEntry } from './process-table';

/** The ledger's entry for one terminal. */
export interface LedgerEntry {
  readonly terminalId: string;
  readonly pid: number;
  readonly startTime: string;
  readonly pgid: number;
  readonly sessionId: string;
  readonly callId?: string;
  readonly command?: string;
  /** The file its output goes to. */
  readonly outputFile?: string;
}

/** The host process that wrote a ledger, and its tag. */
export interface LedgerOwner {
  readonly hostId: string;
  readonly pid: number;
  readonly startTime: string;
}

/** A ledger longer than this is rewritten with the living terminals only. Bytes. */
const COMPACT_BYTES = 1024 * 1024;
const FILE_NAME = /^terminals-[\w-]+\.jsonl$/;

/**
 * The durable list of what a host started: one JSONL file per host process, so that after a crash the next host
 * finds what is still alive. Lines: the owner first, then `{started}` and `{ended}`.
 */
export class Ledger {
  readonly #path: string;
  readonly #owner: LedgerOwner;
  readonly #living = new Map<string, LedgerEntry>();

  /** Starts the ledger of a host in the run folder. Throws when the folder cannot be written. */
  constructor(runFolder: string, owner: LedgerOwner) {
    this.#path = ledgerPath(runFolder, owner.hostId);
    this.#owner = owner;
    this.#rewrite();
  }

  /** Adds a terminal. Called before the terminal is reported, so that no crash can hide it. */
  started(entry: LedgerEntry): void {
    this.#living.set(entry.terminalId, entry);
    this.#append({ started: entry });
  }

  ended(terminalId: string): void {
    if (!this.#living.delete(terminalId)) return;
    this.#append({ ended: terminalId });
  }

  /** Removes the file: nothing of this host is left. */
  remove(): void {
    rmSync(this.#path, { force: true });
  }

  /** Adds a line. A full disk must not stop terminals: their processes are still found by their tags. */
  #append(line: object): void {
    try {
      appendFileSync(this.#path, `${JSON.stringify(line)}\n`);
      if (statSync(this.#path).size > COMPACT_BYTES) this.#rewrite();
    } catch {
      // See above.
    }
  }

  #rewrite(): void {
    const lines = [
      { owner: this.#owner },
      ...[...this.#living.values()].map((started) => ({ started })),
    ];
    replaceRunFile(this.#path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
}

/** Returns the terminals without an end in the ledger of a host; none when there is no ledger. */
export async function livingTerminals(
  runFolder: string,
  hostId: string,
): Promise<readonly LedgerEntry[]> {
  const text = await readFile(ledgerPath(runFolder, hostId), 'utf8').catch(() => '');
  return parseLedger(text)?.living ?? [];
}

const ledgerPath = (runFolder: string, hostId: string): string =>
  join(runFolder, `terminals-${hostId}.jsonl`);

/** A terminal that a dead host left running, and the root by which to end it. */
export interface Leftover {
  readonly orphan: Orphan;
  readonly root: TreeRoot;
}

/**
 * Returns what dead hosts of this run folder left running. Deletes ledgers with nothing left.
 * `entries` is a fresh process table; `spared` are pids that never count.
 */
export async function findLeftovers(
  runFolder: string,
  entries: readonly ProcessEntry[],
  spared: ReadonlySet<number>,
): Promise<readonly Leftover[]> {
  const names = await readdir(runFolder).catch(() => []);
  const leftovers: Leftover[] = [];
  for (const name of names.filter((file) => FILE_NAME.test(file))) {
    const path = join(runFolder, name);
    const ledger = parseLedger(await readFile(path, 'utf8').catch(() => ''));
    if (ledger === null || isAlive(ledger.owner, entries)) continue;
    const found = leftoversOf(ledger, entries, spared);
    if (found.length === 0) await rm(path, { force: true });
    leftovers.push(...found);
  }
  return leftovers;
}

interface ParsedLedger {
  readonly owner: LedgerOwner;
  readonly living: readonly LedgerEntry[];
}

/**
 * Parses a ledger into its owner and the terminals without an end; null when the owner is missing. Ignores a torn last
 * line.
 */
export function parseLedger(text: string): ParsedLedger | null {
  const living = new Map<string, LedgerEntry>();
  let owner: LedgerOwner | null = null;
  for (const line of text.split('\n')) {
    const value = parseLine(line);
    owner ??= value.owner ?? null;
    if (value.started !== undefined) living.set(value.started.terminalId, value.started);
    if (value.ended !== undefined) living.delete(value.ended);
  }
  return owner === null ? null : { owner, living: [...living.values()] };
}

function parseLine(line: string): { owner?: LedgerOwner; started?: LedgerEntry; ended?: string } {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

const isAlive = (owner: LedgerOwner, entries: readonly ProcessEntry[]): boolean =>
  entries.some(
    ({ pid, startTime, zombie }) => pid === owner.pid && startTime === owner.startTime && !zombie,
  );

function leftoversOf(
  ledger: ParsedLedger,
  entries: readonly ProcessEntry[],
  spared: ReadonlySet<number>,
): readonly Leftover[] {
  const known = ledger.living.map((entry) =>
    toLeftover(ledger.owner.hostId, entry, entries, spared),
  );
  // Background processes of commands that had ended are known by their tags alone.
  const named = new Set(ledger.living.map((entry) => entry.terminalId));
  const tagged = new Set(
    entries
      .filter((entry) => entry.host === ledger.owner.hostId)
      .flatMap((entry) => entry.terminal ?? [])
      .filter((terminalId) => !named.has(terminalId)),
  );
  const unnamed = [...tagged].map((terminalId) =>
    toLeftover(ledger.owner.hostId, { terminalId }, entries, spared),
  );
  return [...known, ...unnamed].filter(({ orphan }) => orphan.pids.length > 0);
}

function toLeftover(
  hostId: string,
  entry: { readonly terminalId: string } & Partial<LedgerEntry>,
  entries: readonly ProcessEntry[],
  spared: ReadonlySet<number>,
): Leftover {
  const { terminalId, pid, startTime, sessionId, callId, command } = entry;
  const root: TreeRoot = {
    hostId,
    terminalId,
    ...(pid === undefined || startTime === undefined ? {} : { pid, startTime }),
  };
  const orphan: Orphan = {
    terminalId,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(callId === undefined ? {} : { callId }),
    ...(command === undefined ? {} : { command }),
    pids: membersOf([root], entries, spared).map((member) => member.pid),
  };
  return { orphan, root };
}
