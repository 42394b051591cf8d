import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcessTable } from './process-table';

/** The places where Linux shows control groups of version 2: alone, and beside those of version 1. */
const MOUNTS = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'] as const;
/** The list of a group's processes; a process number that is written to it joins. */
const MEMBERS = 'cgroup.procs';
/** The end of a path in or below the group of a terminal. */
const OURS = /\/lathe-[\w-]+\/\d+(\/.*)?$/;

/** Joins a group and becomes a program: `sh -c JOIN sh <group's list> program argument…`. Without leave it does the latter only. */
const JOIN = 'if { echo $$ > "$1"; } 2>/dev/null; then :; fi; shift; exec "$@"';

/**
 * Control groups of Linux, one for each terminal of a host. Whatever a program starts is in its group and cannot leave it by
 * forking, by a session of its own or by another environment; only a service manager can start something outside, or who may
 * write to other groups. They need a system that lets this user make groups below its own.
 */
export class ControlGroups {
  /** The folder of all groups of the host. */
  readonly path: string;
  #last = 0;
  readonly #ended = new Set<string>();

  /**
   * Makes the folder of a host's groups; null where that is not allowed or there are none. This process leaves the group of a
   * terminal that it may have been started in: it is to outlive that.
   */
  static open(
    hostId: string,
    mounts: readonly string[] = MOUNTS,
    own: string | null = ownGroup(),
  ): ControlGroups | null {
    if (own === null) return null;
    const outer = own.replace(OURS, '');
    for (const mount of mounts) {
      const path = join(mount, outer, `lathe-${hostId}`);
      try {
        readFileSync(join(mount, MEMBERS));
        mkdirSync(path);
        if (outer !== own) writeFileSync(join(mount, outer, MEMBERS), String(process.pid));
        return new ControlGroups(path);
      } catch {
        // Not there, or not ours to change.
      }
    }
    return null;
  }

  private constructor(path: string) {
    this.path = path;
  }

  /** Makes the group of a new terminal and gives its path; null when that fails. */
  next(): string | null {
    this.#last += 1;
    const group = join(this.path, String(this.#last));
    try {
      mkdirSync(group);
      return group;
    } catch {
      return null;
    }
  }

  /** Notes that the first program of a group has ended: the group goes with its last process. */
  ended(group: string): void {
    this.#ended.add(group);
    void this.#sweep();
  }

  /** Removes all groups without processes, and the folder with the last of them. */
  async close(): Promise<void> {
    await removeGroups(this.path);
  }

  async #sweep(): Promise<void> {
    for (const group of [...this.#ended]) if (await isRemoved(group)) this.#ended.delete(group);
  }
}

/** Returns the command that runs a program in a group. It stays the same process. */
export const joining = (group: string, argv: readonly string[]): readonly string[] => [
  ...['/bin/sh', '-c', JOIN, 'sh', join(group, MEMBERS)],
  ...argv,
];

/** Removes the groups of a host that have no processes. */
export async function removeGroups(path: string): Promise<void> {
  for (const group of groupsUnder(path).reverse()) await isRemoved(group);
}

/** Names the group of each process in a table that is below one of these folders. */
export const withGroups = (table: ProcessTable, paths: () => readonly string[]): ProcessTable => ({
  ...table,
  async list() {
    const entries = await table.list();
    const groups = new Map(
      paths()
        .flatMap(groupsUnder)
        .flatMap((group) => membersIn(group).map((pid) => [pid, group] as const)),
    );
    return entries.map((entry) => {
      const group = groups.get(entry.pid);
      return group === undefined ? entry : { ...entry, group };
    });
  },
});

/** Returns a group with all below it, parents first. */
function groupsUnder(path: string): string[] {
  try {
    const below = readdirSync(path, { withFileTypes: true }).filter((one) => one.isDirectory());
    return [path, ...below.flatMap(({ name }) => groupsUnder(join(path, name)))];
  } catch {
    return [];
  }
}

function membersIn(group: string): number[] {
  try {
    return readFileSync(join(group, MEMBERS), 'latin1').split('\n').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Removes a group; false when it still has processes. */
async function isRemoved(group: string): Promise<boolean> {
  try {
    await rmdir(group);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/** Returns the path of this process's own group below the mount; null where there is none. */
function ownGroup(): string | null {
  if (process.platform !== 'linux') return null;
  try {
    const own = /^0::(\/.*)$/m.exec(readFileSync('/proc/self/cgroup', 'latin1'))?.[1] ?? null;
    return own?.includes('/../') ? null : own;
  } catch {
    return null;
  }
}
