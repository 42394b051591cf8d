import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { KillReport, Leftover } from '../../../shared/terminal';
import { placesOfOthers, readHostRecord } from '../run-folder';
import { removeGroups, withGroups } from './control-groups';
import { killTrees, membersOf, type TreeRoot } from './kill-tree';
import { LEDGER_NAME, type LedgerEntry, type ParsedLedger, parseLedger } from './ledger';
import type { ProcessEntry, ProcessTable } from './process-table';

/** Processes that nobody reaches through their host any more, and the root by which to end them. */
interface FoundLeftover extends Leftover {
  readonly hostId: string;
  readonly terminalId: string;
  readonly root: TreeRoot;
}

/** The processes that dead hosts of one run folder left running, and those in hosts of other versions that cannot be reached. */
export interface Leftovers {
  /** Returns them, by the terminal they belonged to. Deletes ledgers with nothing left. */
  list(): Promise<readonly FoundLeftover[]>;
  /** Ends those that are `wanted`, and reports what lives on. */
  end(wanted: (leftover: FoundLeftover) => boolean, graceMs: number): Promise<KillReport>;
  /** Ends the processes of one terminal, also of a host that lives and does not answer. */
  endUnder(terminalId: string, graceMs: number): Promise<KillReport>;
  /** Tells whether a process is a terminal host, as its ledger says. */
  isHost(pid: number): Promise<boolean>;
  /** Lets them all run on: no later Lathe finds those of dead hosts, and this one forgets the others. */
  forget(): Promise<void>;
}

/** Creates the list of leftovers of a run folder. `spared` are pids that never count, `reached` hosts that answer us. */
export function createLeftovers(
  runFolder: string,
  table: ProcessTable,
  spared: ReadonlySet<number> = new Set([process.pid]),
  reached: (hostPid: number) => boolean = () => false,
): Leftovers {
  /** The folders of the control groups of what is listed. */
  let groups: readonly string[] = [];
  /** Hosts of other versions whose processes may run on. */
  let left: ReadonlySet<string> = new Set();
  const grouped = withGroups(table, () => groups);
  const list = async (): Promise<readonly FoundLeftover[]> => {
    const others = await pidsOfOthers(runFolder);
    const out = (await readLedgers(runFolder, table)).filter(
      ({ isAlive, ledger: { owner } }) =>
        !isAlive || (others.has(owner.pid) && !reached(owner.pid) && !left.has(owner.hostId)),
    );
    // Reading all processes is dear, and mostly there is nothing to look for.
    if (out.length === 0) return [];
    groups = groupsOf(out);
    const entries = await grouped.list();
    const found: FoundLeftover[] = [];
    for (const { path, ledger, isAlive } of out) {
      const running = leftBy(ledger, entries, spared);
      found.push(
        ...running.map((one) => (isAlive ? { ...one, otherVersion: true as const } : one)),
      );
      if (running.length > 0 || isAlive) continue;
      if (ledger.owner.groups !== undefined) await removeGroups(ledger.owner.groups);
      await rm(path, { force: true });
    }
    return found;
  };
  return {
    list,
    end: async (wanted, graceMs) => {
      const roots = (await list()).filter(wanted).map(({ root }) => root);
      if (roots.length === 0) return { killed: [], survivors: [] };
      const report = await killTrees(roots, grouped, { graceMs, spared, hangUp: true });
      await list();
      return report;
    },
    endUnder: async (terminalId, graceMs) => {
      const ledgers = await readLedgers(runFolder, table);
      groups = groupsOf(ledgers);
      const named = ledgers.flatMap(({ ledger }) => {
        const entry = ledger.entries.get(terminalId);
        return entry === undefined ? [] : [rootOf(ledger.owner.hostId, terminalId, entry)];
      });
      return killTrees(named, grouped, { graceMs, spared, hangUp: true });
    },
    isHost: async (pid) =>
      (await readLedgers(runFolder, table)).some(
        ({ ledger, isAlive }) => isAlive && ledger.owner.pid === pid,
      ),
    forget: async () => {
      const ledgers = await readLedgers(runFolder, table);
      left = new Set(ledgers.map(({ ledger }) => ledger.owner.hostId));
      for (const { path, isAlive } of ledgers) if (!isAlive) await rm(path, { force: true });
    },
  };
}

/** Returns the pids of the hosts of other versions; some may be dead. */
async function pidsOfOthers(runFolder: string): Promise<ReadonlySet<number>> {
  const records = (await placesOfOthers(runFolder)).map(readHostRecord);
  return new Set((await Promise.all(records)).flatMap((record) => record?.pid ?? []));
}

/** A ledger of the run folder. */
interface FoundLedger {
  readonly path: string;
  readonly ledger: ParsedLedger;
  /** Its host lives. */
  readonly isAlive: boolean;
}

const groupsOf = (ledgers: readonly FoundLedger[]): readonly string[] =>
  ledgers.flatMap(({ ledger }) => ledger.owner.groups ?? []);

async function readLedgers(
  runFolder: string,
  table: ProcessTable,
): Promise<readonly FoundLedger[]> {
  const names = (await readdir(runFolder).catch(() => [])).filter((name) => LEDGER_NAME.test(name));
  const found: FoundLedger[] = [];
  for (const name of names) {
    const path = join(runFolder, name);
    const ledger = parseLedger(await readFile(path, 'utf8').catch(() => ''));
    if (ledger === null) continue;
    const { pid, startTime } = ledger.owner;
    found.push({ path, ledger, isAlive: (await table.startTime(pid)) === startTime });
  }
  return found;
}

function leftBy(
  { owner: { hostId }, entries: named }: ParsedLedger,
  processes: readonly ProcessEntry[],
  spared: ReadonlySet<number>,
): readonly FoundLeftover[] {
  const tagged = processes.flatMap(({ host, terminal }) =>
    host === hostId ? (terminal ?? []) : [],
  );
  return [...new Set([...named.keys(), ...tagged])].flatMap((terminalId) => {
    const entry = named.get(terminalId);
    const root = rootOf(hostId, terminalId, entry);
    const members = membersOf([root], processes, spared);
    if (members.length === 0) return [];
    const { sessionId, command } = entry ?? {};
    return {
      ...{ id: `${hostId}/${terminalId}`, hostId, terminalId, root },
      ...(sessionId ? { sessionId } : {}),
      ...(command === undefined ? {} : { command }),
      processes: members.map(({ pid, name = '' }) => ({ pid, name })),
    };
  });
}

/**
 * Returns the root of a tree whose host is dead: tags, and processes that were written down. The number of its session
 * does not count, because by now it may be another's.
 */
const rootOf = (hostId: string, terminalId: string, entry: LedgerEntry | undefined): TreeRoot => ({
  hostId,
  terminalId,
  ...(entry?.group === undefined ? {} : { group: entry.group }),
  seen: [...(entry?.root === undefined ? [] : [entry.root]), ...(entry?.members ?? [])],
});
